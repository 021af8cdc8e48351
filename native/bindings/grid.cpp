// One sweep over a grid of cells: exact given the masses of groups of words, or with stale totals.
#include "sparse/grid.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <vector>

#include "bindings/grid.hpp"
#include "bindings/sparse_workspace.hpp"

namespace blocklda {
namespace {

// For each group of words, in rows of topics: the sum of beta over its words, and room for its
// tokens by topic and for its masses; and what draws the masses from the tokens.
using Groups = std::tuple<Table<const double>, Table<std::int32_t>, Table<double>, nb::callable>;

// What is told of groups of words, checked; the masses are checked whenever they are drawn.
class GroupsOfWords {
  public:
    GroupsOfWords(Groups groups, std::int64_t n_groups, std::int64_t padded, std::int64_t n_topics)
        : groups_(std::move(groups)), padded_(padded), n_topics_(n_topics) {
        const auto& [beta_sum, totals, masses, draw] = groups_;
        require(beta_sum.is_valid() && totals.is_valid() && masses.is_valid(),
                "the groups of words have no array where there is None");
        require_aligned(beta_sum, totals, masses);
        const auto fits = [&](const auto& table) {
            return static_cast<std::int64_t>(table.shape(0)) == n_groups &&
                   static_cast<std::int64_t>(table.shape(1)) == padded;
        };
        require(fits(beta_sum) && fits(totals) && fits(masses),
                "groups of words need a row of topics each");
        require(all_numbers(beta_sum.data()), "sums of beta must be numbers from 0 on");
    }

    WordGroups view(bool are_rows) const {
        return {are_rows, std::get<0>(groups_).data(), std::get<1>(groups_).data(),
                std::get<2>(groups_).data()};
    }

    // Called without Python's lock.
    void draw_masses() const {
        const nb::gil_scoped_acquire locked;
        std::get<3>(groups_)();
        require(all_numbers(std::get<2>(groups_).data()), "masses must be numbers from 0 on");
    }

  private:
    bool all_numbers(const double* rows) const {
        bool are_numbers = true;
        const auto n_groups = static_cast<std::int64_t>(std::get<0>(groups_).shape(0));
        for (std::int64_t g = 0; g < n_groups; ++g) {
            for (std::int64_t k = 0; k < n_topics_; ++k) {
                are_numbers &= rows[g * padded_ + k] >= 0.0 && rows[g * padded_ + k] < kInfinity;
            }
        }
        return are_numbers;
    }

    static constexpr double kInfinity = std::numeric_limits<double>::infinity();

    Groups groups_;
    std::int64_t padded_;
    std::int64_t n_topics_;
};

// Without groups of words: with stale totals.
Result sweep_grid(const Rows& rows, const Priors& priors, Flat<std::int32_t> topics,
                  std::vector<nb::capsule> streams, SparseWorkspace& workspace,
                  Flat<const std::int64_t> row_groups, Flat<const std::int64_t> minor_groups,
                  std::optional<Groups> word_groups, std::int64_t max_block, double one_by_one,
                  std::int64_t sequential_block, std::int64_t sequential_from,
                  std::int64_t n_threads) {
    const std::int64_t n_topics = priors.n_topics();
    rows.require_topics(topics, n_topics);
    const AxisPriors view = axis_priors(rows, priors);
    const std::int64_t n_groups =
        checked_groups(rows, row_groups, minor_groups, max_block, one_by_one, n_threads);
    require_sequential(sequential_block, sequential_from);
    const std::vector<Rng> rngs = checked_streams(streams, n_groups * n_groups);
    std::optional<GroupsOfWords> words;
    if (word_groups) words.emplace(*word_groups, n_groups, priors.padded(), n_topics);
    const SparseOptions options{max_block, &one_by_one, sequential_block, sequential_from};
    const KernelTable* kernels = active_kernels();
    const auto in_use = workspace.reserve();
    nb::gil_scoped_release unlocked;
    const GridView grid{row_groups.data(), minor_groups.data(), n_groups, rows.row_tokens()};
    workspace.borrow(kernels, rows, n_topics, topics.data());
    const GridSweep sweep{*kernels, rows.rows(),        view,      options,      grid,
                          rngs,     workspace.tables(), n_threads, topics.data()};
    const Outcome outcome = words ? sweep_given_masses(sweep, words->view(rows.are_words()),
                                                       [&words] { words->draw_masses(); })
                                  : sweep_with_stale_totals(sweep);
    if (outcome.failed_entry < 0) workspace.give_back(rows, topics.data());
    return result_of(outcome);
}

}  // namespace

void bind_grid(nb::module_& m) {
    using namespace nb::literals;
    m.def("sweep_grid", &sweep_grid, "rows"_a, "priors"_a, "topics"_a.noconvert(), "streams"_a,
          "workspace"_a, "row_groups"_a.noconvert(), "minor_groups"_a.noconvert(),
          "word_groups"_a.noconvert().none(), "max_block"_a, "one_by_one"_a, "sequential_block"_a,
          "sequential_from"_a, "n_threads"_a);
}

}  // namespace blocklda
