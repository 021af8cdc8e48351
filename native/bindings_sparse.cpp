// The sparse samplers, and the tables they keep between their sweeps.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>

#include "border.hpp"

namespace blocklda {
namespace {

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
    const KernelTable* kernels = active_kernels();
    nb::gil_scoped_release unlocked;
    // Until the sweeps have ended well the tables count as lost; memory may run out on the way.
    workspace.borrow(kernels, major, n_topics, topics.data(), n_tokens);
    const Outcome outcome =
        kernels->sparse(major, axis, options, rng, workspace.tables(), topics.data(), n_sweeps);
    if (outcome.failed_entry < 0) workspace.give_back(topics.data(), n_tokens);
    return result_of(outcome);
}

}  // namespace

void bind_sparse(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<SparseWorkspace>(m, "SparseWorkspace",
                                "Tables that a sparse sampler keeps between its sweeps.")
        .def(nb::init<>());
    m.def("sparse", &sparse, "doc_offsets"_a, "word_ids"_a, "counts"_a, "n_words"_a, "alpha"_a,
          "beta"_a, "beta_sum"_a, "n_topics"_a, "topics"_a.noconvert(), "bit_generator"_a,
          "n_sweeps"_a, "workspace"_a, "by_word"_a.none(), "max_block"_a, "one_by_one"_a);
}

}  // namespace blocklda
