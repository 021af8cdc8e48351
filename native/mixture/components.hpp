// The components of a mixture in slots: their documents, their words, and what one more copy of a
// document weighs in each.
#pragma once

#include <cstdint>

#include "mixture/scaled.hpp"
#include "mixture/word_lists.hpp"
#include "shared/buffer.hpp"
#include "shared/simd.hpp"
#include "shared/views.hpp"

namespace blocklda::BLOCKLDA_ISA {

inline constexpr std::int32_t kNoSlot = -1;

class Components {
  public:
    Components(const CorpusView& corpus, const MixtureView& mixture)
        : corpus_(corpus),
          mixture_(mixture),
          lists_(corpus),
          sizes_(mixture.n_slots),
          size_weights_(padded(mixture.n_slots)),
          totals_(padded(mixture.n_slots)),
          leads_(padded(mixture.n_slots)),
          weights_(padded(mixture.n_slots)),
          exponents_(padded(mixture.n_slots)),
          end_(is_finite() ? mixture.n_slots : 0) {
        for (std::int64_t c = 0; c < end_; ++c) weigh_size(c);
        double largest = mixture.beta_sum;
        for (std::int64_t e = 0; e < first(corpus.n_docs); ++e) largest += corpus.counts[e];
        largest_bits_ = exponent_of(2.0 * largest) + 6;
    }

    bool is_finite() const { return mixture_.is_finite; }
    std::int64_t size(std::int64_t slot) const { return sizes_[slot]; }

    // One behind the last slot in use.
    std::int64_t end() const { return end_; }

    std::int64_t n_words_of(std::int64_t d) const {
        std::int64_t n = 0;
        for (std::int64_t e = first(d); e < first(d + 1); ++e) n += corpus_.counts[e];
        return n;
    }

    void add(std::int64_t d, std::int32_t slot) {
        ++sizes_[slot];
        weigh_size(slot);
        totals_[slot] += static_cast<double>(n_words_of(d));
        for (std::int64_t e = first(d); e < first(d + 1); ++e) {
            lists_.add(corpus_.word_ids[e], slot, corpus_.counts[e]);
        }
        if (slot >= end_) end_ = slot + 1;
    }

    void remove(std::int64_t d, std::int32_t slot) {
        --sizes_[slot];
        weigh_size(slot);
        totals_[slot] -= static_cast<double>(n_words_of(d));
        for (std::int64_t e = first(d); e < first(d + 1); ++e) {
            lists_.remove(corpus_.word_ids[e], slot, corpus_.counts[e]);
        }
        if (sizes_[slot] > 0 || is_finite()) return;
        if (slot < lowest_) lowest_ = slot;
        while (end_ > 0 && sizes_[end_ - 1] == 0) --end_;
    }

    // The lowest slot from `from` on that has no documents.
    std::int64_t free_slot(std::int64_t from = 0) {
        while (lowest_ < mixture_.n_slots && sizes_[lowest_] > 0) ++lowest_;
        std::int64_t slot = from > lowest_ ? from : lowest_;
        while (slot < mixture_.n_slots && sizes_[slot] > 0) ++slot;
        return slot;
    }

    // q_c(j) / q_c(j-1), j = copies + 1, for the first n_used slots, but for the factor of
    // `beta_part`: weight() 2^exponent(). `new_slot` weighs alpha, none if it is negative.
    void weigh(std::int64_t d, std::int64_t copies, std::int64_t n_used, std::int64_t new_slot) {
        lead(copies, n_used, new_slot);
        const std::int64_t N = n_words_of(d), n = padded(n_used);
        is_plain_ = N * largest_bits_ <= kPlainBits;
        const double before = static_cast<double>(copies * N);
        std::int64_t c = 0;
        for (; c + kTile <= n; c += kTile) weigh_without_words<kTile>(c, N, before);
        for (; c < n; c += kLanes) weigh_without_words<kLanes>(c, N, before);
        for (std::int64_t e = first(d); e < first(d + 1); ++e) {
            const std::int64_t x = corpus_.counts[e];
            if (x <= kFewFactors) {
                correct(corpus_.word_ids[e], x, copies);
            } else {
                correct_often(corpus_.word_ids[e], x, copies);
            }
        }
    }

    double weight(std::int64_t slot) const { return weights_[slot]; }
    std::int64_t exponent(std::int64_t slot) const { return exponents_[slot]; }

    // Divide all weights by one power of two, so that they are doubles.
    void align_weights(std::int64_t n_used) {
        if (is_plain_) return;  // they are: all exponents are 0
        const std::int64_t n = padded(n_used);
        std::int64_t top = kLowest;
        for (std::int64_t c = 0; c < n; ++c) {
            const double w = weights_[c];
            exponents_[c] = w == 0.0 ? kLowest : exponents_[c] + exponent_of(w);
            top = exponents_[c] > top ? exponents_[c] : top;
        }
        for (std::int64_t c = 0; c < n; ++c) {
            weights_[c] = aligned(mantissa_of(weights_[c]), exponents_[c], top);
        }
    }
    const double* weights() const { return weights_.data(); }

    // The product over words v of (beta_v + copies x_v) ... (beta_v + (copies + 1) x_v - 1).
    Scaled beta_part(std::int64_t d, std::int64_t copies) const {
        Scaled part = kOne;
        for (std::int64_t e = first(d); e < first(d + 1); ++e) {
            const std::int64_t x = corpus_.counts[e];
            part = part * rising(static_cast<double>(copies * x) + beta(corpus_.word_ids[e]), x);
        }
        return part;
    }

