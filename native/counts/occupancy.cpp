// Whole numbers only, so one build serves every instruction set.
//
// It is asked for after every sweep, so it must take little beside one: the loops over tokens have
// no branch that depends on what a cell or an entry holds.
#include "counts/occupancy.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "counts/noted_cells.hpp"

namespace blocklda {
namespace {

using Cells = std::vector<std::int64_t>;
using Counts = std::vector<std::int32_t>;

// Neighbouring tokens of one entry.
struct Tokens {
    std::int32_t first;
    std::int32_t count;
};

// The cells of n_dk by topic, noted document by document.
class DocumentCells {
  public:
    explicit DocumentCells(std::int64_t n_topics)
        : n_topics_(n_topics),
          even_(static_cast<std::size_t>(n_topics)),
          odd_(static_cast<std::size_t>(n_topics)),
          totals_(static_cast<std::size_t>(n_topics)),
          small_(static_cast<std::size_t>(n_topics * kSmallCell)) {}

    // Notes the cells of a document with these topics, by way of all topics or of those of its
    // tokens, whichever are fewer. Empty cells are noted, too, which costs less than to ask.
    void add(const std::int32_t* topics, std::int64_t n_tokens) {
        count(topics, n_tokens);
        if (n_topics_ <= n_tokens) {
            for (std::int64_t k = 0; k < n_topics_; ++k) note(k);
        } else {
            for (std::int64_t i = 0; i < n_tokens; ++i) note(topics[i]);
        }
    }

    CellsView view() const {
        return {small_.data(), large_.data(), static_cast<std::int64_t>(large_.size()) / 2};
    }
    Cells& totals() { return totals_; }

  private:
    // Neighbours often share a topic, and a count that was raised just now has to be waited for: so
    // they are counted in turn in two rows.
    void count(const std::int32_t* topics, std::int64_t n_tokens) {
        std::int32_t* const even = even_.data();
        std::int32_t* const odd = odd_.data();
        std::int64_t i = 0;
        for (; i + 1 < n_tokens; i += 2) {
            ++even[topics[i]];
            ++odd[topics[i + 1]];
        }
        if (i < n_tokens) ++even[topics[i]];
    }

    // Notes a cell and empties it for the next document.
    void note(std::int64_t k) {
        const auto place = static_cast<std::size_t>(k);
        const std::int32_t n = std::exchange(even_[place], 0) + std::exchange(odd_[place], 0);
        totals_[place] += n;
        if (n < kSmallCell) {
            ++small_[place * kSmallCell + static_cast<std::size_t>(n)];
        } else {
            large_.insert(large_.end(), {static_cast<std::int32_t>(k), n});
        }
    }

    std::int64_t n_topics_;
    Counts even_;
    Counts odd_;
    Cells totals_;
    Counts small_;
    Counts large_;
};

DocumentCells by_document(const CorpusView& corpus, const std::int32_t* topics,
                          std::int64_t n_topics) {
    DocumentCells documents(n_topics);
    for (std::int64_t d = 0; d < corpus.n_docs; ++d) {
        std::int64_t n_tokens = 0;
        for (std::int64_t e = corpus.doc_offsets[d]; e < corpus.doc_offsets[d + 1]; ++e) {
            n_tokens += corpus.counts[e];
        }
        documents.add(topics, n_tokens);
        topics += n_tokens;
    }
    return documents;
}

// How many cells hold n tokens. Most hold few: these are counted in turn in several tables, since a
// number that was raised just now has to be waited for.
class CellSizes {
  public:
    void note(std::int32_t n, std::size_t turn = 0) {
        const auto size = static_cast<std::size_t>(n);
        if (size < kSmall) {
            ++small_[turn % kTurns][size];
        } else {
            if (size >= large_.size()) large_.resize(size + 1);
            ++large_[size];
        }
    }

    // All sizes from 0 up to the largest one.
    Cells take() {
        Cells sizes = std::move(large_);
        for (std::size_t n = kSmall; n-- > 0;) {
            std::int64_t found = 0;
            for (const auto& table : small_) found += table[n];
            if (n >= sizes.size() && found > 0) sizes.resize(n + 1);
            if (found > 0) sizes[n] = found;
        }
        if (sizes.empty()) sizes.resize(1);
        sizes[0] = 0;
        return sizes;
    }

  private:
    static constexpr std::size_t kTurns = 4;
    static constexpr std::size_t kSmall = 64;

    std::array<std::array<std::int64_t, kSmall>, kTurns> small_{};
    Cells large_;
};

// Where n_vk of the word of each token begins, for some entries at a time. How many tokens an entry
// has cannot be foreseen, so each is written a few times over, and the next one begins behind its
// tokens.
class TokenRows {
  public:
    // Sets the rows of the tokens of entries from `begin` on, and moves it behind them. Returns
    // how many tokens they have.
    std::size_t fill(const CorpusView& corpus, std::int64_t n_topics, std::int64_t& begin) {
        const std::int64_t end = std::min(begin + kEntries, corpus.doc_offsets[corpus.n_docs]);
        std::size_t n_tokens = 0;
        for (; begin < end; ++begin) {
            const auto count = static_cast<std::size_t>(corpus.counts[begin]);
            const std::int64_t row = corpus.word_ids[begin] * n_topics;
            const std::size_t needed = n_tokens + count + kAtOnce;
            if (rows_.size() < needed) rows_.resize(2 * needed);
            std::int64_t* const out = rows_.data() + n_tokens;
            std::fill_n(out, kAtOnce, row);
            if (count > kAtOnce) std::fill(out + kAtOnce, out + count, row);
            n_tokens += count;
        }
        return n_tokens;
    }
    const std::int64_t* data() const { return rows_.data(); }

