// One sweep over a grid of cells: exact given the masses of groups of words, or with stale totals.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "grid.hpp"
#include "sparse_border.hpp"

namespace blocklda {
namespace {

void require_groups(const Flat<const std::int64_t>& groups, std::int64_t n_groups, std::int64_t n) {
    require_aligned(groups);
    require(static_cast<std::int64_t>(groups.shape(0)) == n_groups + 1,
            "both axes need the same number of groups");
    require(groups.data()[0] == 0 && groups.data()[n_groups] == n,
            "groups must run from 0 to the end of their axis");
    for (std::int64_t g = 0; g < n_groups; ++g) {
        require(groups.data()[g] <= groups.data()[g + 1], "groups must not fall");
    }
}

// A cell finds its part of a row by bisection; two cells that met in an entry would both write to
// it.
void require_order(const MajorView& corpus) {
    bool is_ordered = true;
    for (std::int64_t row = 0; row < corpus.n_rows; ++row) {
        for (std::int64_t e = corpus.offsets[row] + 1; e < corpus.offsets[row + 1]; ++e) {
            is_ordered &= corpus.minor_ids[e - 1] <= corpus.minor_ids[e];
        }
    }
    require(is_ordered, "the entries of a row must be in the order of the other axis");
}

std::vector<std::int64_t> tokens_before(const MajorView& corpus) {
    std::vector<std::int64_t> tokens(static_cast<std::size_t>(corpus.n_rows) + 1, 0);
    for (std::int64_t row = 0; row < corpus.n_rows; ++row) {
        std::int64_t n_tokens = tokens[static_cast<std::size_t>(row)];
        for (std::int64_t e = corpus.offsets[row]; e < corpus.offsets[row + 1]; ++e) {
            n_tokens += corpus.counts[e];
        }
        tokens[static_cast<std::size_t>(row) + 1] = n_tokens;
    }
    return tokens;
}

// One stream for every cell; a stream that two cells shared would be drawn from in two threads.
std::vector<Rng> checked_streams(const std::vector<nb::capsule>& streams, std::int64_t n_groups) {
    require(static_cast<std::int64_t>(streams.size()) == n_groups * n_groups,
            "every cell needs a stream");
    std::vector<Rng> rngs;
    std::vector<void*> states;
    for (const nb::capsule& stream : streams) {
        rngs.push_back(rng_of(stream));
        states.push_back(rngs.back().state);
    }
    std::sort(states.begin(), states.end());
    require(std::adjacent_find(states.begin(), states.end()) == states.end(),
            "no two cells may share a stream");
    return rngs;
}

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
Result sweep_grid(Flat<const std::int64_t> doc_offsets, Flat<const std::int32_t> word_ids,
                  Flat<const std::int32_t> counts, std::int64_t n_words, Flat<const double> alpha,
                  Table<const double> beta, Flat<const double> beta_sum, std::int64_t n_topics,
                  Flat<std::int32_t> topics, std::vector<nb::capsule> streams,
                  SparseWorkspace& workspace, std::optional<ByWord> by_word,
                  Flat<const std::int64_t> row_groups, Flat<const std::int64_t> minor_groups,
                  std::optional<Groups> word_groups, std::int64_t max_block, double one_by_one,
                  std::int64_t n_threads) {
    const CorpusView corpus =
        checked_corpus(doc_offsets, word_ids, counts, n_words, topics, n_topics);
    const PriorsView priors = checked_priors(alpha, beta, beta_sum, n_topics, n_words);
    require(max_block >= 1, "max_block must be at least 1");
    require(one_by_one >= 0.0 && one_by_one <= 1.0, "one_by_one must be from 0 to 1");
    require(n_threads >= 1, "n_threads must be at least 1");
    const Axis axis = checked_axis(corpus, priors, by_word);
    const auto n_groups = static_cast<std::int64_t>(row_groups.shape(0)) - 1;
    require(n_groups >= 1 && n_groups < kLimit, "there must be at least one group");
    require_groups(row_groups, n_groups, axis.corpus.n_rows);
    require_groups(minor_groups, n_groups, axis.corpus.n_minor);
    require_order(axis.corpus);
    const std::vector<Rng> rngs = checked_streams(streams, n_groups);
    std::optional<GroupsOfWords> words;
    if (word_groups) words.emplace(*word_groups, n_groups, priors.padded, n_topics);
    const auto n_tokens = static_cast<std::int64_t>(topics.shape(0));
    const SparseOptions options{max_block, &one_by_one};
    const KernelTable* kernels = active_kernels();
    const auto in_use = workspace.reserve();
    nb::gil_scoped_release unlocked;
    std::vector<std::int64_t> row_tokens;
    if (axis.corpus.starts == nullptr) row_tokens = tokens_before(axis.corpus);
    const GridView grid{row_groups.data(), minor_groups.data(), n_groups, row_tokens.data()};
    workspace.borrow(kernels, corpus, axis.corpus, n_topics, topics.data(), n_tokens);
    const GridSweep sweep{*kernels, axis.corpus,        axis.priors, options,      grid,
                          rngs,     workspace.tables(), n_threads,   topics.data()};
    const Outcome outcome = words ? sweep_given_masses(sweep, words->view(by_word.has_value()),
                                                       [&words] { words->draw_masses(); })
                                  : sweep_with_stale_totals(sweep);
    if (outcome.failed_entry < 0) workspace.give_back(topics.data(), n_tokens);
    return result_of(outcome);
}

}  // namespace

void bind_grid(nb::module_& m) {
    using namespace nb::literals;
    m.def("sweep_grid", &sweep_grid, "doc_offsets"_a.noconvert(), "word_ids"_a.noconvert(),
          "counts"_a.noconvert(), "n_words"_a, "alpha"_a.noconvert(), "beta"_a.noconvert(),
          "beta_sum"_a.noconvert(), "n_topics"_a, "topics"_a.noconvert(), "streams"_a,
          "workspace"_a, "by_word"_a.noconvert().none(), "row_groups"_a.noconvert(),
          "minor_groups"_a.noconvert(), "word_groups"_a.noconvert().none(), "max_block"_a,
          "one_by_one"_a, "n_threads"_a);
}

}  // namespace blocklda
