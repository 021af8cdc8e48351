// The hierarchical Dirichlet process.
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <tuple>
#include <vector>

#include "bindings/sparse_workspace.hpp"

namespace blocklda {
namespace {

// A slot that no topic has divides by this, as padding does, and so weighs nothing.
constexpr double kFreeTotal = 1e300;

// More than are ever born, and few enough to count on from.
constexpr std::int64_t kMostBorn = std::int64_t{1} << 62;

// Simulation steps, the entry at which it failed or -1, the number of topics born so far, and
// whether the slots did not suffice.
using HdpResult = std::tuple<std::int64_t, std::int64_t, std::int64_t, bool>;

// The arrays of a stick, checked, and what follows from them.
class Slots {
  public:
    // `levels` are tau_u, alpha0, gamma and beta.
    Slots(const Corpus& corpus, const Flat<std::int32_t>& topics, Flat<double> tau,
          Flat<std::int64_t> numbers, Flat<double> levels, std::int64_t n_born)
        : levels_(levels) {
        const std::int64_t n = length(tau);
        require_padded(n, n, 8);
        require(n > 16, "there must be more than 16 slots");
        require(length(numbers) == n, "tau and numbers differ in length");
        require(length(levels) == 4, "levels must be the rest, alpha0, gamma and beta");
        require_aligned(tau, numbers, levels);
        require(n_born >= 0 && n_born < kMostBorn, "n_born must be a number of topics");
        for (int i = 0; i < 4; ++i) {
            require((i == 0 ? levels.data()[i] >= 0 : levels.data()[i] > 0) &&
                        std::isfinite(levels.data()[i]),
                    "levels must be positive and finite");
        }
        corpus.require_topics(topics, n);
        const double beta_sum = static_cast<double>(corpus.n_words()) * levels.data()[3];
        alpha_.resize(static_cast<std::size_t>(n));
        beta_.assign(static_cast<std::size_t>(n), levels.data()[3]);
        beta_sum_.assign(static_cast<std::size_t>(n), kFreeTotal);
        for (std::int64_t k = 0; k < n; ++k) {
            const bool is_free = numbers.data()[k] < 0;
            const double part = tau.data()[k];
            require(is_free ? part == 0 : part > 0 && part <= 2,
                    "tau must be 0 in free slots only");
            alpha_[static_cast<std::size_t>(k)] = levels.data()[1] * part;
            if (!is_free) beta_sum_[static_cast<std::size_t>(k)] = beta_sum;
        }
        for (std::int64_t t = 0; t < corpus.n_tokens(); ++t) {
            require(numbers.data()[topics.data()[t]] >= 0, "a token is in a free slot");
        }
        view = {tau.data(),       alpha_.data(), numbers.data(),   n,
                levels.data()[3], beta_sum,      levels.data()[1], levels.data()[2],
                levels.data()[0], n_born};
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
                     Flat<double> levels, std::int64_t n_born, std::int64_t max_block,
                     double one_by_one) {
    Slots slots(corpus, topics, tau, numbers, levels, n_born);
    require(max_block >= 1, "max_block must be at least 1");
    require(one_by_one >= 0.0 && one_by_one <= 1.0, "one_by_one must be from 0 to 1");
    const SparseOptions options{max_block, &one_by_one};
    const Rng rng = rng_of(bit_generator);
    const KernelTable* kernels = active_kernels();
    const auto in_use = workspace.reserve();
    Outcome outcome;
    {
        nb::gil_scoped_release unlocked;
        workspace.borrow(kernels, corpus, slots.view.n_slots, topics.data());
        outcome = kernels->hdp_blocks(corpus.rows(), slots.priors(), options, rng,
                                      workspace.tables(), slots.view, topics.data());
        if (outcome.failed_entry < 0) workspace.give_back(corpus, topics.data());
    }
    return slots.result_of(outcome);
}

HdpResult hdp_tables(const Corpus& corpus, Flat<std::int32_t> topics, nb::capsule bit_generator,
                     SparseWorkspace& workspace, Flat<double> tau, Flat<std::int64_t> numbers,
                     Flat<double> levels, std::int64_t n_born, std::int64_t first,
                     std::int64_t every) {
    Slots slots(corpus, topics, tau, numbers, levels, n_born);
    require(first >= 0 && first < every, "first must be a document before the first step");
    const Rng rng = rng_of(bit_generator);
    const KernelTable* kernels = active_kernels();
    const auto in_use = workspace.reserve();
    Outcome outcome;
    {
        nb::gil_scoped_release unlocked;
        workspace.borrow(kernels, corpus, slots.view.n_slots, topics.data());
        outcome = kernels->hdp_tables(corpus.rows(), {first, every}, rng, workspace.tables(),
                                      slots.view, topics.data());
        if (outcome.failed_entry < 0) workspace.give_back(corpus, topics.data());
    }
    return slots.result_of(outcome);
}

}  // namespace

void bind_hdp(nb::module_& m) {
    using namespace nb::literals;
    m.def("hdp_blocks", &hdp_blocks, "corpus"_a, "topics"_a.noconvert(), "bit_generator"_a,
          "workspace"_a, "tau"_a.noconvert(), "numbers"_a.noconvert(), "levels"_a.noconvert(),
          "n_born"_a, "max_block"_a, "one_by_one"_a);
    m.def("hdp_tables", &hdp_tables, "corpus"_a, "topics"_a.noconvert(), "bit_generator"_a,
          "workspace"_a, "tau"_a.noconvert(), "numbers"_a.noconvert(), "levels"_a.noconvert(),
          "n_born"_a, "first"_a, "every"_a);
}

}  // namespace blocklda
