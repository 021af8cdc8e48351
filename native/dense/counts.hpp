// The counts n_dk, n_vk and n_k of a sweep, and what the block conditionals need of them.
#pragma once

#include <cstdint>
#include <cstring>

#include "shared/buffer.hpp"
#include "shared/simd.hpp"
#include "shared/views.hpp"

namespace blocklda::BLOCKLDA_ISA {

// rate_j(k) = (a_k + j - 1) / (j (c_k + j - 1)), with a_k = n_dk + alpha_k and c_k = n_k + V beta:
// the part of q_k(j) / q_k(j - 1) that does not depend on the word.
inline double rate(double a, double c, std::int64_t j) {
    const auto n = static_cast<double>(j - 1);
    return (a + n) / (static_cast<double>(j) * (c + n));
}

// The prior of one word, beta_kv for all topics k. A prior that is the same everywhere is a number
// in a register: a row of it would compete with the counts for the first cache.
struct EqualPrior {
    double beta;
    float beta_float;
    BLOCKLDA_INLINE Vec at(std::int64_t) const { return Vec{} + beta; }
    double of(std::int64_t) const { return beta; }
    float float_of(std::int64_t) const { return beta_float; }
    static EqualPrior of_word(const PriorsView& priors, std::int64_t) {
        return {priors.beta[0], static_cast<float>(priors.beta[0])};
    }
};
struct RowPrior {
    const double* row;
    BLOCKLDA_INLINE Vec at(std::int64_t i) const { return load<Vec>(row + i); }
    double of(std::int64_t k) const { return row[k]; }
    float float_of(std::int64_t k) const { return static_cast<float>(row[k]); }
    static RowPrior of_word(const PriorsView& priors, std::int64_t word) {
        return {priors.beta + word * priors.beta_stride};
    }
};

// b_k = n_vk + beta_kv of one word.
template <class Prior, class Count = std::int32_t>
struct WordCounts {
    Count* n_v;
    Prior prior;
    BLOCKLDA_INLINE Vec b(std::int64_t i) const { return load_counts(n_v + i) + prior.at(i); }
    double b_of(std::int64_t k) const { return static_cast<double>(n_v[k]) + prior.of(k); }
};

// Counts the tokens of a document by topic. Two counts by turns: the tokens of one topic are often
// neighbours, and each would wait for the one before it. `every_other` is 0 before and after.
inline void count_document(const std::int32_t* topics, std::int64_t n_tokens, std::int64_t padded,
                           std::int32_t* n_d, std::int32_t* every_other) {
    std::memset(n_d, 0, static_cast<std::size_t>(padded) * sizeof(*n_d));
    std::int64_t i = 0;
    for (; i + 1 < n_tokens; i += 2) {
        ++n_d[topics[i]];
        ++every_other[topics[i + 1]];
    }
    if (i < n_tokens) ++n_d[topics[i]];
    for (std::int64_t k = 0; k < padded; ++k) {
        n_d[k] += every_other[k];
        every_other[k] = 0;
    }
}

// The first kRates rates are kept up to date topic by topic, so that most blocks divide for the few
// topics that changed and not for all K. One is enough for single tokens; four cost one division of
// a vector.
template <int kRates, class Prior>
class Counts {
  public:
    using Word = WordCounts<Prior>;

    Counts(const CorpusView& corpus, const PriorsView& priors, const BlockOptions&,
           const std::int32_t* topics)
        : priors_(priors),
          padded_(priors.padded),
          stride_(priors.padded + kLanes),
          n_vk_(corpus.n_words * padded_),
          n_k_(padded_),
          n_dk_(padded_),
          a_(padded_),
          c_(padded_),
          rates_(stride_ * kRates) {
        const std::int64_t n_entries = corpus.doc_offsets[corpus.n_docs];
        std::int64_t token = 0;
        for (std::int64_t e = 0; e < n_entries; ++e) {
            std::int32_t* row = word_row(corpus.word_ids[e]);
            for (std::int32_t i = 0; i < corpus.counts[e]; ++i, ++token) {
                ++row[topics[token]];
                ++n_k_[topics[token]];
            }
        }
    }

    std::int64_t n_topics() const { return priors_.n_topics; }
    std::int64_t padded() const { return padded_; }

