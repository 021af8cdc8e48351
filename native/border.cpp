// The checks that all kernels share.
#include "border.hpp"

#include <algorithm>
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
    const auto limit = static_cast<std::uint32_t>(std::clamp(bound, std::int64_t{0}, kLimit));
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

void require_padded(std::int64_t n_topics, std::size_t padded, std::int64_t lanes) {
    require(n_topics >= 1 && n_topics < kLimit, "n_topics out of range");
    require(static_cast<std::int64_t>(padded) == (n_topics + lanes - 1) / lanes * lanes,
            "topics must be padded to lanes");
}

CorpusView checked_entries(const Flat<const std::int64_t>& doc_offsets,
                           const Flat<const std::int32_t>& word_ids,
                           const Flat<const std::int32_t>& counts, std::int64_t n_words) {
    require_aligned(doc_offsets, word_ids, counts);
    require(n_words >= 0 && n_words < kLimit, "n_words out of range");
    const auto n_docs = static_cast<std::int64_t>(doc_offsets.shape(0)) - 1;
    const auto n_entries = static_cast<std::int64_t>(word_ids.shape(0));
    require(n_docs < kLimit && n_entries < kLimit, "too many documents or entries");
    require(n_docs >= 0 && doc_offsets.data()[0] == 0 && doc_offsets.data()[n_docs] == n_entries,
            "doc_offsets must run from 0 to the number of entries");
    for (std::int64_t d = 0; d < n_docs; ++d) {
        require(doc_offsets.data()[d] <= doc_offsets.data()[d + 1], "doc_offsets must not fall");
    }
    require(static_cast<std::int64_t>(counts.shape(0)) == n_entries,
            "counts and word_ids differ in length");
    require(all_below(word_ids.data(), n_entries, n_words), "word id out of range");
    require(all_positive(counts.data(), n_entries), "counts must be positive");
    return {doc_offsets.data(), word_ids.data(), counts.data(), n_docs, n_words};
}

std::int64_t checked_n_tokens(const Flat<const std::int32_t>& counts) {
    std::int64_t n_tokens = 0;
    for (std::size_t e = 0; e < counts.shape(0); ++e) n_tokens += counts.data()[e];
    require(n_tokens < kLimit, "at most 2^31 - 1 tokens can be counted");
    return n_tokens;
}

CorpusView checked_corpus(const Flat<const std::int64_t>& doc_offsets,
                          const Flat<const std::int32_t>& word_ids,
                          const Flat<const std::int32_t>& counts, std::int64_t n_words,
                          const Flat<std::int32_t>& topics, std::int64_t n_topics) {
    const CorpusView corpus = checked_entries(doc_offsets, word_ids, counts, n_words);
    require_aligned(topics);
    require(n_topics >= 1 && n_topics < kLimit, "n_topics out of range");
    const std::int64_t n_tokens = checked_n_tokens(counts);
    require(static_cast<std::int64_t>(topics.shape(0)) == n_tokens,
            "one topic per token is needed");
    require(all_below(topics.data(), n_tokens, n_topics), "topic out of range");
    return corpus;
}

PriorsView checked_priors(const Flat<const double>& alpha, const Table<const double>& beta,
                          const Flat<const double>& beta_sum, std::int64_t n_topics,
                          std::int64_t n_words) {
    require_aligned(alpha, beta, beta_sum);
    require_padded(n_topics, alpha.shape(0), 8);
    require(beta.shape(1) == alpha.shape(0) && beta_sum.shape(0) == alpha.shape(0),
            "alpha, beta and beta_sum differ in length");
    require_topic_prior(alpha, n_topics);
    require(all_positive(beta_sum.data(), n_topics), "beta_sum must be positive");
    const std::int64_t stride = checked_beta_stride(beta, n_topics, n_words);
    const auto padded = static_cast<std::int64_t>(alpha.shape(0));
    return {alpha.data(), beta.data(), stride, beta_sum.data(), n_topics, padded};
}

}  // namespace blocklda
