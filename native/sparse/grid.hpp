// A sweep over a grid of cells, several of them at the same time. No Python, and the same code for
// every instruction set.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "builds/kernels.hpp"
#include "shared/in_threads.hpp"

namespace blocklda {

// Rows and the other axis, each cut into `n_groups` groups of neighbours: group g begins with
// number groups[g] and ends before groups[g + 1]. `row_tokens` is the number of tokens before each
// row, or null where the corpus tells the first token of every entry.
struct GridView {
    const std::int64_t* row_groups;
    const std::int64_t* minor_groups;
    std::int64_t n_groups;
    const std::int64_t* row_tokens;
};

// Sweeps cells (row group, minor group) with sweep(row_group, minor_group, cell), step by step: in
// step s the cells (i, (i + s) mod G), at the same time. They share no row and nothing of the other
// axis. `before` and, unless a cell has failed, `after` are called around each step, in the
// caller's thread.
template <class Before, class Sweep, class After>
Outcome sweep_steps(const GridView& grid, std::int64_t n_threads, Before before, const Sweep& sweep,
                    After after) {
    const std::int64_t n = grid.n_groups;
    std::vector<Outcome> outcomes(static_cast<std::size_t>(n));
    Outcome all;
    for (std::int64_t step = 0; step < n; ++step) {
        before();
        in_threads(std::min(n_threads, n), n, [&](std::int64_t i) {
            const std::int64_t j = (i + step) % n;
            const CellView cell{grid.row_groups[i], grid.row_groups[i + 1], grid.minor_groups[j],
                                grid.minor_groups[j + 1], grid.row_tokens};
            outcomes[static_cast<std::size_t>(i)] = sweep(i, j, cell);
        });
        for (const Outcome& outcome : outcomes) {
            all.steps += outcome.steps;
            if (all.failed_entry < 0) all.failed_entry = outcome.failed_entry;
        }
        if (all.failed_entry >= 0) return all;
        after();
    }
    return all;
}

// What a sweep over a grid works on. Cell (i, j) draws from rngs[i G + j], so the number of threads
// changes nothing.
struct GridSweep {
    const KernelTable& kernels;
    const MajorView& corpus;
    const AxisPriors& priors;
    const SparseOptions& options;
    const GridView& grid;
    const std::vector<Rng>& rngs;
    void* tables;
    std::int64_t n_threads;
    std::int32_t* topics;

