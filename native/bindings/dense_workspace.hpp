// What `single-site` keeps between its sweeps: counts, and what the last sweep noted of them.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <mutex>
#include <vector>

#include "bindings/border.hpp"
#include "bindings/corpus.hpp"
#include "bindings/made_for.hpp"
#include "counts/dense_counts.hpp"
#include "shared/views.hpp"

namespace blocklda {

class DenseWorkspace {
  public:
    // For the length of a call; the tables of one state serve one thread at a time.
    std::unique_lock<std::mutex> reserve() {
        std::unique_lock<std::mutex> in_use(in_use_, std::try_to_lock);
        require(in_use.owns_lock(), "the workspace is in use in another thread");
        return in_use;
    }

    // The counts of these topics: those that were given back, or counted. Until they are given back
    // they belong to nothing, and so do notes.
    const DenseCounts& borrow(const Corpus& corpus, std::int64_t n_topics, std::int64_t padded,
                              const std::int32_t* topics);
    void give_back(const Corpus& corpus, std::int64_t n_topics, const std::int32_t* topics) {
        made_for_.set(corpus, n_topics, topics);
    }

    // Room for the notes of one call. They tell the cells of the topics that this call left;
    // whoever changes topics has to drop them.
    DenseNotes* start_notes(std::int64_t n_topics, std::int64_t padded, std::int64_t n_tokens);
    void has_noted() { is_noted_ = true; }

    // What `count_cells` would count, or None unless the last call ended and noted cells.
    nb::object noted_cells();

  private:
    using Numbers = std::vector<std::int32_t>;
    struct Axis {
        Numbers small;
        Numbers large;
    };

    std::mutex in_use_;
    MadeFor made_for_;
    DenseTable table_;
    DenseCounts counts_{};
    bool is_noted_ = false;
    std::int64_t n_topics_ = 0;
    Axis docs_;
    Axis words_;
    Numbers totals_;
    DenseNotes notes_{};
};

}  // namespace blocklda
