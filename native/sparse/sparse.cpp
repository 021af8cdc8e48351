// The sparse samplers: blocks over short lists of topics, or one token at a time.
#include "builds/entry_points.hpp"
#include "sparse/sparse_sweep.hpp"

namespace blocklda::BLOCKLDA_ISA {

void* make_sparse_tables(const MajorView& corpus, const std::int32_t* topics,
                         std::int64_t n_topics) {
    return new SparseTables(corpus, topics, n_topics);
}

void free_sparse_tables(void* tables) { delete static_cast<SparseTables*>(tables); }

Outcome sparse(const MajorView& corpus, const AxisPriors& priors, const SparseOptions& options,
               const Rng& rng, void* tables, std::int32_t* topics, std::int64_t n_sweeps) {
    const std::int64_t largest =
        options.max_block < kLargestPart ? options.max_block : kLargestPart;
    auto& kept = *static_cast<SparseTables*>(tables);
    SparseSweep<false> sweep(corpus, priors, rng, topics, static_cast<int>(largest), kept.lists,
                             kept.totals.data());
    sweep.draw_sequentially(options.sequential_block, options.sequential_from);
    if (options.notes_cells) kept.row_cells.start(priors.n_topics, kept.n_tokens);
    Outcome outcome;
    for (std::int64_t i = 0; i < n_sweeps && outcome.failed_entry < 0; ++i) {
        const bool is_noted = options.notes_cells && i + 1 == n_sweeps;
        CellHistogram* const cells = is_noted ? &kept.row_cells : nullptr;
        if (!sweep.run(options.one_by_one[i], cells)) outcome.failed_entry = sweep.failed_entry;
    }
    outcome.steps = sweep.steps();
    return outcome;
}

SparseCells sparse_cells(const MajorView& corpus, void* tables, std::int64_t n_topics) {
    auto& kept = *static_cast<SparseTables*>(tables);
    kept.list_cells.start(n_topics, kept.n_tokens);
    kept.lists.note_cells(corpus.n_minor, kept.list_cells);
    return {kept.row_cells.view(), kept.list_cells.view(), kept.totals.data()};
}

}  // namespace blocklda::BLOCKLDA_ISA
