// The border between Python and the kernels: shapes and bounds are checked here, once per call.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "dispatch.hpp"
#include "occupancy.hpp"
#include "topic_histograms.hpp"

namespace nb = nanobind;

namespace blocklda {
namespace {

template <class T>
using Flat = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Table = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The first members of NumPy's bitgen_t, whose layout its C interface promises.
struct BitGenerator {
    void* state;
    std::uint64_t (*next_uint64)(void*);
    std::uint32_t (*next_uint32)(void*);
    double (*next_double)(void*);
};

const KernelTable* active = usable_tables().back();

// Counts are 32-bit signed integers.
constexpr std::int64_t kLimit = std::int64_t{1} << 31;

void require(bool holds, const char* message) {
    if (!holds) throw nb::value_error(message);
}

Rng rng_of(const nb::capsule& capsule) {
    const char* name = capsule.name();
    require(name != nullptr && std::string(name) == "BitGenerator",
            "not the capsule of a bit generator");
    const auto* generator = static_cast<const BitGenerator*>(capsule.data());
    return {generator->state, generator->next_double};
}

// Whether all numbers are from 0 to bound - 1. Without a way out of the loop it is vectorised; at a
// few million tokens a second that matters.
bool all_below(const std::int32_t* numbers, std::int64_t n, std::int64_t bound) {
    const auto limit = static_cast<std::uint32_t>(bound);
    bool are_below = true;
    for (std::int64_t i = 0; i < n; ++i) {
        are_below &= static_cast<std::uint32_t>(numbers[i]) < limit;
    }
    return are_below;
}

// Python's `Corpus` and `Priors` hand over arrays that are right by construction. They are checked
// again because a kernel that trusts a wrong index writes outside its tables.
CorpusView checked_entries(const Flat<const std::int64_t>& doc_offsets,
                           const Flat<const std::int32_t>& word_ids,
                           const Flat<const std::int32_t>& counts, std::int64_t n_words) {
    require(n_words >= 0 && n_words < kLimit, "n_words out of range");
    const auto n_docs = static_cast<std::int64_t>(doc_offsets.shape(0)) - 1;
    const auto n_entries = static_cast<std::int64_t>(word_ids.shape(0));
    require(n_docs >= 0 && doc_offsets.data()[0] == 0 && doc_offsets.data()[n_docs] == n_entries,
            "doc_offsets must run from 0 to the number of entries");
    for (std::int64_t d = 0; d < n_docs; ++d) {
        require(doc_offsets.data()[d] <= doc_offsets.data()[d + 1], "doc_offsets must not fall");
    }
    require(static_cast<std::int64_t>(counts.shape(0)) == n_entries,
            "counts and word_ids differ in length");
    require(all_below(word_ids.data(), n_entries, n_words), "word id out of range");
    bool are_positive = true;
    for (std::int64_t e = 0; e < n_entries; ++e) are_positive &= counts.data()[e] > 0;
    require(are_positive, "counts must be positive");
    return {doc_offsets.data(), word_ids.data(), counts.data(), n_docs, n_words};
}

CorpusView checked_corpus(const Flat<const std::int64_t>& doc_offsets,
                          const Flat<const std::int32_t>& word_ids,
                          const Flat<const std::int32_t>& counts, std::int64_t n_words,
                          const Flat<std::int32_t>& topics, std::int64_t n_topics) {
    const CorpusView corpus = checked_entries(doc_offsets, word_ids, counts, n_words);
    const auto n_entries = static_cast<std::int64_t>(word_ids.shape(0));
    std::int64_t n_tokens = 0;
    for (std::int64_t e = 0; e < n_entries; ++e) n_tokens += counts.data()[e];
    require(static_cast<std::int64_t>(topics.shape(0)) == n_tokens,
            "one topic per token is needed");
    require(all_below(topics.data(), n_tokens, n_topics), "topic out of range");
    return corpus;
}

PriorsView checked_priors(const Flat<const double>& alpha, const Table<const double>& beta,
                          const Flat<const double>& beta_sum, std::int64_t n_topics,
                          std::int64_t n_words) {
    const auto padded = static_cast<std::int64_t>(alpha.shape(0));
    const auto rows = static_cast<std::int64_t>(beta.shape(0));
    require(n_topics >= 1 && padded == (n_topics + 7) / 8 * 8, "alpha must be padded to lanes");
    require(static_cast<std::int64_t>(beta.shape(1)) == padded &&
                static_cast<std::int64_t>(beta_sum.shape(0)) == padded,
            "alpha, beta and beta_sum differ in length");
    require(rows == 1 || rows == n_words, "beta must have one row, or one per word");
    bool is_equal = rows == 1;
    for (std::int64_t k = 1; k < n_topics; ++k) is_equal &= beta.data()[k] == beta.data()[0];
    require(is_equal || rows == n_words, "a row of beta that all words share must be one number");
    return {alpha.data(), beta.data(), is_equal ? 0 : padded, beta_sum.data(), n_topics, padded};
}

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

using Result = std::pair<std::int64_t, std::int64_t>;

Result result_of(const Outcome& outcome) { return {outcome.steps, outcome.failed_entry}; }

Result augmented(Flat<const std::int64_t> doc_offsets, Flat<const std::int32_t> word_ids,
                 Flat<const std::int32_t> counts, Table<const double> theta,
                 Table<const double> phi, std::int64_t n_topics, Flat<std::int32_t> topics,
                 nb::capsule bit_generator) {
    const auto n_words = static_cast<std::int64_t>(phi.shape(0));
    const auto padded = static_cast<std::int64_t>(phi.shape(1));
    const CorpusView corpus =
        checked_corpus(doc_offsets, word_ids, counts, n_words, topics, n_topics);
    require(padded == (n_topics + 7) / 8 * 8, "theta and phi must be padded to lanes");
    require(static_cast<std::int64_t>(theta.shape(0)) == corpus.n_docs &&
                static_cast<std::int64_t>(theta.shape(1)) == padded,
            "theta must have one row per document and as many columns as phi");
    const Rng rng = rng_of(bit_generator);
    const KernelTable* kernels = active;
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
    const KernelTable* kernels = active;
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
    require(max_block >= 1 && fft_from >= 2, "max_block must be at least 1 and fft_from 2");
    PythonConvolver convolver(std::move(fft_convolve));
    const BlockOptions options{max_block, fft_from, convolver.view()};
    const KernelTable* kernels = active;
    Outcome outcome;
    {
        nb::gil_scoped_release unlocked;
        outcome = (kernels->*kernel)(corpus, priors, options, rng, topics.data(), n_sweeps);
    }
    convolver.rethrow();
    return result_of(outcome);
}

// The corpus with words as rows: where each word's entries begin, and their documents, counts and
// first tokens.
using ByWord = std::tuple<Flat<const std::int64_t>, Flat<const std::int32_t>,
                          Flat<const std::int32_t>, Flat<const std::int32_t>>;

MajorView checked_by_word(const ByWord& by_word, const CorpusView& corpus, std::int64_t n_tokens) {
    const auto& [offsets, doc_ids, counts, starts] = by_word;
    const std::int64_t n_entries = corpus.doc_offsets[corpus.n_docs];
    require(static_cast<std::int64_t>(offsets.shape(0)) == corpus.n_words + 1 &&
                offsets.data()[0] == 0 && offsets.data()[corpus.n_words] == n_entries,
            "word offsets must run from 0 to the number of entries");
    for (std::int64_t v = 0; v < corpus.n_words; ++v) {
        require(offsets.data()[v] <= offsets.data()[v + 1], "word offsets must not fall");
    }
    for (const auto* column : {&doc_ids, &counts, &starts}) {
        require(static_cast<std::int64_t>(column->shape(0)) == n_entries,
                "the columns of the corpus by word differ in length");
    }
    for (std::int64_t i = 0; i < n_entries; ++i) {
        require(doc_ids.data()[i] >= 0 && doc_ids.data()[i] < corpus.n_docs,
                "document id out of range");
        require(counts.data()[i] > 0 && starts.data()[i] >= 0 &&
                    std::int64_t{starts.data()[i]} + counts.data()[i] <= n_tokens,
                "tokens out of range");
    }
    return {offsets.data(), doc_ids.data(), counts.data(),
            starts.data(),  corpus.n_words, corpus.n_docs};
}

// Tables of one state. They are used again only for the same corpus, axis and assignments, which a
// checksum tells; anyone may change the assignments between two calls.
class SparseWorkspace {
  public:
    SparseWorkspace() = default;
    SparseWorkspace(const SparseWorkspace&) = delete;
    SparseWorkspace& operator=(const SparseWorkspace&) = delete;
    ~SparseWorkspace() { clear(); }

