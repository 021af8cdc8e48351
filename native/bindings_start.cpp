// The variational start.
#include "border.hpp"

namespace blocklda {
namespace {

StartPriorsView checked_start_priors(const Flat<const float>& alpha, const Table<const float>& beta,
                                     const Flat<const double>& beta_sum, std::int64_t n_topics,
                                     const Table<const float>& n_vk, std::int64_t n_words) {
    require_aligned(alpha, beta, beta_sum, n_vk);
    require_padded(n_topics, alpha.shape(0), 16);
    require(beta.shape(1) == alpha.shape(0) && beta_sum.shape(0) == alpha.shape(0) &&
                n_vk.shape(1) == alpha.shape(0),
            "alpha, beta, beta_sum and n_vk differ in length");
    require(static_cast<std::int64_t>(n_vk.shape(0)) == n_words, "n_vk needs one row per word");
    require_topic_prior(alpha, n_topics);
    const auto padded = static_cast<std::int64_t>(alpha.shape(0));
    require(all_positive(beta_sum.data(), padded), "beta_sum must be positive");
    const std::int64_t stride = checked_beta_stride(beta, n_topics, n_words);
    return {alpha.data(), beta.data(), stride, beta_sum.data(), n_topics, padded};
}

void variational_pass(Flat<const std::int64_t> doc_offsets, Flat<const std::int32_t> word_ids,
                      Flat<const std::int32_t> counts, Flat<const float> alpha,
                      Table<const float> beta, Flat<const double> beta_sum, std::int64_t n_topics,
                      Flat<const std::int64_t> order, Flat<const float> gains,
                      Flat<const float> scales, std::int64_t n_refine, Table<float> n_vk) {
    const auto n_words = static_cast<std::int64_t>(n_vk.shape(0));
    const CorpusView corpus = checked_entries(doc_offsets, word_ids, counts, n_words);
    checked_n_tokens(counts);
    const StartPriorsView priors =
        checked_start_priors(alpha, beta, beta_sum, n_topics, Table<const float>(n_vk), n_words);
    require_aligned(order, gains, scales);
    const auto n_docs = static_cast<std::int64_t>(order.shape(0));
    require(static_cast<std::int64_t>(gains.shape(0)) == n_docs &&
                static_cast<std::int64_t>(scales.shape(0)) == n_docs,
            "order, gains and scales differ in length");
    for (std::int64_t i = 0; i < n_docs; ++i) {
        require(order.data()[i] >= 0 && order.data()[i] < corpus.n_docs, "document out of range");
    }
    require(n_refine >= 0, "n_refine must not be negative");
    const StartPass documents{order.data(), gains.data(), scales.data(), n_docs, n_refine};
    const KernelTable* kernels = active_kernels();
    nb::gil_scoped_release unlocked;
    kernels->variational_pass(corpus, priors, documents, n_vk.data());
}

Result variational_draw(Flat<const std::int64_t> doc_offsets, Flat<const std::int32_t> word_ids,
                        Flat<const std::int32_t> counts, Flat<const float> alpha,
                        Table<const float> beta, Flat<const double> beta_sum, std::int64_t n_topics,
                        std::int64_t n_refine, Table<const float> n_vk, Flat<std::int32_t> topics,
                        nb::capsule bit_generator) {
    const auto n_words = static_cast<std::int64_t>(n_vk.shape(0));
    const CorpusView corpus =
        checked_corpus(doc_offsets, word_ids, counts, n_words, topics, n_topics);
    const StartPriorsView priors =
        checked_start_priors(alpha, beta, beta_sum, n_topics, n_vk, n_words);
    const Rng rng = rng_of(bit_generator);
    require(n_refine >= 0, "n_refine must not be negative");
    const KernelTable* kernels = active_kernels();
    nb::gil_scoped_release unlocked;
    return result_of(
        kernels->variational_draw(corpus, priors, n_refine, n_vk.data(), rng, topics.data()));
}

}  // namespace

void bind_start(nb::module_& m) {
    using namespace nb::literals;
    m.def("variational_pass", &variational_pass, "doc_offsets"_a.noconvert(),
          "word_ids"_a.noconvert(), "counts"_a.noconvert(), "alpha"_a.noconvert(),
          "beta"_a.noconvert(), "beta_sum"_a.noconvert(), "n_topics"_a, "order"_a.noconvert(),
          "gains"_a.noconvert(), "scales"_a.noconvert(), "n_refine"_a, "n_vk"_a.noconvert());
    m.def("variational_draw", &variational_draw, "doc_offsets"_a.noconvert(),
          "word_ids"_a.noconvert(), "counts"_a.noconvert(), "alpha"_a.noconvert(),
          "beta"_a.noconvert(), "beta_sum"_a.noconvert(), "n_topics"_a, "n_refine"_a,
          "n_vk"_a.noconvert(), "topics"_a.noconvert(), "bit_generator"_a);
}

}  // namespace blocklda
