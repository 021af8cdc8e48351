// Sweeps of the hierarchical Dirichlet process: word blocks with births, and moves of tables.
#include "builds/entry_points.hpp"
#include "hdp/stick.hpp"
#include "hdp/table_moves.hpp"
#include "sparse/sparse_sweep.hpp"

namespace blocklda::BLOCKLDA_ISA {

Outcome hdp_blocks(const MajorView& corpus, const AxisPriors& priors, const SparseOptions& options,
                   const EveryNth& moved_later, const Rng& rng, void* tables, StickView& view,
                   std::int32_t* topics) {
    const std::int64_t largest =
        options.max_block < kLargestPart ? options.max_block : kLargestPart;
    auto& kept = *static_cast<SparseTables*>(tables);
    Stick stick(view, static_cast<int>(largest), rng);
    SparseSweep<false, Stick> sweep(corpus, priors, rng, topics, static_cast<int>(largest),
                                    kept.lists, kept.totals.data(), &stick);
    sweep.draw_sequentially(options.sequential_block, options.sequential_from);
    Outcome outcome;
    kept.row_cells.start(priors.n_topics, kept.n_tokens);
    if (!sweep.run(options.one_by_one[0], &kept.row_cells, moved_later))
        outcome.failed_entry = sweep.failed_entry;
    outcome.steps = sweep.steps();
    return outcome;
}

Outcome hdp_cell(const MajorView& corpus, const AxisPriors& priors, const CellView& cell,
                 const SparseOptions& options, const Rng& rng, void* tables, StickView& view,
                 std::int32_t* totals, std::int32_t* topics) {
    const std::int64_t largest =
        options.max_block < kLargestPart ? options.max_block : kLargestPart;
    Stick stick(view, static_cast<int>(largest), rng);
    SparseSweep<true, Stick> sweep(corpus, priors, rng, topics, static_cast<int>(largest),
                                   static_cast<SparseTables*>(tables)->lists, totals, &stick);
    Outcome outcome;
    if (!sweep.run_cell(cell, options.one_by_one[0])) outcome.failed_entry = sweep.failed_entry;
    outcome.steps = sweep.steps();
    return outcome;
}

Outcome hdp_tables(const MajorView& corpus, const EveryNth& docs, bool notes_cells, const Rng& rng,
                   void* tables, StickView& view, std::int32_t* topics) {
    TableMoves moves(corpus, view, rng, *static_cast<SparseTables*>(tables), topics);
    Outcome outcome;
    if (!moves.run(docs, notes_cells)) outcome.failed_entry = moves.failed_entry;
    outcome.steps = moves.steps;
    return outcome;
}

}  // namespace blocklda::BLOCKLDA_ISA
