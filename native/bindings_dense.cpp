// The samplers on dense counts, and the occupancy of the count tables.
#include <exception>
#include <utility>
#include <vector>

#include "border.hpp"
#include "occupancy.hpp"
#include "topic_histograms.hpp"

namespace blocklda {
namespace {

// Calls back into Python for the rare blocks that are large enough for an FFT.
class PythonConvolver {
  public:
    explicit PythonConvolver(nb::callable function) : function_(std::move(function)) {}

    FftConvolver view() { return {this, &PythonConvolver::call}; }
    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }

  private:
    static bool call(void* context, const double* left, const double* right, double* out,
                     std::int64_t n_pairs, std::int64_t n_coefs) {
        auto* self = static_cast<PythonConvolver*>(context);
        nb::gil_scoped_acquire gil;
        try {
            const std::size_t shape[2] = {static_cast<std::size_t>(n_pairs),
                                          static_cast<std::size_t>(n_coefs)};
            const auto given = [&](const double* data) {
                return nb::ndarray<nb::numpy, const double>(data, 2, shape, nb::handle());
            };
            self->function_(nb::cast(given(left), nb::rv_policy::reference),
                            nb::cast(given(right), nb::rv_policy::reference),
                            nb::cast(nb::ndarray<nb::numpy, double>(out, 2, shape, nb::handle()),
                                     nb::rv_policy::reference));
            return true;
        } catch (...) {
            self->error_ = std::current_exception();
            return false;
        }
    }

    nb::callable function_;
    std::exception_ptr error_;
};

Result augmented(Flat<const std::int64_t> doc_offsets, Flat<const std::int32_t> word_ids,
                 Flat<const std::int32_t> counts, Table<const double> theta,
                 Table<const double> phi, std::int64_t n_topics, Flat<std::int32_t> topics,
                 nb::capsule bit_generator) {
    const auto n_words = static_cast<std::int64_t>(phi.shape(0));
    const auto padded = static_cast<std::int64_t>(phi.shape(1));
    const CorpusView corpus =
        checked_corpus(doc_offsets, word_ids, counts, n_words, topics, n_topics);
    require_aligned(theta, phi);
    require_padded(n_topics, phi.shape(1), 8);
    require(static_cast<std::int64_t>(theta.shape(0)) == corpus.n_docs &&
                static_cast<std::int64_t>(theta.shape(1)) == padded,
            "theta must have one row per document and as many columns as phi");
    bool is_empty_behind = true;
    for (std::int64_t d = 0; d < corpus.n_docs; ++d) {
        for (std::int64_t k = n_topics; k < padded; ++k) {
            is_empty_behind &= theta.data()[d * padded + k] == 0.0;
        }
    }
    require(is_empty_behind, "theta must be 0 behind the last topic");
    const Rng rng = rng_of(bit_generator);
    const KernelTable* kernels = active_kernels();
    nb::gil_scoped_release unlocked;
    return result_of(
        kernels->augmented(corpus, theta.data(), phi.data(), padded, rng, topics.data()));
}

Result single_site(Flat<const std::int64_t> doc_offsets, Flat<const std::int32_t> word_ids,
                   Flat<const std::int32_t> counts, std::int64_t n_words, Flat<const double> alpha,
                   Table<const double> beta, Flat<const double> beta_sum, std::int64_t n_topics,
                   Flat<std::int32_t> topics, nb::capsule bit_generator, std::int64_t n_sweeps) {
    const CorpusView corpus =
        checked_corpus(doc_offsets, word_ids, counts, n_words, topics, n_topics);
    const PriorsView priors = checked_priors(alpha, beta, beta_sum, n_topics, n_words);
    const Rng rng = rng_of(bit_generator);
    require(n_sweeps >= 0, "n_sweeps must not be negative");
    const KernelTable* kernels = active_kernels();
    nb::gil_scoped_release unlocked;
    return result_of(kernels->single_site(corpus, priors, rng, topics.data(), n_sweeps));
}

// The blocked kernels share one signature; `kernel` says which entry of the table to call.
template <auto kernel>
Result blocked(Flat<const std::int64_t> doc_offsets, Flat<const std::int32_t> word_ids,
               Flat<const std::int32_t> counts, std::int64_t n_words, Flat<const double> alpha,
               Table<const double> beta, Flat<const double> beta_sum, std::int64_t n_topics,
               Flat<std::int32_t> topics, nb::capsule bit_generator, std::int64_t n_sweeps,
               std::int64_t max_block, std::int64_t fft_from, nb::callable fft_convolve) {
    const CorpusView corpus =
        checked_corpus(doc_offsets, word_ids, counts, n_words, topics, n_topics);
    const PriorsView priors = checked_priors(alpha, beta, beta_sum, n_topics, n_words);
    const Rng rng = rng_of(bit_generator);
    require(n_sweeps >= 0, "n_sweeps must not be negative");
    require(max_block >= 1 && fft_from >= 2, "max_block must be at least 1 and fft_from 2");
    PythonConvolver convolver(std::move(fft_convolve));
    const BlockOptions options{max_block, fft_from, convolver.view()};
    const KernelTable* kernels = active_kernels();
    Outcome outcome;
    {
        nb::gil_scoped_release unlocked;
        outcome = (kernels->*kernel)(corpus, priors, options, rng, topics.data(), n_sweeps);
    }
    convolver.rethrow();
    return result_of(outcome);
}

using Numbers = nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>;

// Hands a vector over to Python, which frees it.
Numbers numbers_of(std::vector<std::int64_t>&& values) {
    auto* kept = new std::vector<std::int64_t>(std::move(values));
    nb::capsule owner(kept,
                      [](void* p) noexcept { delete static_cast<std::vector<std::int64_t>*>(p); });
    return Numbers(kept->data(), {kept->size()}, owner);
}

nb::tuple count_occupancy(Flat<const std::int64_t> doc_offsets, Flat<const std::int32_t> word_ids,
                          Flat<const std::int32_t> counts, std::int64_t n_words,
                          std::int64_t n_topics, Flat<std::int32_t> topics) {
    const CorpusView corpus =
        checked_corpus(doc_offsets, word_ids, counts, n_words, topics, n_topics);
    Occupancy result;
    {
        nb::gil_scoped_release unlocked;
        result =
            occupancy(corpus, topics.data(), static_cast<std::int64_t>(topics.shape(0)), n_topics);
    }
    return nb::make_tuple(numbers_of(std::move(result.docs)), numbers_of(std::move(result.words)),
                          numbers_of(std::move(result.topics)));
}

nb::tuple count_topic_histograms(Flat<const std::int64_t> doc_offsets,
                                 Flat<const std::int32_t> word_ids, Flat<const std::int32_t> counts,
                                 std::int64_t n_words, std::int64_t n_topics,
                                 Flat<std::int32_t> topics) {
    const CorpusView corpus =
        checked_corpus(doc_offsets, word_ids, counts, n_words, topics, n_topics);
    TopicHistograms result;
    {
        nb::gil_scoped_release unlocked;
        result = topic_histograms(corpus, topics.data(), n_topics);
    }
    return nb::make_tuple(numbers_of(std::move(result.offsets)),
                          numbers_of(std::move(result.above)));
}

}  // namespace

