// One sweep over the blocks B_dv of a corpus, in the order of its entries.
#pragma once

#include <cstdint>

#include "dense/counts.hpp"
#include "shared/buffer.hpp"
#include "shared/draw.hpp"
#include "shared/simd.hpp"
#include "shared/views.hpp"

namespace blocklda::BLOCKLDA_ISA {

// A new value of (n_dv1, ..., n_dvK): the occupied topics and how many tokens each has.
class Allocation {
  public:
    void clear() { n_ = 0; }
    void put(std::int64_t topic, std::int64_t count) {
        topics_[n_] = static_cast<std::int32_t>(topic);
        counts_[n_++] = count;
    }
    void reserve(std::int64_t size) {
        topics_.reserve(size);
        counts_.reserve(size);
    }
    std::int64_t n_topics() const { return n_; }
    std::int32_t topic(std::int64_t i) const { return topics_[i]; }
    std::int64_t count(std::int64_t i) const { return counts_[i]; }

  private:
    std::int64_t n_ = 0;
    Buffer<std::int32_t> topics_;
    Buffer<std::int64_t> counts_;
};

// A block whose normaliser no double can hold is drawn in random parts of this many tokens, for
// which it is at least e^(-0.37 * 700) = 1e-112. Whether that happens depends on the other blocks
// alone, so the conditional stays invariant.
inline constexpr std::int64_t kSafePart = 700;

// The blocked sampler around a simulation scheme. The scheme names the `Counts` it works on and
// draws from the conditional of a block:
//     bool one(counts, word, topic&)                 for one token, which the counts still contain
//                                                    in its present topic
//     bool many(counts, word, size, allocation)      for size >= 2 tokens, taken out of the counts
// and adds what it did to `steps`. False means that nothing was drawn: the weights were no numbers,
// the FFT failed, or, with `too_large` set, the block must be drawn in parts.
template <class Scheme>
class BlockSweep {
  public:
    BlockSweep(const CorpusView& corpus, const PriorsView& priors, const BlockOptions& options,
               const Rng& rng, std::int32_t* topics)
        : corpus_(corpus),
          max_block_(options.max_block),
          rng_(rng),
          topics_(topics),
          counts_(corpus, priors, options, topics),
          scheme_(priors, options, rng) {}

    Outcome run(std::int64_t n_sweeps) {
        Outcome outcome;
        for (std::int64_t sweep = 0; sweep < n_sweeps; ++sweep) {
            std::int32_t* block = topics_;
            for (std::int64_t d = 0; d < corpus_.n_docs; ++d) {
                const std::int64_t end = corpus_.doc_offsets[d + 1];
                std::int64_t length = 0;
                std::int64_t largest = 0;
                for (std::int64_t e = corpus_.doc_offsets[d]; e < end; ++e) {
                    length += corpus_.counts[e];
                    largest = corpus_.counts[e] > largest ? corpus_.counts[e] : largest;
                }
                if (length == 0) continue;
                counts_.start_document(block, length, largest);
                for (std::int64_t e = corpus_.doc_offsets[d]; e < end; ++e) {
                    if (e + kAhead < end) counts_.prefetch_word(corpus_.word_ids[e + kAhead]);
                    if (!update_entry(e, block)) {
                        outcome.failed_entry = e;
                        outcome.steps = scheme_.steps;
                        return outcome;
                    }
                    block += corpus_.counts[e];
                }
            }
        }
        outcome.steps = scheme_.steps;
        return outcome;
    }

  private:
    using Word = typename Scheme::Counts::Word;

    // Entries ahead of the present one whose counts are fetched: their table may be larger than the
    // cache.
    static constexpr std::int64_t kAhead = 4;

    // Any subset of the tokens, chosen without regard to their topics, is a valid block; so a large
    // block may be updated in uniformly drawn parts, at a cost linear in its size.
    bool update_entry(std::int64_t e, std::int32_t* block) {
        const std::int64_t size = corpus_.counts[e];
        const Word word = counts_.word(corpus_.word_ids[e]);
        if (size <= max_block_) return update(word, block, size);
        return update_in_parts(word, block, size, max_block_);
    }

