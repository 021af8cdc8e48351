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
          totals_(padded(mixture.n_slots)),
          leads_(padded(mixture.n_slots)),
          weights_(padded(mixture.n_slots)),
          exponents_(padded(mixture.n_slots)),
          end_(is_finite() ? mixture.n_slots : 0) {}

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
        totals_[slot] += static_cast<double>(n_words_of(d));
        for (std::int64_t e = first(d); e < first(d + 1); ++e) {
            lists_.add(corpus_.word_ids[e], slot, corpus_.counts[e]);
        }
        if (slot >= end_) end_ = slot + 1;
    }

    void remove(std::int64_t d, std::int32_t slot) {
        --sizes_[slot];
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

    // What stands for n_c: n_c itself, and n_c + alpha in a finite mixture.
    double size_weight(std::int64_t slot) const {
        const auto n = static_cast<double>(sizes_[slot]);
        return is_finite() ? n + mixture_.alpha : n;
    }

    // q_c(j) / q_c(j-1), j = copies + 1, for the first n_used slots, but for the factor of
    // `beta_part`: weight() 2^exponent(). `new_slot` weighs alpha, none if it is negative.
    void weigh(std::int64_t d, std::int64_t copies, std::int64_t n_used, std::int64_t new_slot) {
        const double done = static_cast<double>(copies), next = static_cast<double>(copies + 1);
        for (std::int64_t c = 0; c < n_used; ++c) leads_[c] = (size_weight(c) + done) / next;
        if (copies > 0 && !is_finite()) {
            for (std::int64_t c = 0; c < n_used; ++c) {
                if (sizes_[c] == 0) leads_[c] = 0.0;
            }
        }
        if (new_slot >= 0) leads_[new_slot] = mixture_.alpha;
        for (std::int64_t c = n_used; c < padded(n_used); ++c) leads_[c] = 0.0;
        weigh_without_words(n_words_of(d), copies, padded(n_used));
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

    // The weights as doubles over a power of two; the largest is below 1.
    void align_weights(std::int64_t n_used) {
        const std::int64_t n = padded(n_used);
        std::int64_t top = kLowest;
        for (std::int64_t c = 0; c < n; ++c) {
            const double w = weights_[c];
            exponents_[c] = w == 0.0 ? kLowest : exponents_[c] + exponent_of(w);
            top = exponents_[c] > top ? exponents_[c] : top;
        }
        for (std::int64_t c = 0; c < n; ++c) {
            const double mantissa = mantissa_of(weights_[c]);
            const std::int64_t below = exponents_[c] - top;
            const std::int64_t kept = below < kNegligible ? kNegligible : below;
            weights_[c] = below < kNegligible ? 0.0 : mantissa * power_of_two(kept);
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

    std::int64_t first(std::int64_t d) const { return corpus_.doc_offsets[d]; }
    double beta(std::int32_t v) const { return mixture_.beta[v]; }

    // Every component begins at its part without words, as if it had none of the document's.
    void weigh_without_words(std::int64_t N, std::int64_t copies, std::int64_t n) {
        const double before = static_cast<double>(copies * N), B = mixture_.beta_sum;
        for (std::int64_t start = 0; start < n; start += kLanes) {
            double c[kLanes], product[kLanes];
            std::int64_t exponent[kLanes] = {};
            for (int l = 0; l < kLanes; ++l) {
                c[l] = (totals_[start + l] + before) + B;
                product[l] = 1.0;
            }
            for (std::int64_t i = 0; i < N; i += kFewFactors) {
                const std::int64_t end = i + kFewFactors < N ? i + kFewFactors : N;
                for (std::int64_t k = i; k < end; ++k) {
                    const auto more = static_cast<double>(k);
                    for (int l = 0; l < kLanes; ++l) product[l] *= c[l] + more;
                }
                for (int l = 0; l < kLanes; ++l) {
                    exponent[l] += exponent_of(product[l]);
                    product[l] = mantissa_of(product[l]);
                }
            }
            for (int l = 0; l < kLanes; ++l) {
                weights_[start + l] = leads_[start + l] / product[l];
                exponents_[start + l] = -exponent[l];
            }
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
        weights_[slot] = mantissa_of(product);
        exponents_[slot] += exponent_of(product);
    }

    const CorpusView& corpus_;
    const MixtureView& mixture_;
    WordLists lists_;
    Buffer<std::int64_t> sizes_;
    Buffer<double> totals_;
    Buffer<double> leads_;
    Buffer<double> weights_;
    Buffer<std::int64_t> exponents_;
    std::int64_t end_;
    std::int64_t lowest_ = 0;
};

}  // namespace blocklda::BLOCKLDA_ISA
