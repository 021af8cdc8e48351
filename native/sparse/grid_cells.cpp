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

void* make_listed_tables(const ListedRows& rows, std::int64_t n_minor, std::int64_t n_topics) {
    return new SparseTables(rows, n_minor, n_topics);
}

bool lists_have_tokens(const MajorView& corpus, const CellView& cell, const ListedRows& rows,
                       void* tables, const std::int32_t* topics, std::int64_t n_topics) {
    TopicLists& lists = static_cast<SparseTables*>(tables)->lists;
    const std::int64_t end = corpus.offsets[cell.end_row];
    std::int64_t token = cell.row_tokens[cell.first_row];
    bool has_all = true;
    for (std::int64_t e = corpus.offsets[cell.first_row]; e < end && has_all; ++e) {
        const std::int64_t j = corpus.minor_ids[e];
        const std::int64_t first = token;
        token += corpus.counts[e];
        if (j < cell.first_minor || j >= cell.end_minor) continue;
        if (e + 1 < end) lists.prefetch(corpus.minor_ids[e + 1]);
        const TopicList list = lists.row(j);
        for (std::int64_t i = first; i < token && has_all; ++i) {
            const std::int64_t at = TopicLists::position(list, topics[i]);
            has_all = at < list.length && list.topics[at] == topics[i] && --list.counts[at] >= 0;
        }
    }
    lists.build(rows, corpus.n_minor, n_topics);  // as they were
    return has_all;
}

void copy_lists(void* tables, std::int64_t first, std::int64_t end, std::int64_t* offsets,
                std::int32_t* topics, std::int32_t* counts) {
    TopicLists& lists = static_cast<SparseTables*>(tables)->lists;
    std::int64_t n = 0;
    for (std::int64_t j = first; j < end; ++j) {
        const TopicList list = lists.row(j);
        for (std::int64_t i = 0; i < list.length; ++i) {
            if (list.counts[i] == 0) continue;
            if (topics != nullptr) {
                topics[n] = list.topics[i];
                counts[n] = list.counts[i];
            }
            ++n;
        }
        offsets[j - first + 1] = n;
    }
}

std::int32_t* sparse_totals(void* tables) {
    return static_cast<SparseTables*>(tables)->totals.data();
}

}  // namespace blocklda::BLOCKLDA_ISA
