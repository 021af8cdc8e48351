// Whole numbers only, so one build serves every instruction set.
#include "counts/filled_cells.hpp"

#include <algorithm>

namespace blocklda {
namespace {

// Rows of counts that are filled together, about half a megabyte: they stay in a core's cache.
constexpr std::int64_t kCellsAtOnce = std::int64_t{1} << 17;

// Appends a row of counts and empties it.
void close_row(std::int32_t* row, std::int64_t n_topics, FilledCells& cells) {
    for (std::int64_t k = 0; k < n_topics; ++k) {
        if (row[k] == 0) continue;
        cells.topics.push_back(static_cast<std::int32_t>(k));
        cells.counts.push_back(row[k]);
        row[k] = 0;
    }
    cells.offsets.push_back(static_cast<std::int64_t>(cells.topics.size()));
}

}  // namespace

FilledCells filled_by_document(const CorpusView& corpus, const std::int32_t* topics,
                               std::int64_t n_topics) {
    FilledCells cells{{0}, {}, {}};
    std::vector<std::int32_t> row(static_cast<std::size_t>(n_topics));
    for (std::int64_t d = 0; d < corpus.n_docs; ++d) {
        std::int64_t n_tokens = 0;
        for (std::int64_t e = corpus.doc_offsets[d]; e < corpus.doc_offsets[d + 1]; ++e) {
            n_tokens += corpus.counts[e];
        }
        for (const std::int32_t* const end = topics + n_tokens; topics != end; ++topics) {
            ++row[static_cast<std::size_t>(*topics)];
        }
        close_row(row.data(), n_topics, cells);
    }
    return cells;
}

// Some neighbouring words at a time. Each document goes on from its first entry that has not been
// counted, so every entry is passed once, and no table of all words is needed.
FilledCells filled_by_word(const CorpusView& corpus, const std::int32_t* topics,
                           std::int64_t n_topics) {
    FilledCells cells{{0}, {}, {}};
    const auto n_docs = static_cast<std::size_t>(corpus.n_docs);
    std::vector<std::int64_t> next_entry(corpus.doc_offsets, corpus.doc_offsets + n_docs);
    std::vector<std::int64_t> next_token(n_docs);
    std::int64_t token = 0;
    for (std::size_t d = 0; d < n_docs; ++d) {
        next_token[d] = token;
        for (std::int64_t e = corpus.doc_offsets[d]; e < corpus.doc_offsets[d + 1]; ++e) {
            token += corpus.counts[e];
        }
    }
    const std::int64_t at_once = std::max(std::int64_t{1}, kCellsAtOnce / n_topics);
    std::vector<std::int32_t> rows(
        static_cast<std::size_t>(std::min(at_once, corpus.n_words) * n_topics));
    for (std::int64_t first = 0; first < corpus.n_words; first += at_once) {
        const std::int64_t end = std::min(first + at_once, corpus.n_words);
        for (std::size_t d = 0; d < n_docs; ++d) {
            std::int64_t e = next_entry[d];
            const std::int32_t* tokens = topics + next_token[d];
            for (; e < corpus.doc_offsets[d + 1] && corpus.word_ids[e] < end; ++e) {
                std::int32_t* const row = rows.data() + (corpus.word_ids[e] - first) * n_topics;
                for (std::int32_t i = 0; i < corpus.counts[e]; ++i) ++row[*tokens++];
            }
            next_entry[d] = e;
            next_token[d] = tokens - topics;
        }
        for (std::int64_t v = first; v < end; ++v) {
            close_row(rows.data() + (v - first) * n_topics, n_topics, cells);
        }
    }
    return cells;
}

}  // namespace blocklda
