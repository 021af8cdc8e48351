// The notes of a sweep, and the counts that Python gets of them.
#include "bindings/noted_sweep.hpp"

#include <utility>

#include "bindings/numbers.hpp"
#include "counts/noted_cells.hpp"

namespace blocklda {

DenseNotes* NotedSweep::start(std::int64_t n_topics, std::int64_t padded, std::int64_t n_tokens) {
    is_complete_ = false;
    n_topics_ = n_topics;
    const auto emptied = [&](Axis& axis, std::int64_t n_noted) -> CellNotes {
        axis.small.assign(static_cast<std::size_t>(n_noted * kSmallCell), 0);
        axis.large.resize(static_cast<std::size_t>(2 * (n_tokens / kSmallCell)));
        return {axis.small.data(), axis.large.data(), 0};
    };
    totals_.resize(static_cast<std::size_t>(n_topics));
    // Words' cells are noted as if they were all of topic 0.
    notes_ = {emptied(docs_, padded), emptied(words_, 1), totals_.data()};
    return &notes_;
}

nb::object NotedSweep::cells() {
    const auto in_use = reserve();
    if (!is_complete_) return nb::none();
    const auto view = [](const CellNotes& notes) -> CellsView {
        return {notes.small, notes.large, notes.n_large};
    };
    return handed_cells({{occupancy_of(view(notes_.docs), n_topics_),
                          occupancy_of(view(notes_.words), 1),
                          {totals_.begin(), totals_.end()}},
                         histograms_of(view(notes_.docs), n_topics_)});
}

}  // namespace blocklda
