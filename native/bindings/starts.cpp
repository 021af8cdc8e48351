// The variational start.
#include "bindings/border.hpp"
#include "bindings/corpus.hpp"
#include "bindings/priors.hpp"

namespace blocklda {
namespace {

template <class Counts>
StartPriorsView checked_start(const Corpus& corpus, const StartPriors& priors, const Counts& n_vk,
                              std::int64_t n_refine) {
    require_aligned(n_vk);
    require(length(n_vk, 1) == priors.padded(), "alpha and n_vk differ in length");
    require(length(n_vk) == corpus.n_words(), "n_vk needs one row per word");
    require(n_refine >= 0, "n_refine must not be negative");
    return priors.view_of(corpus);
}

void variational_pass(const Corpus& corpus, const StartPriors& priors,
                      Flat<const std::int64_t> order, Flat<const float> gains,
                      Flat<const float> scales, std::int64_t n_refine, Table<float> n_vk) {
    const StartPriorsView view = checked_start(corpus, priors, n_vk, n_refine);
    require_aligned(order, gains, scales);
    const std::int64_t n_docs = length(order);
    require(length(gains) == n_docs && length(scales) == n_docs,
            "order, gains and scales differ in length");
    for (std::int64_t i = 0; i < n_docs; ++i) {
        require(order.data()[i] >= 0 && order.data()[i] < corpus.n_docs(), "document out of range");
    }
    const StartPass documents{order.data(), gains.data(), scales.data(), n_docs, n_refine};
    const KernelTable* kernels = active_kernels();
    nb::gil_scoped_release unlocked;
    kernels->variational_pass(corpus.view(), view, documents, n_vk.data());
}

Result variational_draw(const Corpus& corpus, const StartPriors& priors, std::int64_t n_refine,
                        Table<const float> n_vk, Flat<std::int32_t> topics,
                        nb::capsule bit_generator) {
    corpus.require_topics(topics, priors.n_topics());
    const StartPriorsView view = checked_start(corpus, priors, n_vk, n_refine);
    const Rng rng = rng_of(bit_generator);
    const KernelTable* kernels = active_kernels();
    nb::gil_scoped_release unlocked;
    return result_of(
        kernels->variational_draw(corpus.view(), view, n_refine, n_vk.data(), rng, topics.data()));
}

}  // namespace

void bind_starts(nb::module_& m) {
    using namespace nb::literals;
    m.def("variational_pass", &variational_pass, "corpus"_a, "priors"_a, "order"_a.noconvert(),
          "gains"_a.noconvert(), "scales"_a.noconvert(), "n_refine"_a, "n_vk"_a.noconvert());
    m.def("variational_draw", &variational_draw, "corpus"_a, "priors"_a, "n_refine"_a,
          "n_vk"_a.noconvert(), "topics"_a.noconvert(), "bit_generator"_a);
}

}  // namespace blocklda