    void borrow(const KernelTable* kernels, const MajorView& corpus, std::int64_t n_topics,
                const std::int32_t* topics, std::int64_t n_tokens) {
        const bool is_same = is_good_ && kernels == kernels_ && n_topics == n_topics_ &&
                             corpus.offsets == corpus_.offsets &&
                             checksum(topics, n_tokens) == checksum_;
        is_good_ = false;
        if (is_same) return;
        clear();
        tables_ = kernels->make_sparse_tables(corpus, topics, n_topics);
        kernels_ = kernels;
        corpus_ = corpus;
        n_topics_ = n_topics;
    }
    void* tables() { return tables_; }
    void give_back(const std::int32_t* topics, std::int64_t n_tokens) {
        checksum_ = checksum(topics, n_tokens);
        is_good_ = true;
    }

  private:
    void clear() {
        if (tables_ != nullptr) kernels_->free_sparse_tables(tables_);
        tables_ = nullptr;
        kernels_ = nullptr;
    }

    // Sixteen sums of products with odd numbers, so that the loop is vectorised. A change of one
    // number always changes its sum.
    static std::uint64_t checksum(const std::int32_t* topics, std::int64_t n) {
        constexpr int kSums = 16;
        std::uint32_t sums[kSums] = {};
        std::int64_t i = 0;
        for (; i + kSums <= n; i += kSums) {
            for (int l = 0; l < kSums; ++l) {
                sums[l] = (sums[l] + static_cast<std::uint32_t>(topics[i + l])) * 0x9E3779B1U;
            }
        }
        std::uint64_t all = 0;
        const auto mix = [&all](std::uint64_t x) {
            all = (all ^ x) * 0x9E3779B97F4A7C15U;
            all ^= all >> 29;
        };
        for (; i < n; ++i) mix(static_cast<std::uint32_t>(topics[i]));
        for (const std::uint32_t sum : sums) mix(sum);
        return all;
    }

