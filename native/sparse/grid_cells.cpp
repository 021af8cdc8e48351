// One cell of a grid of documents and words: blocks as `sparse` draws them, with masses.
#include "builds/entry_points.hpp"
#include "sparse/sparse_sweep.hpp"

namespace blocklda::BLOCKLDA_ISA {

Outcome grid_cell(const MajorView& corpus, const AxisPriors& priors, const CellView& cell,
                  const SparseOptions& options, const Rng& rng, void* tables, std::int32_t* totals,
                  std::int32_t* topics) {
    const std::int64_t largest =
        options.max_block < kLargestPart ? options.max_block : kLargestPart;
    SparseSweep<true> sweep(corpus, priors, rng, topics, static_cast<int>(largest),
                            static_cast<SparseTables*>(tables)->lists, totals);
    sweep.draw_sequentially(options.sequential_block, options.sequential_from);
    Outcome outcome;
    if (!sweep.run_cell(cell, options.one_by_one[0])) outcome.failed_entry = sweep.failed_entry;
    outcome.steps = sweep.steps();
    return outcome;
}

std::int32_t* sparse_totals(void* tables) {
    return static_cast<SparseTables*>(tables)->totals.data();
}

}  // namespace blocklda::BLOCKLDA_ISA
