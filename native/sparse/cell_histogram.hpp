// How many cells of one axis hold n tokens of a topic, noted while a sweep passes them anyway.
#pragma once

#include <cstdint>
#include <cstring>

#include "shared/buffer.hpp"
#include "shared/cell_notes.hpp"
#include "shared/views.hpp"

namespace blocklda::BLOCKLDA_ISA {

class CellHistogram {
  public:
    // Empties it for cells of all topics that hold `n_tokens` together.
    void start(std::int64_t n_topics, std::int64_t n_tokens) {
        const std::int64_t n_small = n_topics * kSmallCell;
        small_.reserve(n_small);
        std::memset(small_.data(), 0, static_cast<std::size_t>(n_small) * sizeof(std::int32_t));
        large_.reserve(2 * (n_tokens / kSmallCell));  // each holds at least so many
        notes_ = {small_.data(), large_.data(), 0};
    }

    // A cell of n > 0 tokens.
    void note(std::int64_t topic, std::int32_t n) { note_cell(notes_, topic, n); }

    CellsView view() const { return {notes_.small, notes_.large, notes_.n_large}; }

  private:
    Buffer<std::int32_t> small_;
    Buffer<std::int32_t> large_;
    CellNotes notes_{};
};

}  // namespace blocklda::BLOCKLDA_ISA
