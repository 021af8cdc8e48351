// What a sweep on dense counts notes of its cells, kept for Python.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <mutex>
#include <vector>

#include "bindings/border.hpp"
#include "shared/views.hpp"

namespace blocklda {

// Room for the notes of one call. They tell the cells of the topics that this call left; whoever
// changes topics has to drop them.
class NotedSweep {
  public:
    // For the length of a call.
    std::unique_lock<std::mutex> reserve() {
        std::unique_lock<std::mutex> in_use(in_use_, std::try_to_lock);
        require(in_use.owns_lock(), "the notes are in use in another thread");
        return in_use;
    }

    // Empties it, and returns where the cells of so many tokens go.
    DenseNotes* start(std::int64_t n_topics, std::int64_t padded, std::int64_t n_tokens);
    void has_ended() { is_complete_ = true; }

    // What `count_cells` would count, or None before sweeps have ended.
    nb::object cells();

  private:
    using Numbers = std::vector<std::int32_t>;
    struct Axis {
        Numbers small;
        Numbers large;
    };

    std::mutex in_use_;
    bool is_complete_ = false;
    std::int64_t n_topics_ = 0;
    Axis docs_;
    Axis words_;
    Numbers totals_;
    DenseNotes notes_{};
};

}  // namespace blocklda
