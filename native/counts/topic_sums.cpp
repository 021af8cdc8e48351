// One product and one sum for a cell and draw, in this order: one build serves every instruction
// set.
#include "counts/topic_sums.hpp"

#include <algorithm>
#include <utility>

namespace blocklda {
namespace {

using Counts = std::vector<std::int32_t>;

// Cells that are counted together: 1 MiB. With fewer, documents are gone through more often.
constexpr std::int64_t kCellsAtOnce = std::int64_t{1} << 18;

// Tokens that are looked up together, and draws that are counted together.
constexpr std::size_t kTokensAtOnce = std::size_t{1} << 16;
constexpr std::size_t kDrawsAtOnce = 8;

std::int64_t n_tokens_of(const CorpusView& corpus, std::int64_t d) {
    std::int64_t n_tokens = 0;
    for (std::int64_t e = corpus.doc_offsets[d]; e < corpus.doc_offsets[d + 1]; ++e) {
        n_tokens += corpus.counts[e];
    }
    return n_tokens;
}

// The tokens of some words, and where the rows of their words begin.
class TokensOfWords {
  public:
    TokensOfWords(const CorpusView& corpus, std::int64_t n_topics)
        : corpus_(corpus),
          n_topics_(n_topics),
          entry_(corpus.doc_offsets, corpus.doc_offsets + corpus.n_docs) {
        token_.reserve(entry_.size());
        std::int64_t token = 0;
        for (std::int64_t d = 0; d < corpus.n_docs; ++d) {
            token_.push_back(token);
            token += n_tokens_of(corpus, d);
        }
    }

    // Some tokens of these words, until there are no more. Words are asked for in order: each
    // document continues behind what it gave before.
    bool fill(RowRange words) {
        rows_.clear();
        tokens_.clear();
        for (; doc_ < entry_.size() && rows_.size() < kTokensAtOnce; ++doc_) {
            const std::size_t d = doc_;
            std::int64_t& e = entry_[d];
            for (; e < corpus_.doc_offsets[d + 1] && corpus_.word_ids[e] < words.end; ++e) {
                const std::int64_t row = (corpus_.word_ids[e] - words.first) * n_topics_;
                for (std::int32_t i = 0; i < corpus_.counts[e]; ++i) {
                    if (row >= 0) {
                        rows_.push_back(row);
                        tokens_.push_back(static_cast<std::int32_t>(token_[d]));
                    }
                    ++token_[d];
                }
            }
        }
        if (!rows_.empty()) return true;
        doc_ = 0;
        return false;
    }

    template <class Topic>
    void count(const Topic* topics, std::int32_t* counts) const {
        for (std::size_t i = 0; i < rows_.size(); ++i) ++counts[rows_[i] + topics[tokens_[i]]];
    }