  private:
    static constexpr std::int64_t kEntries = 1024;
    static constexpr std::size_t kAtOnce = 8;

    std::vector<std::int64_t> rows_;
};

// The words' rows all at once, in one table.
Cells with_table(const CorpusView& corpus, const std::int32_t* topics, std::int64_t n_topics) {
    Counts n_vk(static_cast<std::size_t>(corpus.n_words * n_topics));
    std::int32_t* const table = n_vk.data();
    TokenRows rows;
    for (std::int64_t entry = 0; entry < corpus.doc_offsets[corpus.n_docs];) {
        const std::size_t n_tokens = rows.fill(corpus, n_topics, entry);
        for (std::size_t i = 0; i < n_tokens; ++i) ++table[rows.data()[i] + topics[i]];
        topics += n_tokens;
    }
    CellSizes sizes;
    constexpr std::size_t kAtOnce = 8;
    std::size_t i = 0;
    for (; i + kAtOnce <= n_vk.size(); i += kAtOnce) {
        std::int32_t any = 0;
        for (std::size_t j = 0; j < kAtOnce; ++j) any |= n_vk[i + j];
        if (any == 0) continue;
        for (std::size_t j = 0; j < kAtOnce; ++j) sizes.note(n_vk[i + j], j);
    }
    for (; i < n_vk.size(); ++i) sizes.note(n_vk[i]);
    return sizes.take();
}

// The words' rows one after another: the entries are first put in order of their words.
Cells word_by_word(const CorpusView& corpus, const std::int32_t* topics, std::int64_t n_topics) {
    const std::int64_t n_entries = corpus.doc_offsets[corpus.n_docs];
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(corpus.n_words) + 2);
    std::int64_t* const next = offsets.data() + 1;  // where the next entry of a word goes
    for (std::int64_t e = 0; e < n_entries; ++e) ++next[corpus.word_ids[e] + 1];
    for (std::int64_t v = 0; v < corpus.n_words; ++v) next[v + 1] += next[v];
    std::vector<Tokens> entries(static_cast<std::size_t>(n_entries));
    std::int32_t first = 0;
    for (std::int64_t e = 0; e < n_entries; ++e) {
        entries[static_cast<std::size_t>(next[corpus.word_ids[e]]++)] = {first, corpus.counts[e]};
        first += corpus.counts[e];
    }
    CellSizes sizes;
    Counts row(static_cast<std::size_t>(n_topics));
    for (std::int64_t v = 0; v < corpus.n_words; ++v) {
        const Tokens* const begin = entries.data() + offsets[static_cast<std::size_t>(v)];
        const Tokens* const end = entries.data() + offsets[static_cast<std::size_t>(v) + 1];
        std::int64_t n_tokens = 0;
        for (const Tokens* entry = begin; entry != end; n_tokens += entry->count, ++entry) {
            const std::int32_t* const of_entry = topics + entry->first;
            for (std::int32_t i = 0; i < entry->count; ++i) {
                ++row[static_cast<std::size_t>(of_entry[i])];
            }
        }
        if (n_topics <= n_tokens) {
            for (std::size_t k = 0; k < row.size(); ++k) sizes.note(std::exchange(row[k], 0), k);
            continue;
        }
        for (const Tokens* entry = begin; entry != end; ++entry) {
            const std::int32_t* const of_entry = topics + entry->first;
            for (std::int32_t i = 0; i < entry->count; ++i) {
                sizes.note(std::exchange(row[static_cast<std::size_t>(of_entry[i])], 0));
            }
        }
    }
    return sizes.take();
}

// A table with more cells than this for each entry takes longer to be laid out than the entries
// take to be put in order. Measured on NIPS: 9 ms against 13 with 3.5 cells an entry (K = 200), 59
// against 18 with 18 (K = 1000).
constexpr std::int64_t kTableCellsPerEntry = 8;

}  // namespace

CountedCells count_cells(const CorpusView& corpus, const std::int32_t* topics,
                         std::int64_t n_topics) {
    const std::int64_t n_entries = corpus.doc_offsets[corpus.n_docs];
    const bool is_small = corpus.n_words * n_topics <= kTableCellsPerEntry * n_entries;
    DocumentCells documents = by_document(corpus, topics, n_topics);
    Cells words = (is_small ? with_table : word_by_word)(corpus, topics, n_topics);
    return {
        {occupancy_of(documents.view(), n_topics), std::move(words), std::move(documents.totals())},
        histograms_of(documents.view(), n_topics)};
}

}  // namespace blocklda
