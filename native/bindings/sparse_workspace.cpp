// When the tables of the samplers over topic lists may be used again.
#include "bindings/sparse_workspace.hpp"

#include "bindings/checksum.hpp"

namespace blocklda {

std::uint64_t checksum(const std::int32_t* numbers, std::int64_t n) {
    constexpr int kSums = 16;
    std::uint32_t sums[kSums] = {};
    std::int64_t i = 0;
    for (; i + kSums <= n; i += kSums) {
        for (int l = 0; l < kSums; ++l) {
            sums[l] = (sums[l] + static_cast<std::uint32_t>(numbers[i + l])) * 0x9E3779B1U;
        }
    }
    std::uint64_t all = 0;
    const auto mix = [&all](std::uint64_t x) {
        all = (all ^ x) * 0x9E3779B97F4A7C15U;
        all ^= all >> 29;
    };
    for (; i < n; ++i) mix(static_cast<std::uint32_t>(numbers[i]));
    for (const std::uint32_t sum : sums) mix(sum);
    return all;
}

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
    const bool is_same = kernels == kernels_ && is_made_for(rows, n_topics, topics);
    is_good_ = are_rows_noted_ = false;
    not_noted_ = {0, 0};
    if (is_same) return true;
    clear();
    tables_ = kernels->make_sparse_tables(rows.rows(), topics, n_topics);
    kernels_ = kernels;
    rows_number_ = rows.number();
    n_topics_ = n_topics;
    return false;
}

bool SparseWorkspace::is_made_for(const Rows& rows, std::int64_t n_topics,
                                  const std::int32_t* topics) const {
    return is_good_ && n_topics == n_topics_ && rows.number() == rows_number_ &&
           checksum(topics, rows.n_tokens()) == topics_checksum_;
}

bool SparseWorkspace::knows_cells(const Rows& rows, std::int64_t n_topics,
                                  const std::int32_t* topics) const {
    return are_rows_noted_ && is_made_for(rows, n_topics, topics);
}

void SparseWorkspace::give_back(const Rows& rows, const std::int32_t* topics) {
    topics_checksum_ = checksum(topics, rows.n_tokens());
    is_good_ = true;
}

}  // namespace blocklda
