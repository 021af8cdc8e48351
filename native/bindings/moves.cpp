// Moves between sweeps, and the functions that decide whether they are accepted.
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <tuple>

#include "bindings/border.hpp"
#include "bindings/corpus.hpp"
#include "bindings/priors.hpp"

namespace blocklda {
namespace {

// Simulation steps, the entry at which it failed or -1, whether it was accepted, and the log of its
// acceptance ratio.
using MoveResult = std::tuple<std::int64_t, std::int64_t, bool, double>;

MoveResult merge_split(const Corpus& corpus, const Priors& priors, Flat<std::int32_t> topics,
                       nb::capsule bit_generator) {
    corpus.require_topics(topics, priors.n_topics());
    const PriorsView view = priors.view_of(corpus);
    const Rng rng = rng_of(bit_generator);
    const KernelTable* kernels = active_kernels();
    nb::gil_scoped_release unlocked;
    const MoveOutcome outcome = kernels->merge_split(corpus.view(), view, rng, topics.data());
    return {outcome.steps, outcome.failed_entry, outcome.is_accepted, outcome.log_ratio};
}

// log x, exp(-x) and log Gamma(x).
std::tuple<double, double, double> elementary(double x) {
    require(x > 0 && std::isfinite(x), "x must be positive and finite");
    const ElementaryValues values = active_kernels()->elementary(x);
    return {values.log, values.exp_minus, values.log_gamma};
}

}  // namespace

void bind_moves(nb::module_& m) {
    using namespace nb::literals;
    m.def("merge_split", &merge_split, "corpus"_a, "priors"_a, "topics"_a.noconvert(),
          "bit_generator"_a);
    m.def("elementary", &elementary, "x"_a);
}

}  // namespace blocklda