void bind_dense(nb::module_& m) {
    using namespace nb::literals;
    m.def("augmented", &augmented, "doc_offsets"_a.noconvert(), "word_ids"_a.noconvert(),
          "counts"_a.noconvert(), "theta"_a.noconvert(), "phi"_a.noconvert(), "n_topics"_a,
          "topics"_a.noconvert(), "bit_generator"_a);
    m.def("single_site", &single_site, "doc_offsets"_a.noconvert(), "word_ids"_a.noconvert(),
          "counts"_a.noconvert(), "n_words"_a, "alpha"_a.noconvert(), "beta"_a.noconvert(),
          "beta_sum"_a.noconvert(), "n_topics"_a, "topics"_a.noconvert(), "bit_generator"_a,
          "n_sweeps"_a);
    m.def("backward", &blocked<&KernelTable::backward>, "doc_offsets"_a.noconvert(),
          "word_ids"_a.noconvert(), "counts"_a.noconvert(), "n_words"_a, "alpha"_a.noconvert(),
          "beta"_a.noconvert(), "beta_sum"_a.noconvert(), "n_topics"_a, "topics"_a.noconvert(),
          "bit_generator"_a, "n_sweeps"_a, "max_block"_a, "fft_from"_a, "fft_convolve"_a);
    m.def("nested", &blocked<&KernelTable::nested>, "doc_offsets"_a.noconvert(),
          "word_ids"_a.noconvert(), "counts"_a.noconvert(), "n_words"_a, "alpha"_a.noconvert(),
          "beta"_a.noconvert(), "beta_sum"_a.noconvert(), "n_topics"_a, "topics"_a.noconvert(),
          "bit_generator"_a, "n_sweeps"_a, "max_block"_a, "fft_from"_a, "fft_convolve"_a);
    m.def("occupancy", &count_occupancy, "doc_offsets"_a.noconvert(), "word_ids"_a.noconvert(),
          "counts"_a.noconvert(), "n_words"_a, "n_topics"_a, "topics"_a.noconvert());
    m.def("topic_histograms", &count_topic_histograms, "doc_offsets"_a.noconvert(),
          "word_ids"_a.noconvert(), "counts"_a.noconvert(), "n_words"_a, "n_topics"_a,
          "topics"_a.noconvert());
}

}  // namespace blocklda
