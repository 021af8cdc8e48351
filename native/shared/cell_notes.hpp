// Cells of a count table, noted while a sweep passes them anyway: counting them afterwards takes
// many times as long.
#pragma once

#include <cstdint>

#include "shared/simd.hpp"
#include "shared/views.hpp"

namespace blocklda::BLOCKLDA_ISA {

BLOCKLDA_INLINE void note_cell(CellNotes& notes, std::int64_t topic, std::int32_t n) {
    if (n < kSmallCell) [[likely]] {
        ++notes.small[topic * kSmallCell + n];
    } else {
        notes.large[2 * notes.n_large] = static_cast<std::int32_t>(topic);
        notes.large[2 * notes.n_large + 1] = n;
        ++notes.n_large;
    }
}

// The counts of a document with these topics, by way of all topics or of those of its tokens,
// whichever are fewer; the counts are gone then. Empty cells are noted, too, which costs less than
// to ask.
inline void note_document(CellNotes& notes, std::int32_t* n_d, std::int64_t padded,
                          const std::int32_t* topics, std::int64_t n_tokens) {
    if (padded <= n_tokens) {
        for (std::int64_t k = 0; k < padded; ++k) note_cell(notes, k, n_d[k]);
        return;
    }
    for (std::int64_t i = 0; i < n_tokens; ++i) {
        note_cell(notes, topics[i], n_d[topics[i]]);
        n_d[topics[i]] = 0;
    }
}

// Cells that are looked at together: mostly none of these holds a token.
inline constexpr int kCellsAtOnce = 4 * kLanes;

// The bits that any of kCellsAtOnce cells has.
template <class Count>
BLOCKLDA_INLINE std::int32_t any_bits(const Count* cells) {
    LaneInts bits = load_lanes(cells);
    for (int i = kLanes; i < kCellsAtOnce; i += kLanes) bits |= load_lanes(cells + i);
    std::int32_t any = 0;
    for (int l = 0; l < kLanes; ++l) any |= bits[l];
    return any;
}

// A whole table, all of whose cells are noted as if they were of topic 0. Most are empty or hold a
// few tokens: these are counted in vectors.
template <class Count>
void note_table(CellNotes& notes, const Count* cells, std::int64_t n_cells) {
    constexpr int kFew = 8;  // a power of 2: cells with fewer tokens have no higher bit
    LaneInts with_few[kFew] = {};
    const auto note_one_by_one = [&](std::int64_t from, std::int64_t to, std::int32_t least) {
        for (std::int64_t i = from; i < to; ++i) {
            if (cells[i] >= least) note_cell(notes, 0, cells[i]);
        }
    };
    std::int64_t i = 0;
    for (; i + kCellsAtOnce <= n_cells; i += kCellsAtOnce) {
        const std::int32_t any = any_bits(cells + i);
        if (any == 0) continue;
        for (int j = 0; j < kCellsAtOnce; j += kLanes) {
            const LaneInts n = load_lanes(cells + i + j);
            for (int few = 1; few < kFew; ++few) with_few[few] -= n == few;
        }
        if (any >= kFew) note_one_by_one(i, i + kCellsAtOnce, kFew);
    }
    note_one_by_one(i, n_cells, 1);
    for (int few = 1; few < kFew; ++few) {
        for (int l = 0; l < kLanes; ++l) notes.small[few] += with_few[few][l];
    }
}

}  // namespace blocklda::BLOCKLDA_ISA