    const Rng& rng(std::int64_t i, std::int64_t j) const {
        return rngs[static_cast<std::size_t>(i * grid.n_groups + j)];
    }
    // No cache line has totals of two cells: both would write to it all the time.
    std::int64_t stride() const {
        return priors.padded + 64 / static_cast<std::int64_t>(sizeof(std::int32_t));
    }
};

// Counts of documents and words are exact in every cell; the totals n_k are those at the beginning
// of the step with the cell's own changes, and that is the approximation.
inline Outcome sweep_with_stale_totals(const GridSweep& to) {
    const std::int64_t n = to.grid.n_groups;
    const std::int64_t padded = to.priors.padded;
    const std::int64_t stride = to.stride();
    std::int32_t* kept = to.kernels.sparse_totals(to.tables);
    std::vector<std::int32_t> totals(static_cast<std::size_t>(n * stride));
    // All words are one group, and the whole of a topic lies in it.
    const std::vector<double> masses(static_cast<std::size_t>(padded), 1.0);
    AxisPriors priors = to.priors;
    priors.masses = masses.data();
    return sweep_steps(
        to.grid, to.n_threads,
        [&] {
            for (std::int64_t i = 0; i < n; ++i) std::copy_n(kept, padded, &totals[i * stride]);
        },
        [&](std::int64_t i, std::int64_t j, const CellView& cell) {
            return to.kernels.grid_cell(to.corpus, priors, cell, to.options, to.rng(i, j),
                                        to.tables, &totals[i * stride], to.topics);
        },
        [&] {
            for (std::int64_t k = 0; k < padded; ++k) {
                const std::int32_t before = kept[k];
                for (std::int64_t i = 0; i < n; ++i) kept[k] += totals[i * stride + k] - before;
            }
        });
}

// Tokens by topic in each group of words, and what a topic's words weigh there: rows of topics.
// `beta_sum` is over the words of the group.
struct WordGroups {
    bool are_rows;  // words are the rows of the corpus
    const double* beta_sum;
    std::int32_t* totals;
    double* masses;
};

// The tokens of one group of rows, in rows of topics for each group of words.
inline void count_rows(const GridSweep& to, const WordGroups& words, std::int64_t group,
                       const std::vector<std::int32_t>& group_of, std::int32_t* totals) {
    const MajorView& corpus = to.corpus;
    const std::int64_t first = to.grid.row_groups[group];
    const std::int64_t end = corpus.offsets[to.grid.row_groups[group + 1]];
    std::int64_t token = words.are_rows ? 0 : to.grid.row_tokens[first];
    for (std::int64_t e = corpus.offsets[first]; e < end; ++e) {
        if (words.are_rows) token = corpus.starts[e];
        const std::int64_t g =
            words.are_rows ? group : group_of[static_cast<std::size_t>(corpus.minor_ids[e])];
        std::int32_t* row = totals + g * to.priors.padded;
        for (std::int32_t i = 0; i < corpus.counts[e]; ++i) ++row[to.topics[token++]];
    }
}

// The tokens of all groups of rows, each with a row of topics for each group of words.
inline void count_cells(const GridSweep& to, const WordGroups& words, std::int32_t* cells) {
    const std::int64_t n = to.grid.n_groups;
    const std::int64_t size = n * to.priors.padded;
    std::vector<std::int32_t> group_of(static_cast<std::size_t>(to.corpus.n_minor));
    for (std::int64_t g = 0; g < n; ++g) {
        std::fill(group_of.begin() + to.grid.minor_groups[g],
                  group_of.begin() + to.grid.minor_groups[g + 1], static_cast<std::int32_t>(g));
    }
    std::fill_n(cells, n * size, 0);
    in_threads(std::min(to.n_threads, n), n,
               [&](std::int64_t i) { count_rows(to, words, i, group_of, cells + i * size); });
}

// Sums of what all groups of rows have in each group of words, in rows of topics.
inline void sum_cells(const std::int32_t* cells, std::int64_t n_groups, std::int64_t padded,
                      std::int32_t* totals) {
    const std::int64_t size = n_groups * padded;
    std::copy_n(cells, size, totals);
    for (std::int64_t i = 1; i < n_groups; ++i) {
        for (std::int64_t k = 0; k < size; ++k) totals[k] += cells[i * size + k];
    }
}

inline void count_groups(const GridSweep& to, const WordGroups& words) {
    const std::int64_t n = to.grid.n_groups;
    std::vector<std::int32_t> cells(static_cast<std::size_t>(n * n * to.priors.padded));
    count_cells(to, words, cells.data());
    sum_cells(cells.data(), n, to.priors.padded, words.totals);
}

// Given the masses of the groups of words, a group's words do not depend on the others: cells of a
// step share no document, no word and no total, and each is drawn from its exact conditional.
// `draw_masses` draws them anew before each step, from the totals.
template <class DrawMasses>
Outcome sweep_given_masses(const GridSweep& to, const WordGroups& words, DrawMasses draw_masses) {
    const std::int64_t n = to.grid.n_groups;
    const std::int64_t padded = to.priors.padded;
    const std::int64_t stride = to.stride();
    count_groups(to, words);
    std::vector<std::int32_t> totals(static_cast<std::size_t>(n * stride));
    const auto copy_totals = [&] {
        for (std::int64_t g = 0; g < n; ++g) {
            std::copy_n(&totals[g * stride], padded, words.totals + g * padded);
        }
    };
    for (std::int64_t g = 0; g < n; ++g) {
        std::copy_n(words.totals + g * padded, padded, &totals[g * stride]);
    }
    const Outcome outcome = sweep_steps(
        to.grid, to.n_threads, draw_masses,
        [&](std::int64_t i, std::int64_t j, const CellView& cell) {
            const std::int64_t g = words.are_rows ? i : j;
            AxisPriors priors = to.priors;
            priors.beta_sum = words.beta_sum + g * padded;
            priors.masses = words.masses + g * padded;
            return to.kernels.grid_cell(to.corpus, priors, cell, to.options, to.rng(i, j),
                                        to.tables, &totals[g * stride], to.topics);
        },
        copy_totals);
    std::int32_t* kept = to.kernels.sparse_totals(to.tables);
    for (std::int64_t k = 0; k < padded; ++k) {
        kept[k] = 0;
        for (std::int64_t g = 0; g < n; ++g) kept[k] += words.totals[g * padded + k];
    }
    return outcome;
}

}  // namespace blocklda
