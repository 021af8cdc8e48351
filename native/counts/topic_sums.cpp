// Plain sums in the order of tokens and draws: one build serves every instruction set.
#include "counts/topic_sums.hpp"

#include <algorithm>
#include <utility>

namespace blocklda {
namespace {

// Rows that are filled together: 2 MiB. With fewer, documents are gone through more often.
constexpr std::int64_t kCellsAtOnce = std::int64_t{1} << 18;

// Appends a row and empties it.
void close_row(double* row, std::int64_t n_topics, SummedRows& sums) {
    for (std::int64_t k = 0; k < n_topics; ++k) {
        if (row[k] == 0.0) continue;
        sums.topics.push_back(static_cast<std::int32_t>(k));
        sums.values.push_back(std::exchange(row[k], 0.0));
    }
    sums.offsets.push_back(static_cast<std::int64_t>(sums.topics.size()));
}

std::int64_t n_tokens_of(const CorpusView& corpus, std::int64_t d) {
    std::int64_t n_tokens = 0;
    for (std::int64_t e = corpus.doc_offsets[d]; e < corpus.doc_offsets[d + 1]; ++e) {
        n_tokens += corpus.counts[e];
    }
    return n_tokens;
}

// Adds neighbouring tokens draw by draw: those of one draw mostly go to different cells, and need
// not wait for each other.
template <class Topic>
void add_tokens(const std::vector<std::int64_t>& tokens, std::int64_t first,
                const DrawnTopics<Topic>& draws, const double* weights, std::int64_t n_topics,
                double* rows) {
    for (const Topic* const draw : draws) {
        const Topic* topic = draw + first;
        for (const std::int64_t row : tokens) {
            rows[row + static_cast<std::int64_t>(*topic)] += weights[*topic];
            ++topic;
        }
        weights += n_topics;
    }
}

}  // namespace

// Some neighbouring words at a time. Each document continues from its first entry that has not been
// added, so every entry is passed once, and no table of all words is needed.
template <class Topic>
SummedRows sums_by_word(const CorpusView& corpus, const DrawnTopics<Topic>& draws,
                        const double* weights, std::int64_t n_topics, RowRange words) {
    SummedRows sums{{0}, {}, {}};
    const auto n_docs = static_cast<std::size_t>(corpus.n_docs);
    std::vector<std::int64_t> next_entry(n_docs);
    std::vector<std::int64_t> next_token(n_docs);
    std::int64_t token = 0;
    for (std::size_t d = 0; d < n_docs; ++d) {
        std::int64_t e = corpus.doc_offsets[d];
        for (; e < corpus.doc_offsets[d + 1] && corpus.word_ids[e] < words.first; ++e) {
            token += corpus.counts[e];
        }
        next_entry[d] = e;
        next_token[d] = token;
        for (; e < corpus.doc_offsets[d + 1]; ++e) token += corpus.counts[e];
    }
    const std::int64_t at_once = std::max(std::int64_t{1}, kCellsAtOnce / n_topics);
    std::vector<double> rows(
        static_cast<std::size_t>(std::min(at_once, words.end - words.first) * n_topics));
    std::vector<std::int64_t> tokens;  // of one document: the beginnings of their words' rows
    for (std::int64_t first = words.first; first < words.end; first += at_once) {
        const std::int64_t end = std::min(first + at_once, words.end);
        for (std::size_t d = 0; d < n_docs; ++d) {
            std::int64_t e = next_entry[d];
            for (; e < corpus.doc_offsets[d + 1] && corpus.word_ids[e] < end; ++e) {
                const std::int64_t row = (corpus.word_ids[e] - first) * n_topics;
                tokens.insert(tokens.end(), static_cast<std::size_t>(corpus.counts[e]), row);
            }
            add_tokens(tokens, next_token[d], draws, weights, n_topics, rows.data());
            next_entry[d] = e;
            next_token[d] += static_cast<std::int64_t>(tokens.size());
            tokens.clear();
        }
        for (std::int64_t v = first; v < end; ++v) {
            close_row(rows.data() + (v - first) * n_topics, n_topics, sums);
        }
    }
    return sums;
}

template <class Topic>
SummedRows sums_by_document(const CorpusView& corpus, const DrawnTopics<Topic>& draws,
                            const double* more, std::int64_t n_topics, RowRange docs) {
    SummedRows sums{{0}, {}, {}};
    std::vector<double> row(static_cast<std::size_t>(n_topics));
    std::vector<std::int32_t> counts(row.size());
    std::vector<std::int32_t> others(row.size());
    std::int64_t first = 0;
    for (std::int64_t d = 0; d < docs.first; ++d) first += n_tokens_of(corpus, d);
    for (std::int64_t d = docs.first; d < docs.end; ++d) {
        const std::int64_t n_tokens = n_tokens_of(corpus, d);
        const double* extra = more;
        for (const Topic* const draw : draws) {
            // Two halves, because a count that has just been written has to be waited for.
            const Topic* const topics = draw + first;
            const std::int64_t half = n_tokens / 2;
            for (std::int64_t i = 0; i < half; ++i) {
                ++counts[static_cast<std::size_t>(topics[i])];
                ++others[static_cast<std::size_t>(topics[half + i])];
            }
            if (n_tokens % 2 != 0) ++counts[static_cast<std::size_t>(topics[n_tokens - 1])];
            const double total = static_cast<double>(n_tokens) + *extra++;
            const double weight = 1.0 / total;
            for (std::size_t k = 0; k < row.size(); ++k) {
                row[k] += static_cast<double>(counts[k] + others[k]) * weight;
                counts[k] = others[k] = 0;
            }
        }
        first += n_tokens;
        close_row(row.data(), n_topics, sums);
    }
    return sums;
}

#define BLOCKLDA_TOPIC_SUMS(Topic)                                                            \
    template SummedRows sums_by_word<Topic>(const CorpusView&, const DrawnTopics<Topic>&,     \
                                            const double*, std::int64_t, RowRange);           \
    template SummedRows sums_by_document<Topic>(const CorpusView&, const DrawnTopics<Topic>&, \
                                                const double*, std::int64_t, RowRange);
BLOCKLDA_TOPIC_SUMS(std::uint8_t)
BLOCKLDA_TOPIC_SUMS(std::uint16_t)
BLOCKLDA_TOPIC_SUMS(std::uint32_t)
#undef BLOCKLDA_TOPIC_SUMS

}  // namespace blocklda