    bool update_in_parts(const Word& word, std::int32_t* block, std::int64_t size,
                         std::int64_t part) {
        shuffle_tokens(block, size, rng_);
        for (std::int64_t start = 0; start < size; start += part) {
            const std::int64_t left = size - start;
            if (!update(word, block + start, left < part ? left : part)) return false;
        }
        return true;
    }

    bool update(const Word& word, std::int32_t* block, std::int64_t size) {
        return size == 1 ? update_one(word, block) : update_many(word, block, size);
    }

    bool update_one(const Word& word, std::int32_t* token) {
        const std::int32_t old = *token;
        std::int32_t topic = old;
        if (!scheme_.one(counts_, word, topic)) return false;
        if (topic == old) return true;
        counts_.change(old, word, -1);
        counts_.change(topic, word, +1);
        counts_.refresh(old);
        counts_.refresh(topic);
        *token = topic;
        return true;
    }

    bool update_many(const Word& word, std::int32_t* block, std::int64_t size) {
        // Neighbours of one topic at once. A topic that comes again is refreshed again.
        for (std::int64_t i = 0, next = 0; i < size; i = next) {
            while (next < size && block[next] == block[i]) ++next;
            counts_.change(block[i], word, static_cast<std::int32_t>(i - next));
            counts_.refresh(block[i]);
        }
        allocation_.reserve(size);
        allocation_.clear();
        if (!scheme_.many(counts_, word, size, allocation_)) {
            if (!scheme_.too_large || size <= kSafePart) return false;
            for (std::int64_t i = 0; i < size; ++i) {
                counts_.change(block[i], word, +1);
                counts_.refresh(block[i]);
            }
            return update_in_parts(word, block, size, kSafePart);
        }
        for (std::int64_t i = 0; i < allocation_.n_topics(); ++i) {
            const std::int32_t topic = allocation_.topic(i);
            for (std::int64_t n = 0; n < allocation_.count(i); ++n) *block++ = topic;
            counts_.change(topic, word, static_cast<std::int32_t>(allocation_.count(i)));
            counts_.refresh(topic);
        }
        return true;
    }

    CorpusView corpus_;
    std::int64_t max_block_;
    Rng rng_;
    std::int32_t* topics_;
    typename Scheme::Counts counts_;
    Scheme scheme_;
    Allocation allocation_;
};

// Sweeps by a scheme, built for the kind of word prior at hand.
template <template <class> class Scheme>
Outcome run_blocks(const CorpusView& corpus, const PriorsView& priors, const BlockOptions& options,
                   const Rng& rng, std::int32_t* topics, std::int64_t n_sweeps) {
    if (priors.beta_stride == 0) {
        return BlockSweep<Scheme<EqualPrior>>(corpus, priors, options, rng, topics).run(n_sweeps);
    }
    return BlockSweep<Scheme<RowPrior>>(corpus, priors, options, rng, topics).run(n_sweeps);
}

// The vector with x in one of its lanes, or as it is if it has no such lane.
BLOCKLDA_INLINE Vec with_lane(Vec value, std::int64_t lane, double x) {
    typedef std::int64_t Lanes __attribute__((vector_size(sizeof(Vec))));
    static constexpr std::int64_t kNumbers[] = {0, 1, 2, 3, 4, 5, 6, 7};
    Lanes numbers;
    std::memcpy(&numbers, kNumbers, sizeof numbers);
    return numbers == lane ? x - Vec{} : value;  // Vec{} + x would be a sum: of a negative zero
}

// A block of one token: inversion of the K weights a_k b_k / c_k. The counts contain the token in
// topic `old`, whose weight is replaced on the way: a token that stays writes nothing, and no load
// of a vector waits for a store into it.
template <class Counts>
inline bool fill_single(TopicTable& table, double* prefix, Counts& counts,
                        const typename Counts::Word& word, std::int64_t old) {
    const double* rate_1 = counts.cached_rate(1);
    const double stays = counts.weight_without_one(old, word);
    return table.fill(prefix, counts.padded(), [=](std::int64_t i) {
        return with_lane(load<Vec>(rate_1 + i) * word.b(i), old - i, stays);
    });
}

}  // namespace blocklda::BLOCKLDA_ISA
