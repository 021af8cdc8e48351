// The hierarchical Dirichlet process.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <tuple>
#include <vector>

#include "bindings/grid.hpp"
#include "bindings/sparse_workspace.hpp"
#include "hdp/grid.hpp"

namespace blocklda {
namespace {

// More than are ever born, and few enough to count on from.
constexpr std::int64_t kMostBorn = std::int64_t{1} << 62;

// Simulation steps, the entry at which it failed or -1, the number of topics born so far, and
// whether the slots did not suffice.
using HdpResult = std::tuple<std::int64_t, std::int64_t, std::int64_t, bool>;

// The arrays of a stick, checked, and what follows from them.
class Slots {
  public:
    // `levels` are tau_u, alpha0 and gamma; `beta` is one number for all words, or one per word.
    Slots(const Corpus& corpus, const Flat<std::int32_t>& topics, Flat<double> tau,
          Flat<std::int64_t> numbers, Flat<double> levels, const Flat<const double>& beta,
          double beta_sum, std::int64_t n_born)
        : levels_(levels) {
        const std::int64_t n = length(tau);
        require_padded(n, n, 8);
        require(n > 16, "there must be more than 16 slots");
        require(length(numbers) == n, "tau and numbers differ in length");
        require(length(levels) == 3, "levels must be the rest, alpha0 and gamma");
        require_aligned(tau, numbers, levels, beta);
        require(n_born >= 0 && n_born < kMostBorn, "n_born must be a number of topics");
        require(length(beta) == 1 || (length(beta) > 0 && length(beta) == corpus.n_words()),
                "beta must be one number, or one per word");
        require(all_positive(beta.data(), length(beta)), "beta must be positive");
        require(beta_sum > 0 && std::isfinite(beta_sum), "beta_sum must be positive and finite");
        for (int i = 0; i < 3; ++i) {
            require((i == 0 ? levels.data()[i] >= 0 : levels.data()[i] > 0) &&
                        std::isfinite(levels.data()[i]),
                    "levels must be positive and finite");
        }
        corpus.require_topics(topics, n);
        const bool are_equal = length(beta) == 1;
        alpha_.resize(static_cast<std::size_t>(n));
        beta_.assign(static_cast<std::size_t>(n), are_equal ? beta.data()[0] : 1.0);
        beta_sum_.assign(static_cast<std::size_t>(n), kNoTopicTotal);
        view = {tau.data(),       alpha_.data(),     numbers.data(), n,
                beta.data(),      are_equal ? 0 : 1, beta_sum,       levels.data()[1],
                levels.data()[2], levels.data()[0],  n_born};
        require_parts();
        for (std::int64_t k = 0; k < n; ++k) {
            alpha_[static_cast<std::size_t>(k)] = levels.data()[1] * tau.data()[k];
            if (numbers.data()[k] >= 0) beta_sum_[static_cast<std::size_t>(k)] = beta_sum;
        }
        std::int64_t any_free = 0;  // negative if a number is
        for (std::int64_t t = 0; t < corpus.n_tokens(); ++t) {
            any_free |= numbers.data()[topics.data()[t]];
        }
        require(any_free >= 0, "a token is in a free slot");
    }

    void require_parts() const {
        for (std::int64_t k = 0; k < view.n_slots; ++k) {
            const double part = view.tau[k];
            require(view.numbers[k] < 0 ? part == 0 : part > 0 && part <= 2,
                    "tau must be 0 in free slots only");
        }
    }

    AxisPriors priors() const {
        return {alpha_.data(), 0, beta_.data(), beta_sum_.data(), view.n_slots, view.n_slots};
    }

    HdpResult result_of(const Outcome& outcome) {
        levels_.data()[0] = view.rest;
        return {outcome.steps, outcome.failed_entry, view.n_born, view.is_full};
    }

    StickView view;

