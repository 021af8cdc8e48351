// A corpus as Python binds it: arrays that are checked once, when the object is made, and cannot
// change afterwards. Python's `Corpus` hands over arrays that are right by construction; they are
// checked again because a kernel that trusts a wrong index writes outside its tables.
#pragma once

#include <cstdint>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/border.hpp"

namespace blocklda {

// A corpus by rows of one axis, and what all kernels need to know of it.
class Rows {
  public:
    Rows(const Rows&) = delete;
    Rows& operator=(const Rows&) = delete;

    const MajorView& rows() const { return rows_; }
    bool are_words() const { return rows_.starts != nullptr; }
    std::int64_t n_words() const { return are_words() ? rows_.n_rows : rows_.n_minor; }
    std::int64_t n_entries() const { return rows_.offsets[rows_.n_rows]; }
    std::int64_t n_tokens() const { return n_tokens_; }

    // The number of tokens before each row, or null where the rows tell the first token of every
    // entry.
    const std::int64_t* row_tokens() const { return row_tokens_.data(); }

    // Whether the entries of every row are in the order of the other axis.
    bool is_ordered() const { return is_ordered_; }

    // No two objects of a process have the same one, not even one after the other in one place.
    std::uint64_t number() const { return number_; }

    // Topics are Python's to change, and so are checked at every call: one for each token.
    void require_topics(const Flat<std::int32_t>& topics, std::int64_t n_topics) const;

  protected:
    Rows();

    MajorView rows_{};
    std::int64_t n_tokens_ = 0;
    std::vector<std::int64_t> row_tokens_;
    bool is_ordered_ = true;

  private:
    std::uint64_t number_;
};

// Documents as rows.
class Corpus : public Rows {
  public:
    Corpus(GivenFlat<std::int64_t> doc_offsets, GivenFlat<std::int32_t> word_ids,
           GivenFlat<std::int32_t> counts, std::int64_t n_words);

    CorpusView view() const {
        return {rows_.offsets, rows_.minor_ids, rows_.counts, rows_.n_rows, rows_.n_minor};
    }
    std::int64_t n_docs() const { return rows_.n_rows; }
    std::int64_t largest_count() const { return largest_count_; }

  private:
    KeptFlat<std::int64_t> doc_offsets_;
    KeptFlat<std::int32_t> word_ids_;
    KeptFlat<std::int32_t> counts_;
    std::int64_t largest_count_ = 0;
};

// The same corpus with words as rows: where the entries of each word begin, and their documents,
// counts and first tokens. It needs no corpus beside it once it is made.
class ByWord : public Rows {
  public:
    ByWord(const Corpus& corpus, GivenFlat<std::int64_t> word_offsets,
           GivenFlat<std::int32_t> doc_ids, GivenFlat<std::int32_t> counts,
           GivenFlat<std::int32_t> starts);

  private:
    void require_same_entries(const CorpusView& corpus) const;

    KeptFlat<std::int64_t> word_offsets_;
    KeptFlat<std::int32_t> doc_ids_;
    KeptFlat<std::int32_t> counts_;
    KeptFlat<std::int32_t> starts_;
};

// The entries of a corpus ordered by word, each with its document and its first token.
class WordOrder {
  public:
    WordOrder(const Corpus& corpus, GivenFlat<std::int32_t> entries, GivenFlat<std::int32_t> docs,
              GivenFlat<std::int32_t> starts);

    ByWordView view_of(const Corpus& corpus) const {
        require(corpus.number() == corpus_number_, "the order is that of another corpus");
        return {entries_.data(), docs_.data(), starts_.data()};
    }

  private:
    KeptFlat<std::int32_t> entries_;
    KeptFlat<std::int32_t> docs_;
    KeptFlat<std::int32_t> starts_;
    std::uint64_t corpus_number_;
};

}  // namespace blocklda
