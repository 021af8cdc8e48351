// One sweep over a grid of cells on dense counts, given the masses of groups of words.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "bindings/border.hpp"
#include "bindings/corpus.hpp"
#include "bindings/grid.hpp"
#include "bindings/made_for.hpp"
#include "bindings/priors.hpp"
#include "bindings/token.hpp"
#include "dense/grid.hpp"

namespace blocklda {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Tables of one state, which are used again only for the same corpus, grid and assignments.
class DenseGridWorkspace {
  public:
    DenseGridWorkspace() = default;
    DenseGridWorkspace(const DenseGridWorkspace&) = delete;
    DenseGridWorkspace& operator=(const DenseGridWorkspace&) = delete;

    // For the length of a call; the tables of one state serve one thread at a time.
    std::unique_lock<std::mutex> reserve() {
        std::unique_lock<std::mutex> in_use(in_use_, std::try_to_lock);
        require(in_use.owns_lock(), "the workspace is in use in another thread");
        return in_use;
    }

    // Tables that belong to nothing until they are given back.
    DenseTables& borrow(const Corpus& corpus, const DenseGrid& grid, const PriorsView& priors,
                        bool keeps_docs, const std::int32_t* topics) {
        const std::int64_t n = grid.n_groups + 1;
        std::vector<std::int64_t> groups(grid.doc_groups, grid.doc_groups + n);
        groups.insert(groups.end(), grid.word_groups, grid.word_groups + n);
        const bool is_same = groups == groups_ && keeps_docs == keeps_docs_ &&
                             made_for_.is(corpus, priors.n_topics, topics);
        made_for_.forget();
        if (!is_same) {
            tables_.reset();
            tables_.emplace(corpus.view(), grid, priors.padded, keeps_docs, topics);
            groups_ = std::move(groups);
            keeps_docs_ = keeps_docs;
        }
        return *tables_;
    }
    void give_back(const Corpus& corpus, std::int64_t n_topics, const std::int32_t* topics) {
        made_for_.set(corpus, n_topics, topics);
    }

  private:
    std::mutex in_use_;
    MadeFor made_for_;
    std::optional<DenseTables> tables_;
    std::vector<std::int64_t> groups_;
    bool keeps_docs_ = false;
};

// For each group of words, in rows of topics: the sum of beta over its words, room for its tokens
// by topic and for its masses; and what draws the masses from the tokens.
using Groups = std::tuple<Table<const double>, Table<std::int32_t>, Table<double>, nb::callable>;

void require_rows(const Table<const double>& rows, std::int64_t n_topics, const char* message) {
    bool are_right = true;
    for (std::int64_t g = 0; g < length(rows); ++g) {
        for (std::int64_t k = 0; k < n_topics; ++k) {
            const double number = rows.data()[g * length(rows, 1) + k];
            are_right &= number >= 0.0 && number < kInfinity;
        }
    }
    require(are_right, message);
}

Result sweep_dense_grid(const Corpus& corpus, const Priors& priors, Flat<std::int32_t> topics,
                        std::vector<nb::capsule> streams, DenseGridWorkspace& workspace,
                        Flat<const std::int64_t> doc_groups, Flat<const std::int64_t> word_groups,
                        Table<const double> beta_sum, Table<std::int32_t> totals,
                        Table<const double> masses, nb::callable draw_masses, bool keeps_docs,
                        bool shuffles, std::int64_t n_threads) {
    corpus.require_topics(topics, priors.n_topics());
    const PriorsView view = priors.view_of(corpus);
    require(n_threads >= 1, "n_threads must be at least 1");
    const std::int64_t n_groups =
        checked_groups(corpus, doc_groups, word_groups, 1, 0.0, n_threads);
    const std::vector<Rng> rngs = checked_streams(streams, n_groups);
    require_aligned(beta_sum, totals, masses);
    const auto fits = [&](const auto& table) {
        return length(table) == n_groups && length(table, 1) == view.padded;
    };
    require(fits(beta_sum) && fits(totals) && fits(masses),
            "groups of words need a row of topics each");
    require_rows(beta_sum, view.n_topics, "sums of beta must be numbers from 0 on");
    const KernelTable* kernels = active_kernels();
    const auto in_use = workspace.reserve();
    const DenseGrid grid{doc_groups.data(), word_groups.data(), n_groups, corpus.row_tokens()};
    DenseTables* tables = nullptr;
    {
        nb::gil_scoped_release unlocked;
        tables = &workspace.borrow(corpus, grid, view, keeps_docs, topics.data());
        for (std::int64_t g = 0; g < n_groups; ++g) {
            std::copy_n(tables->totals(g), view.padded, totals.data() + g * view.padded);
        }
    }
    draw_masses();
    require_rows(masses, view.n_topics, "masses must be numbers from 0 on");
    nb::gil_scoped_release unlocked;
    const CorpusView rows = corpus.view();
    const Outcome outcome =
        sweep_dense({*kernels, rows, view, grid, rngs, beta_sum.data(), masses.data(), *tables,
                     shuffles, n_threads, topics.data()});
    if (outcome.failed_entry < 0) workspace.give_back(corpus, view.n_topics, topics.data());
    return result_of(outcome);
}

// One token of a word that all others share the prior of, in a group with these masses.
std::pair<std::int32_t, std::int32_t> draw_token_of_group(
    const Priors& priors, Flat<std::int32_t> n_d, Flat<std::int32_t> n_v, Flat<std::int32_t> n_k,
    Flat<const double> masses, std::int32_t old, double u, double bound_share) {
    const std::int64_t n = priors.n_topics();
    const TokenView token = checked_token(n, n_d, n_v, n_k, old, u, bound_share);
    require_aligned(masses);
    require(length(masses) == n, "there must be one mass per topic");
    bool are_numbers = true;
    for (std::int64_t k = 0; k < n; ++k) {
        are_numbers &= masses.data()[k] >= 0.0 && masses.data()[k] < kInfinity;
    }
    require(are_numbers, "masses must be numbers from 0 on");
    const TokenTopics topics = active_kernels()->draw_token_of_group(
        priors.view_of_one_word(), token, masses.data(), u, bound_share);
    return {topics.certified, topics.defined};
}

}  // namespace

void bind_dense_grid(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<DenseGridWorkspace>(m, "DenseGridWorkspace",
                                   "Tables that a sampler on a grid keeps between its sweeps.")
        .def(nb::init<>());
    m.def("sweep_dense_grid", &sweep_dense_grid, "corpus"_a, "priors"_a, "topics"_a.noconvert(),
          "streams"_a, "workspace"_a, "doc_groups"_a.noconvert(), "word_groups"_a.noconvert(),
          "group_beta_sum"_a.noconvert(), "totals"_a.noconvert(), "masses"_a.noconvert(),
          "draw_masses"_a, "keeps_docs"_a, "shuffles"_a, "n_threads"_a);
    m.def("draw_token_of_group", &draw_token_of_group, "priors"_a, "n_d"_a.noconvert(),
          "n_v"_a.noconvert(), "n_k"_a.noconvert(), "masses"_a.noconvert(), "old"_a, "u"_a,
          "bound_share"_a);
}

}  // namespace blocklda
