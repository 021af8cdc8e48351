#include "bindings/corpus.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace blocklda {
namespace {

void require_columns(std::int64_t n_entries, std::initializer_list<std::int64_t> lengths) {
    for (const std::int64_t n : lengths) {
        require(n == n_entries, "the columns of the corpus by word differ in length");
    }
}

}  // namespace

Rows::Rows() {
    static std::atomic<std::uint64_t> n_made{0};
    number_ = n_made++;
}

void Rows::require_topics(const Flat<std::int32_t>& topics, std::int64_t n_topics) const {
    require_aligned(topics);
    require_n_topics(n_topics);
    require(length(topics) == n_tokens_, "one topic per token is needed");
    require(all_below(topics.data(), n_tokens_, n_topics), "topic out of range");
}

Corpus::Corpus(GivenFlat<std::int64_t> doc_offsets, GivenFlat<std::int32_t> word_ids,
               GivenFlat<std::int32_t> counts, std::int64_t n_words)
    : doc_offsets_(std::move(doc_offsets)),
      word_ids_(std::move(word_ids)),
      counts_(std::move(counts)) {
    require(n_words >= 0 && n_words < kLimit, "n_words out of range");
    const std::int64_t n_docs = length(doc_offsets_) - 1;
    const std::int64_t n_entries = length(word_ids_);
    require(n_docs < kLimit && n_entries < kLimit, "too many documents or entries");
    require_offsets(doc_offsets_.data(), n_docs + 1, n_entries,
                    "doc_offsets must run from 0 to the number of entries",
                    "doc_offsets must not fall");
    require(length(counts_) == n_entries, "counts and word_ids differ in length");
    require(all_below(word_ids_.data(), n_entries, n_words), "word id out of range");
    n_tokens_ = checked_n_tokens(counts_.data(), n_entries);
    rows_ = {doc_offsets_.data(), word_ids_.data(), counts_.data(), nullptr, n_docs, n_words};
    row_tokens_.assign(static_cast<std::size_t>(n_docs) + 1, 0);
    for (std::int64_t d = 0; d < n_docs; ++d) {
        std::int64_t n_tokens = row_tokens_[static_cast<std::size_t>(d)];
        for (std::int64_t e = rows_.offsets[d]; e < rows_.offsets[d + 1]; ++e) {
            n_tokens += rows_.counts[e];
            is_ordered_ &= e == rows_.offsets[d] || rows_.minor_ids[e - 1] <= rows_.minor_ids[e];
        }
        row_tokens_[static_cast<std::size_t>(d) + 1] = n_tokens;
    }
    if (n_entries > 0) {
        largest_count_ = *std::max_element(counts_.data(), counts_.data() + n_entries);
    }
}

ByWord::ByWord(const Corpus& corpus, GivenFlat<std::int64_t> word_offsets,
               GivenFlat<std::int32_t> doc_ids, GivenFlat<std::int32_t> counts,
               GivenFlat<std::int32_t> starts)
    : word_offsets_(std::move(word_offsets)),
      doc_ids_(std::move(doc_ids)),
      counts_(std::move(counts)),
      starts_(std::move(starts)) {
    const std::int64_t n_words = corpus.n_words();
    require(length(word_offsets_) == n_words + 1,
            "word offsets must run from 0 to the number of entries");
    require_offsets(word_offsets_.data(), n_words + 1, corpus.n_entries(),
                    "word offsets must run from 0 to the number of entries",
                    "word offsets must not fall");
    require_columns(corpus.n_entries(), {length(doc_ids_), length(counts_), length(starts_)});
    n_tokens_ = corpus.n_tokens();
    rows_ = {word_offsets_.data(), doc_ids_.data(), counts_.data(),
             starts_.data(),       n_words,         corpus.n_docs()};
    require_same_entries(corpus.view());
}

