// Word blocks of a hierarchical Dirichlet process over a grid of cells, several of them at the same
// time, with births. No Python, and the same code for every instruction set.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sparse/grid.hpp"

namespace blocklda {

// The colour of a topic that all cells of a step may use. Any other is the number of the only cell
// that may: for its blocks, or for its births if the slot is free.
inline constexpr std::int32_t kShared = -1;

// A slot that no topic has, or none that the cell may use, divides by this, as padding does.
inline constexpr double kNoTopicTotal = 1e300;

// What the cells of a step may use, in rows of slots; drawn anew before each step.
struct ColoursView {
    std::int32_t* cells;          // the tokens of cell (i, j), in row i G + j
    const std::int32_t* colours;  // of each slot
    const double* masses;         // of shared topics, in the row of each group of words
    const double* beta_sum;       // over the words of each group
    double* rests;                // what each cell has of the stick, and then what it has left
    double gamma;                 // of each of these
};

// The slots as one cell sees them. A topic of its own colour is whole, with all its words; of a
// shared one it sees its group of words; all others weigh nothing.
class CellSlots {
  public:
    CellSlots() = default;
    // Not to be copied: the view is of its own arrays, which a move takes along.
    CellSlots(CellSlots&&) = default;
    CellSlots& operator=(CellSlots&&) = default;

    // `by_group` are the tokens of each group of words, in rows of slots.
    CellSlots(const StickView& stick, const ColoursView& colours, const std::int32_t* by_group,
              std::int64_t n_groups, std::int64_t cell, std::int64_t group)
        : cell_(cell),
          group_(group),
          n_born_before_(stick.n_born),
          tau_(stick.tau, stick.tau + stick.n_slots),
          alpha_(tau_.size()),
          beta_sum_(tau_.size(), kNoTopicTotal),
          masses_(tau_.size()),
          numbers_(tau_.size()),
          totals_(tau_.size()) {
        for (std::size_t k = 0; k < tau_.size(); ++k) {
            alpha_[k] = stick.alpha0 * tau_[k];
            if (colours.colours[k] == kShared) {
                const std::size_t at = static_cast<std::size_t>(group) * tau_.size() + k;
                beta_sum_[k] = colours.beta_sum[group];
                masses_[k] = colours.masses[at];
                totals_[k] = by_group[at];
            } else if (colours.colours[k] == cell) {
                numbers_[k] = stick.numbers[k];
                if (numbers_[k] >= 0) beta_sum_[k] = stick.beta_sum;
                masses_[k] = 1.0;
                for (std::int64_t g = 0; g < n_groups; ++g) {
                    totals_[k] += by_group[static_cast<std::size_t>(g) * tau_.size() + k];
                }
            }
        }
        before_ = totals_;
        view = stick;
        view.tau = tau_.data();
        view.alpha = alpha_.data();
        view.numbers = numbers_.data();
        view.gamma = colours.gamma;
        view.rest = colours.rests[cell];
    }

    AxisPriors priors(const AxisPriors& all) const {
        AxisPriors own = all;
        own.own = alpha_.data();
        own.beta_sum = beta_sum_.data();
        own.masses = masses_.data();
        return own;
    }

    std::int32_t* totals() { return totals_.data(); }

    // Take over what the cell has left; its births follow those of the cells before it.
    void give_back(StickView& stick, const ColoursView& colours, std::int64_t n_groups) const {
        const std::int64_t n_earlier = stick.n_born - n_born_before_;
        std::int32_t* cell =
            colours.cells + (cell_ * n_groups + group_) * static_cast<std::int64_t>(tau_.size());
        for (std::size_t k = 0; k < tau_.size(); ++k) {
            cell[k] += totals_[k] - before_[k];
            if (colours.colours[k] != cell_ || stick.numbers[k] >= 0 || numbers_[k] < 0) continue;
            stick.tau[k] = tau_[k];
            stick.alpha[k] = alpha_[k];
            stick.numbers[k] = numbers_[k] + n_earlier;
        }
        stick.n_born += view.n_born - n_born_before_;
        colours.rests[cell_] = view.rest;
    }

    StickView view{};

  private:
    std::int64_t cell_ = 0;
    std::int64_t group_ = 0;
    std::int64_t n_born_before_ = 0;
    std::vector<double> tau_;
    std::vector<double> alpha_;
    std::vector<double> beta_sum_;
    std::vector<double> masses_;
    std::vector<std::int64_t> numbers_;  // 0 in slots that are not of the cell's colour
    std::vector<std::int32_t> totals_;
    std::vector<std::int32_t> before_;
};

// Documents are the rows. `draw` is called before each step, and draws what its cells may use: it
// may change parts and numbers of the stick too, but gives no slot to a topic. What is left of the
// stick at the end is the sum of what the cells have left.
template <class Draw>
Outcome sweep_with_colours(const GridSweep& to, StickView& stick, const ColoursView& colours,
                           Draw draw) {
    const std::int64_t n = to.grid.n_groups;
    count_cells(to, WordGroups{false, nullptr, nullptr, nullptr}, colours.cells);
    std::vector<CellSlots> slots(static_cast<std::size_t>(n));
    std::vector<std::int32_t> by_group(static_cast<std::size_t>(n * stick.n_slots));
    const Outcome outcome = sweep_steps(
        to.grid, to.n_threads,
        [&] {
            draw();
            sum_cells(colours.cells, n, stick.n_slots, by_group.data());
        },
        [&](std::int64_t i, std::int64_t j, const CellView& cell) {
            CellSlots& own = slots[static_cast<std::size_t>(i)];
            own = CellSlots(stick, colours, by_group.data(), n, i, j);
            return to.kernels.hdp_cell(to.corpus, own.priors(to.priors), cell, to.options,
                                       to.rng(i, j), to.tables, own.view, own.totals(), to.topics);
        },
        [&] {
            for (const CellSlots& own : slots) own.give_back(stick, colours, n);
        });
    stick.rest = 0.0;
    for (std::int64_t i = 0; i < n; ++i) stick.rest += colours.rests[i];
    for (const CellSlots& own : slots) stick.is_full |= own.view.is_full;
    std::int32_t* kept = to.kernels.sparse_totals(to.tables);
    sum_cells(colours.cells, n, stick.n_slots, by_group.data());
    for (std::int64_t k = 0; k < stick.n_slots; ++k) {
        kept[k] = 0;
        for (std::int64_t g = 0; g < n; ++g) kept[k] += by_group[g * stick.n_slots + k];
    }
    return outcome;
}

}  // namespace blocklda