  private:
    Flat<double> levels_;
    std::vector<double> alpha_;
    std::vector<double> beta_;
    std::vector<double> beta_sum_;
};

HdpResult hdp_blocks(const Corpus& corpus, Flat<std::int32_t> topics, nb::capsule bit_generator,
                     SparseWorkspace& workspace, Flat<double> tau, Flat<std::int64_t> numbers,
                     Flat<double> levels, Flat<const double> beta, double beta_sum,
                     std::int64_t n_born, std::int64_t max_block, double one_by_one,
                     std::int64_t sequential_block, std::int64_t sequential_from,
                     std::int64_t moved_first, std::int64_t moved_every) {
    Slots slots(corpus, topics, tau, numbers, levels, beta, beta_sum, n_born);
    require(max_block >= 1, "max_block must be at least 1");
    require(one_by_one >= 0.0 && one_by_one <= 1.0, "one_by_one must be from 0 to 1");
    require_sequential(sequential_block, sequential_from);
    require(moved_first >= 0 && (moved_first < moved_every || moved_every == 0),
            "moved_first must be a document before the first step");
    const EveryNth moved_later{moved_first, moved_every};
    const SparseOptions options{max_block, &one_by_one, sequential_block, sequential_from};
    const Rng rng = rng_of(bit_generator);
    const KernelTable* kernels = active_kernels();
    const auto in_use = workspace.reserve();
    Outcome outcome;
    {
        nb::gil_scoped_release unlocked;
        workspace.borrow(kernels, corpus, slots.view.n_slots, topics.data());
        outcome = kernels->hdp_blocks(corpus.rows(), slots.priors(), options, moved_later, rng,
                                      workspace.tables(), slots.view, topics.data());
        if (outcome.failed_entry < 0) {
            workspace.give_back(corpus, topics.data());
            workspace.has_noted_rows_but(moved_later);
        }
    }
    return slots.result_of(outcome);
}

// The tokens of each cell by slot; colours of slots; masses of groups of words, and the sums of
// beta over them; the cells' rests and their gamma; and what draws the colours, masses and rests of
// a step.
using Colours = std::tuple<Table<std::int32_t>, Flat<std::int32_t>, Table<double>,
                           Flat<const double>, Flat<double>, double, nb::callable>;

// What is told of colours, checked; what is drawn is checked whenever it has been drawn.
class ColoursOfCells {
  public:
    ColoursOfCells(Colours colours, std::int64_t n_groups, const Slots& slots)
        : colours_(std::move(colours)), n_groups_(n_groups), slots_(slots) {
        const auto& [cells, of_slots, masses, beta_sum, rests, gamma, draw] = colours_;
        require(cells.is_valid() && of_slots.is_valid() && masses.is_valid() &&
                    beta_sum.is_valid() && rests.is_valid(),
                "the colours have no array where there is None");
        require_aligned(cells, of_slots, masses, beta_sum, rests);
        const std::int64_t n_slots = slots.view.n_slots;
        require(length(cells) == n_groups * n_groups && length(cells, 1) == n_slots,
                "every cell needs a row of slots");
        require(length(masses) == n_groups && length(masses, 1) == n_slots,
                "groups of words need a row of slots each");
        require(length(of_slots) == n_slots, "every slot needs a colour");
        require(length(beta_sum) == n_groups && length(rests) == n_groups,
                "every cell of a step needs a sum of beta and a rest");
        require(gamma > 0.0 && std::isfinite(gamma), "gamma must be positive and finite");
        require(all_numbers(beta_sum.data(), n_groups), "sums of beta must be numbers from 0 on");
    }

    ColoursView view() const {
        return {std::get<0>(colours_).data(), std::get<1>(colours_).data(),
                std::get<2>(colours_).data(), std::get<3>(colours_).data(),
                std::get<4>(colours_).data(), std::get<5>(colours_)};
    }

    // Called without Python's lock.
    void draw() const {
        const nb::gil_scoped_acquire locked;
        std::get<6>(colours_)();
        const ColoursView drawn = view();
        const std::int64_t n_slots = slots_.view.n_slots;
        slots_.require_parts();
        require(all_numbers(drawn.masses, n_groups_ * n_slots), "masses must be numbers from 0 on");
        require(all_numbers(drawn.rests, n_groups_), "rests must be numbers from 0 on");
        for (std::int64_t k = 0; k < n_slots; ++k) {
            require(drawn.colours[k] >= kShared && drawn.colours[k] < n_groups_,
                    "colours must be numbers of cells, or -1 for shared topics");
            require(drawn.colours[k] != kShared || slots_.view.numbers[k] >= 0,
                    "a free slot must have the colour of a cell");
        }
    }

  private:
    static bool all_numbers(const double* numbers, std::int64_t n) {
        bool are_numbers = true;
        for (std::int64_t i = 0; i < n; ++i) {
            are_numbers &= numbers[i] >= 0.0 && std::isfinite(numbers[i]);
        }
        return are_numbers;
    }

