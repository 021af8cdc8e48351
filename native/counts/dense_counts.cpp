#include "counts/dense_counts.hpp"

#include <limits>

namespace blocklda {
namespace {

// Whether 16 bits can count the tokens of every word.
bool fits_in_16_bits(const CorpusView& corpus) {
    std::vector<std::int64_t> n_v(static_cast<std::size_t>(corpus.n_words));
    for (std::int64_t e = 0; e < corpus.doc_offsets[corpus.n_docs]; ++e) {
        n_v[static_cast<std::size_t>(corpus.word_ids[e])] += corpus.counts[e];
    }
    bool fits = true;
    for (const std::int64_t n : n_v) fits &= n <= std::numeric_limits<std::uint16_t>::max();
    return fits;
}

template <class Count>
Count* count_into(std::vector<Count>& n_vk, std::vector<std::int32_t>& n_k,
                  const CorpusView& corpus, const std::int32_t* topics, std::int64_t padded) {
    n_vk.assign(static_cast<std::size_t>(corpus.n_words * padded), 0);
    n_k.assign(static_cast<std::size_t>(padded), 0);
    for (std::int64_t e = 0; e < corpus.doc_offsets[corpus.n_docs]; ++e) {
        Count* row = n_vk.data() + corpus.word_ids[e] * padded;
        for (std::int32_t i = 0; i < corpus.counts[e]; ++i) ++row[*topics++];
    }
    // Totals by rows: token by token a count would often wait for the one before it.
    const Count* row = n_vk.data();
    for (std::int64_t v = 0; v < corpus.n_words; ++v, row += padded) {
        for (std::int64_t k = 0; k < padded; ++k) n_k[static_cast<std::size_t>(k)] += row[k];
    }
    return n_vk.data();
}

}  // namespace

DenseCounts DenseTable::count(const CorpusView& corpus, const std::int32_t* topics,
                              std::int64_t padded) {
    if (fits_in_16_bits(corpus)) {
        n_vk_32_ = {};
        std::uint16_t* counts = count_into(n_vk_16_, n_k_, corpus, topics, padded);
        return {counts, nullptr, n_k_.data()};
    }
    n_vk_16_ = {};
    std::int32_t* counts = count_into(n_vk_32_, n_k_, corpus, topics, padded);
    return {nullptr, counts, n_k_.data()};
}

}  // namespace blocklda