// The corpus by word must be the corpus by document in another order: a token that two entries
// share would leave one of their lists without the topic it has, and a sweep outside that list. The
// documents of a word then rise, so its entries are in order.
void ByWord::require_same_entries(const CorpusView& corpus) const {
    std::vector<std::int64_t> next(rows_.offsets, rows_.offsets + rows_.n_rows);
    std::int64_t start = 0;
    bool are_same = true;
    for (std::int64_t d = 0; d < corpus.n_docs; ++d) {
        for (std::int64_t e = corpus.doc_offsets[d]; e < corpus.doc_offsets[d + 1]; ++e) {
            const std::int64_t v = corpus.word_ids[e];
            const std::int64_t i = next[static_cast<std::size_t>(v)]++;
            require(i < rows_.offsets[v + 1], "the corpus by word has too few entries of a word");
            are_same &= rows_.minor_ids[i] == d && rows_.counts[i] == corpus.counts[e] &&
                        rows_.starts[i] == start;
            start += corpus.counts[e];
        }
    }
    require(are_same, "the corpus by word differs from the corpus by document");
}

// Every entry once, with the document and the tokens that it has in the corpus.
WordOrder::WordOrder(const Corpus& corpus, GivenFlat<std::int32_t> entries,
                     GivenFlat<std::int32_t> docs, GivenFlat<std::int32_t> starts)
    : entries_(std::move(entries)),
      docs_(std::move(docs)),
      starts_(std::move(starts)),
      corpus_number_(corpus.number()) {
    const std::int64_t n_entries = corpus.n_entries();
    require_columns(n_entries, {length(entries_), length(docs_), length(starts_)});
    std::vector<std::int32_t> places(static_cast<std::size_t>(n_entries), -1);
    bool is_good = all_below(entries_.data(), n_entries, n_entries);
    for (std::int64_t i = 0; i < n_entries && is_good; ++i) {
        std::int32_t& place = places[static_cast<std::size_t>(entries_.data()[i])];
        is_good = place < 0;
        place = static_cast<std::int32_t>(i);
    }
    const CorpusView documents = corpus.view();
    std::int64_t start = 0;
    for (std::int64_t d = 0; d < documents.n_docs && is_good; ++d) {
        for (std::int64_t e = documents.doc_offsets[d]; e < documents.doc_offsets[d + 1]; ++e) {
            const auto i = places[static_cast<std::size_t>(e)];
            is_good &= docs_.data()[i] == d && starts_.data()[i] == start;
            start += documents.counts[e];
        }
    }
    require(is_good, "the corpus by word is not that of the corpus");
}

void bind_corpus(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<Rows>(m, "Rows", "A corpus by rows of documents or of words.");
    nb::class_<Corpus, Rows>(m, "Corpus", nb::is_final(), "A corpus with documents as rows.")
        .def(nb::init<GivenFlat<std::int64_t>, GivenFlat<std::int32_t>, GivenFlat<std::int32_t>,
                      std::int64_t>(),
             "doc_offsets"_a.noconvert(), "word_ids"_a.noconvert(), "counts"_a.noconvert(),
             "n_words"_a);
    nb::class_<ByWord, Rows>(m, "ByWord", nb::is_final(), "The same corpus with words as rows.")
        .def(nb::init<const Corpus&, GivenFlat<std::int64_t>, GivenFlat<std::int32_t>,
                      GivenFlat<std::int32_t>, GivenFlat<std::int32_t>>(),
             "corpus"_a, "word_offsets"_a.noconvert(), "doc_ids"_a.noconvert(),
             "counts"_a.noconvert(), "starts"_a.noconvert());
    nb::class_<WordOrder>(m, "WordOrder", nb::is_final(),
                          "The entries of a corpus ordered by word.")
        .def(nb::init<const Corpus&, GivenFlat<std::int32_t>, GivenFlat<std::int32_t>,
                      GivenFlat<std::int32_t>>(),
             "corpus"_a, "entries"_a.noconvert(), "docs"_a.noconvert(), "starts"_a.noconvert());
}

}  // namespace blocklda
