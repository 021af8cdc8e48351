// The checks that all kernels share.
#include "border.hpp"

#include <string>

namespace blocklda {

namespace {

// The first members of NumPy's bitgen_t, whose layout its C interface promises.
struct BitGenerator {
    void* state;
    std::uint64_t (*next_uint64)(void*);
    std::uint32_t (*next_uint32)(void*);
    double (*next_double)(void*);
};

}  // namespace

bool all_below(const std::int32_t* numbers, std::int64_t n, std::int64_t bound) {
    const auto limit = static_cast<std::uint32_t>(bound);
    bool are_below = true;
    for (std::int64_t i = 0; i < n; ++i) {
        are_below &= static_cast<std::uint32_t>(numbers[i]) < limit;
    }
    return are_below;
}

Rng rng_of(const nb::capsule& capsule) {
    const char* name = capsule.name();
    require(name != nullptr && std::string(name) == "BitGenerator",
            "not the capsule of a bit generator");
    const auto* generator = static_cast<const BitGenerator*>(capsule.data());
    return {generator->state, generator->next_double};
}

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

}  // namespace blocklda