    bool is_good_ = false;
    const KernelTable* kernels_ = nullptr;
    void* tables_ = nullptr;
    MajorView corpus_{};
    std::int64_t n_topics_ = 0;
    std::uint64_t checksum_ = 0;
};

Result sparse(Flat<const std::int64_t> doc_offsets, Flat<const std::int32_t> word_ids,
              Flat<const std::int32_t> counts, std::int64_t n_words, Flat<const double> alpha,
              Table<const double> beta, Flat<const double> beta_sum, std::int64_t n_topics,
              Flat<std::int32_t> topics, nb::capsule bit_generator, std::int64_t n_sweeps,
              SparseWorkspace& workspace, std::optional<ByWord> by_word, std::int64_t max_block,
              Flat<const double> one_by_one) {
    const CorpusView corpus =
        checked_corpus(doc_offsets, word_ids, counts, n_words, topics, n_topics);
    const PriorsView priors = checked_priors(alpha, beta, beta_sum, n_topics, n_words);
    const Rng rng = rng_of(bit_generator);
    require(max_block >= 1, "max_block must be at least 1");
    require(static_cast<std::int64_t>(one_by_one.shape(0)) == n_sweeps,
            "one_by_one needs a number for every sweep");
    const auto n_tokens = static_cast<std::int64_t>(topics.shape(0));
    MajorView major{corpus.doc_offsets, corpus.word_ids, corpus.counts, nullptr,
                    corpus.n_docs,      corpus.n_words};
    AxisPriors axis{priors.alpha, 0, priors.beta, priors.beta_sum, priors.n_topics, priors.padded};
    if (by_word) {
        major = checked_by_word(*by_word, corpus, n_tokens);
        axis.own = priors.beta;
        axis.own_stride = priors.beta_stride;
        axis.other = priors.alpha;
    } else {
        require(priors.beta_stride == 0, "a word prior by topic needs the corpus by word");
    }
    const SparseOptions options{max_block, one_by_one.data()};
    const KernelTable* kernels = active;
    nb::gil_scoped_release unlocked;
    // Until the sweeps have ended well the tables count as lost; memory may run out on the way.
    workspace.borrow(kernels, major, n_topics, topics.data(), n_tokens);
    const Outcome outcome =
        kernels->sparse(major, axis, options, rng, workspace.tables(), topics.data(), n_sweeps);
    if (outcome.failed_entry < 0) workspace.give_back(topics.data(), n_tokens);
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
    require(n_topics >= 1 && n_topics < kLimit, "n_topics out of range");
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
    require(n_topics >= 1 && n_topics < kLimit, "n_topics out of range");
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
    const KernelTable* kernels = active;
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
    const KernelTable* kernels = active;
    nb::gil_scoped_release unlocked;
    return result_of(
        kernels->variational_draw(corpus, priors, n_refine, n_vk.data(), rng, topics.data()));
}

std::vector<std::string> instruction_sets() {
    std::vector<std::string> names;
    for (const KernelTable* table : usable_tables()) names.emplace_back(table->isa);
    return names;
}

void use_instruction_set(const std::string& name) {
    for (const KernelTable* table : usable_tables()) {
        if (name == table->isa) {
            active = table;
            return;
        }
    }
    throw nb::value_error("no kernels for this instruction set on this machine");
}

}  // namespace
}  // namespace blocklda

