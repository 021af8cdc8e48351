// Cells of a count table, noted while a sweep passes them anyway: counting them afterwards takes
// many times as long.
#pragma once

#include <bit>
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

// Cells that are looked at together: mostly few of these hold a token.
inline constexpr int kCellsAtOnce = 16;

// Bit l tells whether cell l of kCellsAtOnce neighbours holds a token.
BLOCKLDA_INLINE std::uint32_t filled_cells(const std::uint16_t* cells) {
#if defined(__SSE2__)
    const auto* const at = reinterpret_cast<const __m128i*>(cells);
    const __m128i zero = _mm_setzero_si128();
    const __m128i empty = _mm_packs_epi16(_mm_cmpeq_epi16(_mm_loadu_si128(at), zero),
                                          _mm_cmpeq_epi16(_mm_loadu_si128(at + 1), zero));
    return static_cast<std::uint32_t>(_mm_movemask_epi8(empty)) ^ 0xFFFFU;
#else
    std::uint32_t filled = 0;
    for (int l = 0; l < kCellsAtOnce; ++l) filled |= std::uint32_t{cells[l] != 0} << l;
    return filled;
#endif
}

BLOCKLDA_INLINE std::uint32_t filled_cells(const std::int32_t* cells) {
#if defined(__SSE2__)
    const auto* const at = reinterpret_cast<const __m128i*>(cells);
    const __m128i zero = _mm_setzero_si128();
    const auto are_empty = [&](int i) { return _mm_cmpeq_epi32(_mm_loadu_si128(at + i), zero); };
    const __m128i empty = _mm_packs_epi16(_mm_packs_epi32(are_empty(0), are_empty(1)),
                                          _mm_packs_epi32(are_empty(2), are_empty(3)));
    return static_cast<std::uint32_t>(_mm_movemask_epi8(empty)) ^ 0xFFFFU;
#else
    std::uint32_t filled = 0;
    for (int l = 0; l < kCellsAtOnce; ++l) filled |= std::uint32_t{cells[l] != 0} << l;
    return filled;
#endif
}

// Calls `note` with the place of each of the cells that holds a token.
template <class Count, class Note>
BLOCKLDA_INLINE void for_filled(const Count* cells, std::int64_t n_cells, Note note) {
    std::int64_t i = 0;
    for (; i + kCellsAtOnce <= n_cells; i += kCellsAtOnce) {
        for (std::uint32_t left = filled_cells(cells + i); left != 0; left &= left - 1) {
            note(i + std::countr_zero(left));
        }
    }
    for (; i < n_cells; ++i) {
        if (cells[i] != 0) note(i);
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

// A whole table, all of whose cells are noted as if they were of topic 0.
template <class Count>
void note_table(CellNotes& notes, const Count* cells, std::int64_t n_cells) {
    for_filled(cells, n_cells,
               [&](std::int64_t i) { note_cell(notes, 0, static_cast<std::int32_t>(cells[i])); });
}

}  // namespace blocklda::BLOCKLDA_ISA