    Word word(std::int64_t v) { return {word_row(v), Prior::of_word(priors_, v)}; }
    std::int32_t* word_row(std::int64_t word) { return n_vk_.data() + word * padded_; }
    void prefetch_word(std::int64_t word) {
        const std::int32_t* row = word_row(word);
        for (std::int64_t k = 0; k < padded_; k += 64 / sizeof(std::int32_t)) {
            __builtin_prefetch(row + k);
        }
    }
    const double* a() { return a_.data(); }
    const double* c() { return c_.data(); }
    std::int64_t rate_stride() const { return stride_; }
    std::int64_t live_rates() const { return live_rates_; }
    const double* cached_rate(int j) { return rates_.data() + (j - 1) * stride_; }

    // `largest_block` is the size of the document's largest block: no further rates are needed.
    void start_document(const std::int32_t* topics, std::int64_t n_tokens,
                        std::int64_t largest_block) {
        live_rates_ =
            kRates == 1 ? 1 : (largest_block < kRates ? (largest_block + 3) / 4 * 4 : kRates);
        std::memset(n_dk_.data(), 0, static_cast<std::size_t>(padded_) * sizeof(std::int32_t));
        for (std::int64_t i = 0; i < n_tokens; ++i) ++n_dk_[topics[i]];
        for (std::int64_t k = 0; k < padded_; k += kWidth) {
            const Vec a = load_counts(n_dk_.data() + k) + load<Vec>(priors_.alpha + k);
            const Vec c = load_counts(n_k_.data() + k) + load<Vec>(priors_.beta_sum + k);
            store(a_.data() + k, a);
            store(c_.data() + k, c);
            for (std::int64_t j = 1; j <= live_rates_; ++j) {
                const auto n = static_cast<double>(j - 1);
                const Vec rate_j = (a + n) / (static_cast<double>(j) * (c + n));
                store(rates_.data() + (j - 1) * stride_ + k, rate_j);
            }
        }
        // Padding would be 0 / 0; it must weigh nothing and must not divide by zero later.
        for (std::int64_t k = priors_.n_topics; k < padded_; ++k) {
            c_[k] = 1.0;
            for (std::int64_t j = 0; j < live_rates_; ++j) rates_[j * stride_ + k] = 0.0;
        }
    }

    // Move tokens out of or into topic k; `refresh` must follow before the topic is used.
    void change(std::int64_t k, const Word& word, std::int32_t by) {
        n_dk_[k] += by;
        word.n_v[k] += by;
        n_k_[k] += by;
    }

    void refresh(std::int64_t k) {
        const double a = static_cast<double>(n_dk_[k]) + priors_.alpha[k];
        const double c = static_cast<double>(n_k_[k]) + priors_.beta_sum[k];
        a_[k] = a;
        c_[k] = c;
        if constexpr (kRates == 1) {
            rates_[k] = rate(a, c, 1);
        } else {
            static_assert(kRates % 4 == 0);
            for (std::int64_t j = 0; j < live_rates_; j += 4) {
                const Vec4 n = Vec4{0.0, 1.0, 2.0, 3.0} + static_cast<double>(j);
                const Vec4 rates = (a + n) / ((n + 1.0) * (c + n));
                for (int i = 0; i < 4; ++i) rates_[(j + i) * stride_ + k] = rates[i];
            }
        }
    }

    // The weight a_k b_k / c_k of the topic k of a token, with the token taken out of the counts.
    double weight_without_one(std::int64_t k, const Word& word) const {
        return rate(static_cast<double>(n_dk_[k] - 1) + priors_.alpha[k],
                    static_cast<double>(n_k_[k] - 1) + priors_.beta_sum[k], 1) *
               (static_cast<double>(word.n_v[k] - 1) + word.prior.of(k));
    }

  private:
    PriorsView priors_;
    std::int64_t padded_;
    // One cache line more than a row: rows a power of two apart would share their cache sets.
    std::int64_t stride_;
    std::int64_t live_rates_ = 0;
    Buffer<std::int32_t> n_vk_;
    Buffer<std::int32_t> n_k_;
    Buffer<std::int32_t> n_dk_;
    Buffer<double> a_;
    Buffer<double> c_;
    Buffer<double> rates_;
};

}  // namespace blocklda::BLOCKLDA_ISA
