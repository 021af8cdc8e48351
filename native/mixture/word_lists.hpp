// For every word the components that have it, and how often: n_cv > 0 as lists, in no order.
#pragma once

#include <cstdint>

#include "shared/buffer.hpp"
#include "shared/views.hpp"

namespace blocklda::BLOCKLDA_ISA {

class WordLists {
  public:
    // A list is never longer than the number of documents that have its word.
    explicit WordLists(const CorpusView& corpus)
        : offsets_(corpus.n_words + 1),
          lengths_(corpus.n_words),
          slots_(corpus.doc_offsets[corpus.n_docs] + kStep),
          counts_(corpus.doc_offsets[corpus.n_docs]) {
        const std::int64_t n_entries = corpus.doc_offsets[corpus.n_docs];
        for (std::int64_t e = 0; e < n_entries; ++e) ++offsets_[corpus.word_ids[e] + 1];
        for (std::int64_t v = 0; v < corpus.n_words; ++v) offsets_[v + 1] += offsets_[v];
    }

    std::int64_t length(std::int32_t v) const { return lengths_[v]; }
    const std::int32_t* slots(std::int32_t v) const { return slots_.data() + offsets_[v]; }
    const std::int32_t* counts(std::int32_t v) const { return counts_.data() + offsets_[v]; }

    void add(std::int32_t v, std::int32_t slot, std::int32_t n) {
        const std::int64_t at = find(v, slot);
        const std::int64_t place = offsets_[v] + at;
        if (at == lengths_[v]) {
            slots_[place] = slot;
            counts_[place] = 0;
            ++lengths_[v];
        }
        counts_[place] += n;
    }

    void remove(std::int32_t v, std::int32_t slot, std::int32_t n) {
        const std::int64_t place = offsets_[v] + find(v, slot);
        counts_[place] -= n;
        if (counts_[place] > 0) return;
        const std::int64_t last = offsets_[v] + --lengths_[v];
        slots_[place] = slots_[last];
        counts_[place] = counts_[last];
    }

  private:
    static constexpr std::int64_t kStep = 16;

    // The place of a component in a list, or its length. Whole steps are compared at once.
    std::int64_t find(std::int32_t v, std::int32_t slot) const {
        const std::int32_t* list = slots(v);
        const std::int64_t n = lengths_[v];
        for (std::int64_t i = 0; i < n; i += kStep) {
            std::int32_t is_there = 0;
            for (std::int64_t j = 0; j < kStep; ++j) is_there |= list[i + j] == slot;
            if (is_there == 0) continue;
            for (std::int64_t j = i; j < i + kStep && j < n; ++j) {
                if (list[j] == slot) return j;
            }
        }
        return n;
    }

    Buffer<std::int64_t> offsets_;
    Buffer<std::int64_t> lengths_;
    Buffer<std::int32_t> slots_;
    Buffer<std::int32_t> counts_;
};

}  // namespace blocklda::BLOCKLDA_ISA
