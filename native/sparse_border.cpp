// The checks of the samplers over topic lists, and when their tables may be used again.
#include "sparse_border.hpp"

#include <vector>

namespace blocklda {
namespace {

MajorView checked_by_word(const ByWord& by_word, const CorpusView& corpus) {
    const auto& [offsets, doc_ids, counts, starts] = by_word;
    require(offsets.is_valid() && doc_ids.is_valid() && counts.is_valid() && starts.is_valid(),
            "the corpus by word has no array where there is None");
    require_aligned(offsets, doc_ids, counts, starts);
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
    return {offsets.data(), doc_ids.data(), counts.data(),
            starts.data(),  corpus.n_words, corpus.n_docs};
}

// The corpus by word must be the corpus by document in another order: a token that two entries
// share would leave one of their lists without the topic it has, and a sweep outside that list.
void require_same_entries(const MajorView& by_word, const CorpusView& corpus) {
    std::vector<std::int64_t> next(by_word.offsets, by_word.offsets + by_word.n_rows);
    std::int64_t start = 0;
    bool are_same = true;
    for (std::int64_t d = 0; d < corpus.n_docs; ++d) {
        for (std::int64_t e = corpus.doc_offsets[d]; e < corpus.doc_offsets[d + 1]; ++e) {
            const std::int64_t v = corpus.word_ids[e];
            const std::int64_t i = next[static_cast<std::size_t>(v)]++;
            require(i < by_word.offsets[v + 1], "the corpus by word has too few entries of a word");
            are_same &= by_word.minor_ids[i] == d && by_word.counts[i] == corpus.counts[e] &&
                        by_word.starts[i] == start;
            start += corpus.counts[e];
        }
    }
    require(are_same, "the corpus by word differs from the corpus by document");
}

// Sixteen sums of products with odd numbers, so that the loop is vectorised. A change of one
// number always changes its sum.
template <class T>
std::uint64_t checksum(const T* numbers, std::int64_t n, std::uint64_t before = 0) {
    constexpr int kSums = 16;
    std::uint32_t sums[kSums] = {};
    std::int64_t i = 0;
    for (; i + kSums <= n; i += kSums) {
        for (int l = 0; l < kSums; ++l) {
            sums[l] = (sums[l] + static_cast<std::uint32_t>(numbers[i + l])) * 0x9E3779B1U;
        }
    }
    std::uint64_t all = before;
    const auto mix = [&all](std::uint64_t x) {
        all = (all ^ x) * 0x9E3779B97F4A7C15U;
        all ^= all >> 29;
    };
    for (; i < n; ++i) mix(static_cast<std::uint32_t>(numbers[i]));
    for (const std::uint32_t sum : sums) mix(sum);
    return all;
}

// Nothing checked here is above 2^31 - 1, so the lower halves of 64-bit numbers are all of them.
std::uint64_t checksum_of(const MajorView& corpus) {
    const std::int64_t n_entries = corpus.offsets[corpus.n_rows];
    const std::int64_t sizes[] = {corpus.n_rows, corpus.n_minor, corpus.starts != nullptr};
    std::uint64_t all = checksum(corpus.offsets, corpus.n_rows + 1, checksum(sizes, 3));
    all = checksum(corpus.minor_ids, n_entries, all);
    all = checksum(corpus.counts, n_entries, all);
    return corpus.starts == nullptr ? all : checksum(corpus.starts, n_entries, all);
}

}  // namespace

Axis checked_axis(const CorpusView& corpus, const PriorsView& priors,
                  const std::optional<ByWord>& by_word) {
    if (by_word) {
        return {checked_by_word(*by_word, corpus),
                {priors.beta, priors.beta_stride, priors.alpha, priors.beta_sum, priors.n_topics,
                 priors.padded}};
    }
    require(priors.beta_stride == 0, "a word prior by topic needs the corpus by word");
    return {{corpus.doc_offsets, corpus.word_ids, corpus.counts, nullptr, corpus.n_docs,
             corpus.n_words},
            {priors.alpha, 0, priors.beta, priors.beta_sum, priors.n_topics, priors.padded}};
}

void SparseWorkspace::borrow(const KernelTable* kernels, const CorpusView& documents,
                             const MajorView& corpus, std::int64_t n_topics,
                             const std::int32_t* topics, std::int64_t n_tokens) {
    const std::uint64_t corpus_checksum = checksum_of(corpus);
    const bool is_same = is_good_ && kernels == kernels_ && n_topics == n_topics_ &&
                         corpus_checksum == corpus_checksum_ &&
                         checksum(topics, n_tokens) == topics_checksum_;
    is_good_ = false;
    if (is_same) return;
    clear();
    if (corpus.starts != nullptr) require_same_entries(corpus, documents);
    tables_ = kernels->make_sparse_tables(corpus, topics, n_topics);
    kernels_ = kernels;
    corpus_checksum_ = corpus_checksum;
    n_topics_ = n_topics;
}

void SparseWorkspace::give_back(const std::int32_t* topics, std::int64_t n_tokens) {
    topics_checksum_ = checksum(topics, n_tokens);
    is_good_ = true;
}

}  // namespace blocklda
