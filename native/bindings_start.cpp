// The variational start.
#include "border.hpp"

namespace blocklda {
namespace {

StartPriorsView checked_start_priors(const Flat<const float>& alpha, const Table<const float>& beta,
                                     const Flat<const double>& beta_sum, std::int64_t n_topics,
                                     const Table<const float>& n_vk, std::int64_t n_words) {
    const auto padded = static_cast<std::int64_t>(alpha.shape(0));
    const auto rows = static_cast<std::int64_t>(beta.shape(0));
    require(n_topics >= 1 && padded == (n_topics + 15) / 16 * 16, "alpha must be padded to lanes");
    require(static_cast<std::int64_t>(beta.shape(1)) == padded &&
                static_cast<std::int64_t>(beta_sum.shape(0)) == padded &&
                static_cast<std::int64_t>(n_vk.shape(1)) == padded,
            "alpha, beta, beta_sum and n_vk differ in length");
    require(static_cast<std::int64_t>(n_vk.shape(0)) == n_words, "n_vk needs one row per word");
    require(rows == 1 || rows == n_words, "beta must have one row, or one per word");
    bool is_equal = rows == 1;
    for (std::int64_t k = 1; k < n_topics; ++k) is_equal &= beta.data()[k] == beta.data()[0];
    require(is_equal || rows == n_words, "a row of beta that all words share must be one number");
    return {alpha.data(), beta.data(), is_equal ? 0 : padded, beta_sum.data(), n_topics, padded};
}

void variational_pass(Flat<const std::int64_t> doc_offsets, Flat<const std::int32_t> word_ids,
                      Flat<const std::int32_t> counts, Flat<const float> alpha,
                      Table<const float> beta, Flat<const double> beta_sum, std::int64_t n_topics,
                      Flat<const std::int64_t> order, Flat<const float> gains,
                      Flat<const float> scales, std::int64_t n_refine, Table<float> n_vk) {
    const auto n_words = static_cast<std::int64_t>(n_vk.shape(0));
    const CorpusView corpus = checked_entries(doc_offsets, word_ids, counts, n_words);
    const StartPriorsView priors =
        checked_start_priors(alpha, beta, beta_sum, n_topics, Table<const float>(n_vk), n_words);
    const auto n_docs = static_cast<std::int64_t>(order.shape(0));
    require(static_cast<std::int64_t>(gains.shape(0)) == n_docs &&
                static_cast<std::int64_t>(scales.shape(0)) == n_docs,
            "order, gains and scales differ in length");
    for (std::int64_t i = 0; i < n_docs; ++i) {
        require(order.data()[i] >= 0 && order.data()[i] < corpus.n_docs, "document out of range");
    }
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
    const KernelTable* kernels = active_kernels();
    nb::gil_scoped_release unlocked;
    return result_of(
        kernels->variational_draw(corpus, priors, n_refine, n_vk.data(), rng, topics.data()));
}

}  // namespace

void bind_start(nb::module_& m) {
    using namespace nb::literals;
    m.def("variational_pass", &variational_pass, "doc_offsets"_a, "word_ids"_a, "counts"_a,
          "alpha"_a, "beta"_a, "beta_sum"_a, "n_topics"_a, "order"_a, "gains"_a, "scales"_a,
          "n_refine"_a, "n_vk"_a.noconvert());
    m.def("variational_draw", &variational_draw, "doc_offsets"_a, "word_ids"_a, "counts"_a,
          "alpha"_a, "beta"_a, "beta_sum"_a, "n_topics"_a, "n_refine"_a, "n_vk"_a,
          "topics"_a.noconvert(), "bit_generator"_a);
}

}  // namespace blocklda
