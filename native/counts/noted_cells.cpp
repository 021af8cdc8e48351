// Whole numbers only, so one build serves every instruction set.
#include "counts/noted_cells.hpp"

namespace blocklda {
namespace {

using Numbers = std::vector<std::int64_t>;

void add(Numbers& cells, std::int64_t n, std::int64_t n_cells) {
    const auto size = static_cast<std::size_t>(n);
    if (size >= cells.size()) cells.resize(size + 1);
    cells[size] += n_cells;
}

// Calls `use` with the topic, the tokens of a cell and how many cells are like that.
template <class Use>
void for_each(const CellsView& cells, std::int64_t n_topics, Use use) {
    for (std::int64_t k = 0; k < n_topics; ++k) {
        const std::int32_t* const small = cells.small + k * kSmallCell;
        for (std::int64_t n = 1; n < kSmallCell; ++n) {
            if (small[n] != 0) use(k, n, std::int64_t{small[n]});
        }
    }
    for (std::int64_t i = 0; i < cells.n_large; ++i) {
        use(std::int64_t{cells.large[2 * i]}, std::int64_t{cells.large[2 * i + 1]},
            std::int64_t{1});
    }
}

}  // namespace

Numbers occupancy_of(const CellsView& cells, std::int64_t n_topics) {
    Numbers result(1);
    for_each(cells, n_topics,
             [&](std::int64_t, std::int64_t n, std::int64_t n_cells) { add(result, n, n_cells); });
    return result;
}

TopicHistograms histograms_of(const CellsView& cells, std::int64_t n_topics) {
    std::vector<Numbers> exactly(static_cast<std::size_t>(n_topics));
    for_each(cells, n_topics, [&](std::int64_t k, std::int64_t n, std::int64_t n_cells) {
        add(exactly[static_cast<std::size_t>(k)], n, n_cells);
    });
    return histograms_of(exactly);
}

}  // namespace blocklda
