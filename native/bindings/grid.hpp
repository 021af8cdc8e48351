// What sweeps over a grid of cells are given, checked.
#pragma once

#include <algorithm>
#include <vector>

#include "bindings/border.hpp"
#include "bindings/corpus.hpp"

namespace blocklda {

inline void require_groups(const Flat<const std::int64_t>& groups, std::int64_t n_groups,
                           std::int64_t n) {
    require_aligned(groups);
    require(length(groups) == n_groups + 1, "both axes need the same number of groups");
    require_offsets(groups.data(), n_groups + 1, n,
                    "groups must run from 0 to the end of their axis", "groups must not fall");
}

// One stream for every cell, or for all cells that follow one another; a stream that two cells of a
// step shared would be drawn from in two threads.
inline std::vector<Rng> checked_streams(const std::vector<nb::capsule>& streams,
                                        std::int64_t n_streams) {
    require(static_cast<std::int64_t>(streams.size()) == n_streams, "every cell needs a stream");
    std::vector<Rng> rngs;
    std::vector<void*> states;
    for (const nb::capsule& stream : streams) {
        rngs.push_back(rng_of(stream));
        states.push_back(rngs.back().state);
    }
    std::sort(states.begin(), states.end());
    require(std::adjacent_find(states.begin(), states.end()) == states.end(),
            "no two cells may share a stream");
    return rngs;
}

// The number of groups of either axis.
inline std::int64_t checked_groups(const Rows& rows, const Flat<const std::int64_t>& row_groups,
                                   const Flat<const std::int64_t>& minor_groups,
                                   std::int64_t max_block, double one_by_one,
                                   std::int64_t n_threads) {
    require(max_block >= 1, "max_block must be at least 1");
    require(one_by_one >= 0.0 && one_by_one <= 1.0, "one_by_one must be from 0 to 1");
    require(n_threads >= 1, "n_threads must be at least 1");
    const std::int64_t n_groups = length(row_groups) - 1;
    require(n_groups >= 1 && n_groups < kLimit, "there must be at least one group");
    require_groups(row_groups, n_groups, rows.rows().n_rows);
    require_groups(minor_groups, n_groups, rows.rows().n_minor);
    // A cell finds its part of a row by bisection; two cells that met in an entry would both write
    // to it.
    require(rows.is_ordered(), "the entries of a row must be in the order of the other axis");
    return n_groups;
}

}  // namespace blocklda