  private:
    const CorpusView& corpus_;
    std::int64_t n_topics_;
    std::vector<std::int64_t> entry_;
    std::vector<std::int64_t> token_;
    std::size_t doc_ = 0;
    std::vector<std::int64_t> rows_;
    std::vector<std::int32_t> tokens_;
};

// Adds a row of counts to the sums and empties it.
template <class Weight>
void add_row(std::int32_t* counts, std::int64_t n_topics, Weight weight, double* out) {
    for (std::int64_t k = 0; k < n_topics; ++k) {
        out[k] += static_cast<double>(std::exchange(counts[k], 0)) * weight(k);
    }
}

// Appends a row of counts to sums that are empty there, and empties it.
template <class Weight>
void append_row(std::int32_t* counts, std::int64_t n_topics, Weight weight, SummedRows& sums) {
    for (std::int64_t k = 0; k < n_topics; ++k) {
        if (counts[k] == 0) continue;
        sums.topics.push_back(static_cast<std::int32_t>(k));
        sums.values.push_back(static_cast<double>(std::exchange(counts[k], 0)) * weight(k));
    }
    sums.offsets.push_back(static_cast<std::int64_t>(sums.topics.size()));
}

template <class Topic>
void count_all(const Topic* topics, std::int64_t n_tokens, Counts& counts) {
    for (std::int64_t i = 0; i < n_tokens; ++i) ++counts[static_cast<std::size_t>(topics[i])];
}

// The weights of topics in one draw, and the weight that all topics of a document share.
auto each_of(const double* weights) {
    return [weights](std::int64_t k) { return weights[k]; };
}
auto all_of(std::int64_t n_tokens, double more) {
    // Of an empty document all counts are 0, which the inverse of a tiny prior would make no
    // numbers.
    const double weight = n_tokens == 0 ? 0.0 : 1.0 / (static_cast<double>(n_tokens) + more);
    return [weight](std::int64_t) { return weight; };
}

}  // namespace

template <class Topic>
void add_by_word(const CorpusView& corpus, const DrawnTopics<Topic>& draws, const double* weights,
                 std::int64_t n_topics, RowRange words, double* out) {
    const std::int64_t n_words = words.end - words.first;
    const auto n_cells = static_cast<std::size_t>(n_words * n_topics);
    Counts counts(n_cells * std::min(kDrawsAtOnce, draws.size()));
    for (std::size_t first = 0; first < draws.size(); first += kDrawsAtOnce) {
        const std::size_t n_draws = std::min(kDrawsAtOnce, draws.size() - first);
        TokensOfWords tokens(corpus, n_topics);
        while (tokens.fill(words)) {
            for (std::size_t t = 0; t < n_draws; ++t) {
                tokens.count(draws[first + t], counts.data() + t * n_cells);
            }
        }
        for (std::size_t t = 0; t < n_draws; ++t) {
            std::int32_t* const counted = counts.data() + t * n_cells;
            for (std::int64_t i = 0; i < n_words; ++i) {
                add_row(counted + i * n_topics, n_topics, each_of(weights), out + i * n_topics);
            }
            weights += n_topics;
        }
    }
}

template <class Topic>
SummedRows sums_by_word(const CorpusView& corpus, const Topic* topics, const double* weights,
                        std::int64_t n_topics) {
    SummedRows sums{{0}, {}, {}};
    TokensOfWords tokens(corpus, n_topics);
    const std::int64_t at_once = std::max(std::int64_t{1}, kCellsAtOnce / n_topics);
    Counts counts(static_cast<std::size_t>(std::min(at_once, corpus.n_words) * n_topics));
    for (std::int64_t first = 0; first < corpus.n_words; first += at_once) {
        const std::int64_t end = std::min(first + at_once, corpus.n_words);
        while (tokens.fill({first, end})) tokens.count(topics, counts.data());
        for (std::int64_t i = 0; i < end - first; ++i) {
            append_row(counts.data() + i * n_topics, n_topics, each_of(weights), sums);
        }
    }
    return sums;
}

template <class Topic>
void add_by_document(const CorpusView& corpus, const DrawnTopics<Topic>& draws, const double* more,
                     std::int64_t n_topics, RowRange docs, double* out) {
    Counts counts(static_cast<std::size_t>(n_topics));
    std::int64_t first = 0;
    for (std::int64_t d = 0; d < docs.first; ++d) first += n_tokens_of(corpus, d);
    for (std::int64_t d = docs.first; d < docs.end; ++d) {
        const std::int64_t n_tokens = n_tokens_of(corpus, d);
        for (std::size_t t = 0; t < draws.size(); ++t) {
            count_all(draws[t] + first, n_tokens, counts);
            add_row(counts.data(), n_topics, all_of(n_tokens, more[t]), out);
        }
        first += n_tokens;
        out += n_topics;
    }
}

template <class Topic>
SummedRows sums_by_document(const CorpusView& corpus, const Topic* topics, const double* more,
                            std::int64_t n_topics) {
    SummedRows sums{{0}, {}, {}};
    Counts counts(static_cast<std::size_t>(n_topics));
    for (std::int64_t d = 0; d < corpus.n_docs; ++d) {
        const std::int64_t n_tokens = n_tokens_of(corpus, d);
        count_all(topics, n_tokens, counts);
        append_row(counts.data(), n_topics, all_of(n_tokens, *more), sums);
        topics += n_tokens;
    }
    return sums;
}

#define BLOCKLDA_TOPIC_SUMS(Topic)                                                             \
    template void add_by_word(const CorpusView&, const DrawnTopics<Topic>&, const double*,     \
                              std::int64_t, RowRange, double*);                                \
    template SummedRows sums_by_word(const CorpusView&, const Topic*, const double*,           \
                                     std::int64_t);                                            \
    template void add_by_document(const CorpusView&, const DrawnTopics<Topic>&, const double*, \
                                  std::int64_t, RowRange, double*);                            \
    template SummedRows sums_by_document(const CorpusView&, const Topic*, const double*,       \
                                         std::int64_t);
BLOCKLDA_TOPIC_SUMS(std::uint8_t)
BLOCKLDA_TOPIC_SUMS(std::uint16_t)
BLOCKLDA_TOPIC_SUMS(std::uint32_t)
#undef BLOCKLDA_TOPIC_SUMS

}  // namespace blocklda
