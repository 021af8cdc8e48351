// Whole numbers only, so one build serves every instruction set.
#include "occupancy.hpp"

#include <utility>

namespace blocklda {
namespace {

class Tally {
  public:
    // Counts a cell of n tokens.
    void note(std::int32_t n) {
        const auto size = static_cast<std::size_t>(n);
        if (size >= cells_.size()) cells_.resize(size + 1);
        ++cells_[size];
    }

    std::vector<std::int64_t> without_empty_cells() && {
        if (!cells_.empty()) cells_[0] = 0;
        return std::move(cells_);
    }

  private:
    std::vector<std::int64_t> cells_;
};

// Notes and empties every cell of a document's row, by way of all topics or of the tokens' topics,
// whichever are fewer.
void close_document(const std::int32_t* first, const std::int32_t* last, std::int64_t n_topics,
                    std::int32_t* n_dk, std::int64_t* n_k, Tally& docs) {
    const auto close = [&](std::int64_t k) {
        n_k[k] += n_dk[k];
        docs.note(n_dk[k]);
        n_dk[k] = 0;
    };
    if (n_topics <= last - first) {
        for (std::int64_t k = 0; k < n_topics; ++k) close(k);
    } else {
        for (; first != last; ++first) close(*first);
    }
}

}  // namespace

Occupancy occupancy(const CorpusView& corpus, const std::int32_t* topics, std::int64_t n_topics) {
    // n_dk is needed for one document at a time, n_vk for all words until the end.
    std::vector<std::int32_t> n_dk(static_cast<std::size_t>(n_topics));
    std::vector<std::int32_t> n_vk(static_cast<std::size_t>(corpus.n_words * n_topics));
    std::vector<std::int64_t> n_k(static_cast<std::size_t>(n_topics));
    Tally docs;
    Tally words;
    for (std::int64_t d = 0; d < corpus.n_docs; ++d) {
        const std::int32_t* const first = topics;
        for (std::int64_t e = corpus.doc_offsets[d]; e < corpus.doc_offsets[d + 1]; ++e) {
            std::int32_t* const of_word = n_vk.data() + corpus.word_ids[e] * n_topics;
            for (const std::int32_t* last = topics + corpus.counts[e]; topics != last; ++topics) {
                ++n_dk[static_cast<std::size_t>(*topics)];
                ++of_word[*topics];
            }
        }
        close_document(first, topics, n_topics, n_dk.data(), n_k.data(), docs);
    }
    for (const std::int32_t n : n_vk) {
        if (n != 0) words.note(n);
    }
    return {std::move(docs).without_empty_cells(), std::move(words).without_empty_cells(),
            std::move(n_k)};
}

}  // namespace blocklda
