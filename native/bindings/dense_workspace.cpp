#include "bindings/dense_workspace.hpp"

#include <utility>

#include "bindings/numbers.hpp"
#include "counts/noted_cells.hpp"

namespace blocklda {

const DenseCounts& DenseWorkspace::borrow(const Corpus& corpus, std::int64_t n_topics,
                                          std::int64_t padded, const std::int32_t* topics) {
    const bool is_same = made_for_.is(corpus, n_topics, topics);
    made_for_.forget();
    is_noted_ = false;
    if (!is_same) counts_ = table_.count(corpus.view(), topics, padded);
    return counts_;
}

DenseNotes* DenseWorkspace::start_notes(std::int64_t n_topics, std::int64_t padded,
                                        std::int64_t n_tokens) {
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

nb::object DenseWorkspace::noted_cells() {
    const auto in_use = reserve();
    if (!is_noted_) return nb::none();
    const auto view = [](const CellNotes& notes) -> CellsView {
        return {notes.small, notes.large, notes.n_large};
    };
    return handed_cells({{occupancy_of(view(notes_.docs), n_topics_),
                          occupancy_of(view(notes_.words), 1),
                          {totals_.begin(), totals_.end()}},
                         histograms_of(view(notes_.docs), n_topics_)});
}

}  // namespace blocklda