NB_MODULE(_native, m) {
    using namespace nb::literals;
    m.doc() = "Compiled sweeps; see native/ for the sources and blocklda.reference for the twins.";
    m.def("augmented", &blocklda::augmented, "doc_offsets"_a, "word_ids"_a, "counts"_a, "theta"_a,
          "phi"_a, "n_topics"_a, "topics"_a.noconvert(), "bit_generator"_a);
    m.def("single_site", &blocklda::single_site, "doc_offsets"_a, "word_ids"_a, "counts"_a,
          "n_words"_a, "alpha"_a, "beta"_a, "beta_sum"_a, "n_topics"_a, "topics"_a.noconvert(),
          "bit_generator"_a, "n_sweeps"_a);
    m.def("backward", &blocklda::blocked<&blocklda::KernelTable::backward>, "doc_offsets"_a,
          "word_ids"_a, "counts"_a, "n_words"_a, "alpha"_a, "beta"_a, "beta_sum"_a, "n_topics"_a,
          "topics"_a.noconvert(), "bit_generator"_a, "n_sweeps"_a, "max_block"_a, "fft_from"_a,
          "fft_convolve"_a);
    m.def("nested", &blocklda::blocked<&blocklda::KernelTable::nested>, "doc_offsets"_a,
          "word_ids"_a, "counts"_a, "n_words"_a, "alpha"_a, "beta"_a, "beta_sum"_a, "n_topics"_a,
          "topics"_a.noconvert(), "bit_generator"_a, "n_sweeps"_a, "max_block"_a, "fft_from"_a,
          "fft_convolve"_a);
    nb::class_<blocklda::SparseWorkspace>(m, "SparseWorkspace",
                                          "Tables that a sparse sampler keeps between its sweeps.")
        .def(nb::init<>());
    m.def("sparse", &blocklda::sparse, "doc_offsets"_a, "word_ids"_a, "counts"_a, "n_words"_a,
          "alpha"_a, "beta"_a, "beta_sum"_a, "n_topics"_a, "topics"_a.noconvert(),
          "bit_generator"_a, "n_sweeps"_a, "workspace"_a, "by_word"_a.none(), "max_block"_a,
          "one_by_one"_a);
    m.def("occupancy", &blocklda::count_occupancy, "doc_offsets"_a, "word_ids"_a, "counts"_a,
          "n_words"_a, "n_topics"_a, "topics"_a.noconvert());
    m.def("topic_histograms", &blocklda::count_topic_histograms, "doc_offsets"_a, "word_ids"_a,
          "counts"_a, "n_words"_a, "n_topics"_a, "topics"_a.noconvert());
    m.def("variational_pass", &blocklda::variational_pass, "doc_offsets"_a, "word_ids"_a,
          "counts"_a, "alpha"_a, "beta"_a, "beta_sum"_a, "n_topics"_a, "order"_a, "gains"_a,
          "scales"_a, "n_refine"_a, "n_vk"_a.noconvert());
    m.def("variational_draw", &blocklda::variational_draw, "doc_offsets"_a, "word_ids"_a,
          "counts"_a, "alpha"_a, "beta"_a, "beta_sum"_a, "n_topics"_a, "n_refine"_a, "n_vk"_a,
          "topics"_a.noconvert(), "bit_generator"_a);
    m.def("instruction_sets", &blocklda::instruction_sets);
    m.def("use_instruction_set", &blocklda::use_instruction_set, "name"_a);
    m.def("active_instruction_set", [] { return std::string(blocklda::active->isa); });
}
