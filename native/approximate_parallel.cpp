// One cell of the approximate parallel sampler: blocks as `sparse` draws them, with totals n_k that
// do not know what the other cells of its step are doing.
#include "entry_points.hpp"
#include "sparse_sweep.hpp"

namespace blocklda::BLOCKLDA_ISA {

Outcome sparse_cell(const MajorView& corpus, const AxisPriors& priors, const CellView& cell,
                    const SparseOptions& options, const Rng& rng, void* tables,
                    std::int32_t* totals, std::int32_t* topics) {
    auto& kept = *static_cast<SparseTables*>(tables);
    for (std::int64_t k = 0; k < priors.padded; ++k) totals[k] = kept.totals[k];
    const std::int64_t largest =
        options.max_block < kLargestPart ? options.max_block : kLargestPart;
    SparseSweep sweep(corpus, priors, rng, topics, static_cast<int>(largest), kept.lists, totals);
    Outcome outcome;
    if (!sweep.run_cell(cell, options.one_by_one[0])) outcome.failed_entry = sweep.failed_entry;
    outcome.steps = sweep.steps();
    return outcome;
}

// Whole numbers: in whatever order the cells have ended, the sum is the same.
void add_up_totals(void* tables, const std::int32_t* totals, std::int64_t n_cells,
                   std::int64_t stride, std::int64_t padded) {
    auto& kept = static_cast<SparseTables*>(tables)->totals;
    for (std::int64_t k = 0; k < padded; ++k) {
        const std::int32_t before = kept[k];
        for (std::int64_t c = 0; c < n_cells; ++c) kept[k] += totals[c * stride + k] - before;
    }
}

}  // namespace blocklda::BLOCKLDA_ISA
