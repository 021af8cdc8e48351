// The sparse samplers.
#include <utility>

#include "bindings/numbers.hpp"
#include "bindings/sparse_workspace.hpp"
#include "counts/noted_cells.hpp"

namespace blocklda {
namespace {

Result sparse(const Rows& rows, const Priors& priors, Flat<std::int32_t> topics,
              nb::capsule bit_generator, std::int64_t n_sweeps, SparseWorkspace& workspace,
              std::int64_t max_block, Flat<const double> one_by_one, std::int64_t sequential_block,
              std::int64_t sequential_from, bool notes_cells) {
    rows.require_topics(topics, priors.n_topics());
    const AxisPriors view = axis_priors(rows, priors);
    const Rng rng = rng_of(bit_generator);
    require(max_block >= 1, "max_block must be at least 1");
    require_sequential(sequential_block, sequential_from);
    require(length(one_by_one) == n_sweeps, "one_by_one needs a number for every sweep");
    require_aligned(one_by_one);
    for (std::int64_t i = 0; i < n_sweeps; ++i) {
        require(one_by_one.data()[i] >= 0.0 && one_by_one.data()[i] <= 1.0,
                "one_by_one must be from 0 to 1");
    }
    const SparseOptions options{max_block, one_by_one.data(), sequential_block, sequential_from,
                                notes_cells};
    const KernelTable* kernels = active_kernels();
    const auto in_use = workspace.reserve();
    nb::gil_scoped_release unlocked;
    // Until the sweeps have ended well the tables count as lost; memory may run out on the way.
    workspace.borrow(kernels, rows, priors.n_topics(), topics.data());
    const Outcome outcome = kernels->sparse(rows.rows(), view, options, rng, workspace.tables(),
                                            topics.data(), n_sweeps);
    if (outcome.failed_entry < 0) {
        workspace.give_back(rows, topics.data());
        if (notes_cells && n_sweeps > 0) workspace.has_noted_rows();
    }
    return result_of(outcome);
}

// What `count_cells` would count, from what the last sweep noted: None if
// these assignments are not those that it left.
nb::object sparse_cells(const Rows& rows, std::int64_t n_topics, Flat<std::int32_t> topics,
                        SparseWorkspace& workspace) {
    require_n_topics(n_topics);
    rows.require_topics(topics, n_topics);
    const auto in_use = workspace.reserve();
    CountedCells counted;
    {
        nb::gil_scoped_release unlocked;
        if (workspace.knows_cells(rows, n_topics, topics.data())) {
            const SparseCells cells =
                workspace.kernels()->sparse_cells(rows.rows(), workspace.tables(), n_topics);
            const CellsView& docs = rows.are_words() ? cells.minors : cells.rows;
            const CellsView& words = rows.are_words() ? cells.rows : cells.minors;
            counted = {{occupancy_of(docs, n_topics),
                        occupancy_of(words, n_topics),
                        {cells.totals, cells.totals + n_topics}},
                       histograms_of(docs, n_topics)};
        }
    }
    if (counted.cells.topics.empty()) return nb::none();
    return handed_cells(std::move(counted));
}

}  // namespace

void bind_sparse(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<SparseWorkspace>(m, "SparseWorkspace",
                                "Tables that a sparse sampler keeps between its sweeps.")
        .def(nb::init<>());
    m.def("sparse", &sparse, "rows"_a, "priors"_a, "topics"_a.noconvert(), "bit_generator"_a,
          "n_sweeps"_a, "workspace"_a, "max_block"_a, "one_by_one"_a.noconvert(),
          "sequential_block"_a, "sequential_from"_a, "notes_cells"_a = false);
    m.def("sparse_cells", &sparse_cells, "rows"_a, "n_topics"_a, "topics"_a.noconvert(),
          "workspace"_a);
}

}  // namespace blocklda