    Colours colours_;
    std::int64_t n_groups_;
    const Slots& slots_;
};

HdpResult hdp_grid(const Corpus& corpus, Flat<std::int32_t> topics,
                   std::vector<nb::capsule> streams, SparseWorkspace& workspace, Flat<double> tau,
                   Flat<std::int64_t> numbers, Flat<double> levels, Flat<const double> beta,
                   double beta_sum, std::int64_t n_born, Flat<const std::int64_t> row_groups,
                   Flat<const std::int64_t> minor_groups, Colours colours, std::int64_t max_block,
                   double one_by_one, std::int64_t n_threads) {
    Slots slots(corpus, topics, tau, numbers, levels, beta, beta_sum, n_born);
    const std::int64_t n_groups =
        checked_groups(corpus, row_groups, minor_groups, max_block, one_by_one, n_threads);
    const std::vector<Rng> rngs = checked_streams(streams, n_groups * n_groups);
    const ColoursOfCells cells(colours, n_groups, slots);
    const SparseOptions options{max_block, &one_by_one};
    const GridView grid{row_groups.data(), minor_groups.data(), n_groups, corpus.row_tokens()};
    const AxisPriors priors = slots.priors();
    const KernelTable* kernels = active_kernels();
    const auto in_use = workspace.reserve();
    Outcome outcome;
    {
        nb::gil_scoped_release unlocked;
        workspace.borrow(kernels, corpus, slots.view.n_slots, topics.data());
        const GridSweep sweep{*kernels, corpus.rows(),      priors,    options,      grid,
                              rngs,     workspace.tables(), n_threads, topics.data()};
        outcome = sweep_with_colours(sweep, slots.view, cells.view(), [&cells] { cells.draw(); });
        if (outcome.failed_entry < 0) workspace.give_back(corpus, topics.data());
    }
    return slots.result_of(outcome);
}

HdpResult hdp_tables(const Corpus& corpus, Flat<std::int32_t> topics, nb::capsule bit_generator,
                     SparseWorkspace& workspace, Flat<double> tau, Flat<std::int64_t> numbers,
                     Flat<double> levels, Flat<const double> beta, double beta_sum,
                     std::int64_t n_born, std::int64_t first, std::int64_t every) {
    Slots slots(corpus, topics, tau, numbers, levels, beta, beta_sum, n_born);
    require(first >= 0 && first < every, "first must be a document before the first step");
    const EveryNth docs{first, every};
    const Rng rng = rng_of(bit_generator);
    const KernelTable* kernels = active_kernels();
    const auto in_use = workspace.reserve();
    Outcome outcome;
    {
        nb::gil_scoped_release unlocked;
        const bool are_others_noted = workspace.are_rows_noted_but(docs);
        const bool are_kept = workspace.borrow(kernels, corpus, slots.view.n_slots, topics.data());
        const bool notes_cells = are_others_noted && are_kept;
        outcome = kernels->hdp_tables(corpus.rows(), docs, notes_cells, rng, workspace.tables(),
                                      slots.view, topics.data());
        if (outcome.failed_entry < 0) {
            workspace.give_back(corpus, topics.data());
            if (notes_cells) workspace.has_noted_rows();
        }
    }
    return slots.result_of(outcome);
}

}  // namespace

void bind_hdp(nb::module_& m) {
    using namespace nb::literals;
    m.def("hdp_blocks", &hdp_blocks, "corpus"_a, "topics"_a.noconvert(), "bit_generator"_a,
          "workspace"_a, "tau"_a.noconvert(), "numbers"_a.noconvert(), "levels"_a.noconvert(),
          "beta"_a.noconvert(), "beta_sum"_a, "n_born"_a, "max_block"_a, "one_by_one"_a,
          "sequential_block"_a, "sequential_from"_a, "moved_first"_a, "moved_every"_a);
    m.def("hdp_grid", &hdp_grid, "corpus"_a, "topics"_a.noconvert(), "streams"_a, "workspace"_a,
          "tau"_a.noconvert(), "numbers"_a.noconvert(), "levels"_a.noconvert(),
          "beta"_a.noconvert(), "beta_sum"_a, "n_born"_a, "row_groups"_a.noconvert(),
          "minor_groups"_a.noconvert(), "colours"_a.noconvert(), "max_block"_a, "one_by_one"_a,
          "n_threads"_a);
    m.def("hdp_tables", &hdp_tables, "corpus"_a, "topics"_a.noconvert(), "bit_generator"_a,
          "workspace"_a, "tau"_a.noconvert(), "numbers"_a.noconvert(), "levels"_a.noconvert(),
          "beta"_a.noconvert(), "beta_sum"_a, "n_born"_a, "first"_a, "every"_a);
}

}  // namespace blocklda