    // The words' part of a component without others: (B + copies N) ... (B + (copies + 1) N - 1).
    Scaled empty_part(std::int64_t d, std::int64_t copies) const {
        const std::int64_t N = n_words_of(d);
        return rising(static_cast<double>(copies * N) + mixture_.beta_sum, N);
    }

    static std::int64_t padded(std::int64_t n) { return round_up_to_lanes(n); }

  private:
    // Above it a weight is brought back to the range of mantissas. One more factor, which is below
    // 2^530, does not overflow.
    static constexpr double kFarFromOne = 0x1p+256;

    // Products of at most this many bits need no exponent: they are no further from the end of the
    // range than kFarFromOne is from the other.
    static constexpr std::int64_t kPlainBits = 600;

    // Slots whose products are in registers at a time.
    static constexpr int kTile = 4 * kLanes;

    // What stands for n_c: n_c itself, and n_c + alpha in a finite mixture.
    void weigh_size(std::int64_t slot) {
        const auto n = static_cast<double>(sizes_[slot]);
        size_weights_[slot] = is_finite() ? n + mixture_.alpha : n;
    }

    std::int64_t first(std::int64_t d) const { return corpus_.doc_offsets[d]; }
    double beta(std::int32_t v) const { return mixture_.beta[v]; }

    // What stands for n_c^(j) / j! over n_c^(j-1) / (j-1)!.
    void lead(std::int64_t copies, std::int64_t n_used, std::int64_t new_slot) {
        const double done = static_cast<double>(copies), next = static_cast<double>(copies + 1);
        for (std::int64_t c = 0; c < n_used; ++c) leads_[c] = size_weights_[c];
        if (copies > 0) {
            for (std::int64_t c = 0; c < n_used; ++c) {
                leads_[c] = leads_[c] == 0.0 ? 0.0 : (leads_[c] + done) / next;
            }
        }
        for (std::int64_t c = n_used; c < padded(n_used); ++c) leads_[c] = 0.0;
        if (new_slot >= 0) leads_[new_slot] = mixture_.alpha;
    }

    // Every component begins at its part without words, as if it had none of the document's.
    template <int n>
    void weigh_without_words(std::int64_t start, std::int64_t N, double before) {
        double c[n], product[n];
        for (int l = 0; l < n; ++l) {
            c[l] = (totals_[start + l] + before) + mixture_.beta_sum;
            product[l] = 1.0;
        }
        std::int64_t exponent[n] = {};
        if (is_plain_) {
            multiply_range<n>(c, 0, N, product);
        } else {
            for (std::int64_t i = 0; i < N; i += kFewFactors) {
                multiply_range<n>(c, i, i + kFewFactors < N ? i + kFewFactors : N, product);
                for (int l = 0; l < n; ++l) {
                    exponent[l] += exponent_of(product[l]);
                    product[l] = mantissa_of(product[l]);
                }
            }
        }
        for (int l = 0; l < n; ++l) {
            weights_[start + l] = leads_[start + l] / product[l];
            exponents_[start + l] = -exponent[l];
        }
    }

    // product[l] (c[l] + i) (c[l] + i + 1) ... (c[l] + end - 1)
    template <int n>
    static void multiply_range(const double (&c)[n], std::int64_t i, std::int64_t end,
                               double (&product)[n]) {
        for (; i < end; ++i) {
            const auto more = static_cast<double>(i);
            for (int l = 0; l < n; ++l) product[l] *= c[l] + more;
        }
    }

    // Correct the components that have a word, for the x times that a document has it.
    void correct(std::int32_t v, std::int64_t x, std::int64_t copies) {
        const double before = static_cast<double>(copies * x), prior = beta(v);
        const double unseen = 1.0 / short_rising(before + prior, x);
        const std::int32_t* slots = lists_.slots(v);
        const std::int32_t* counts = lists_.counts(v);
        const std::int64_t n = lists_.length(v);
        for (std::int64_t i = 0; i < n; ++i) {
            const double b = (static_cast<double>(counts[i]) + before) + prior;
            const double seen = x == 1 ? b : short_rising(b, x);
            multiply(slots[i], seen * unseen);
        }
    }

    void correct_often(std::int32_t v, std::int64_t x, std::int64_t copies) {
        const double before = static_cast<double>(copies * x), prior = beta(v);
        const Scaled unseen = kOne / rising(before + prior, x);
        const std::int32_t* slots = lists_.slots(v);
        const std::int32_t* counts = lists_.counts(v);
        const std::int64_t n = lists_.length(v);
        for (std::int64_t i = 0; i < n; ++i) {
            const double b = (static_cast<double>(counts[i]) + before) + prior;
            const Scaled factor = rising(b, x) * unseen;
            is_plain_ = false;
            multiply(slots[i], factor.mantissa);
            exponents_[slots[i]] += factor.exponent;
        }
    }

    void multiply(std::int32_t slot, double factor) {
        const double product = weights_[slot] * factor;
        if (product < kFarFromOne) {
            weights_[slot] = product;
            return;
        }
        is_plain_ = false;
        weights_[slot] = mantissa_of(product);
        exponents_[slot] += exponent_of(product);
    }

    const CorpusView& corpus_;
    const MixtureView& mixture_;
    WordLists lists_;
    Buffer<std::int64_t> sizes_;
    Buffer<double> size_weights_;
    Buffer<double> totals_;
    Buffer<double> leads_;
    Buffer<double> weights_;
    Buffer<std::int64_t> exponents_;
    std::int64_t end_;
    std::int64_t lowest_ = 0;
    std::int64_t largest_bits_ = 0;  // of a factor: n_c + B and the words of a block's copies
    bool is_plain_ = false;          // whether all exponents are 0
};

}  // namespace blocklda::BLOCKLDA_ISA
