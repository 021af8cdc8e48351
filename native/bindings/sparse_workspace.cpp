// When the tables of the samplers over topic lists may be used again.
#include "bindings/sparse_workspace.hpp"

namespace blocklda {
AxisPriors axis_priors(const Rows& rows, const Priors& priors) {
    const PriorsView view = priors.view_of(rows);
    if (rows.are_words()) {
        return {view.beta, view.beta_stride, view.alpha, view.beta_sum, view.n_topics, view.padded};
    }
    require(view.beta_stride == 0, "a word prior by topic needs the corpus by word");
    return {view.alpha, 0, view.beta, view.beta_sum, view.n_topics, view.padded};
}

bool SparseWorkspace::borrow(const KernelTable* kernels, const Rows& rows, std::int64_t n_topics,
                             const std::int32_t* topics) {
    const bool is_same = kernels == kernels_ && made_for_.is(rows, n_topics, topics);
    made_for_.forget();
    are_rows_noted_ = false;
    not_noted_ = {0, 0};
    if (is_same) return true;
    clear();
    tables_ = kernels->make_sparse_tables(rows.rows(), topics, n_topics);
    kernels_ = kernels;
    n_topics_ = n_topics;
    return false;
}

bool SparseWorkspace::knows_cells(const Rows& rows, std::int64_t n_topics,
                                  const std::int32_t* topics) const {
    return are_rows_noted_ && made_for_.is(rows, n_topics, topics);
}

void SparseWorkspace::give_back(const Rows& rows, const std::int32_t* topics) {
    made_for_.set(rows, n_topics_, topics);
}

}  // namespace blocklda
