// One token drawn from its conditional, given dense counts that have the token in them.
#pragma once

#include <cstdint>
#include <cstring>

#include "dense/counts.hpp"
#include "shared/buffer.hpp"
#include "shared/certified.hpp"
#include "shared/exact_draw.hpp"
#include "shared/views.hpp"

namespace blocklda::BLOCKLDA_ISA {

// Counts as floats, and a word's prior as floats.
BLOCKLDA_INLINE FloatVec float_counts(const std::int32_t* from) {
#if defined(__AVX__)
    return _mm256_cvtepi32_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
#elif defined(__SSE2__)
    return _mm_cvtepi32_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
#else
    FloatVec value;
    for (int l = 0; l < kFloatWidth; ++l) value[l] = static_cast<float>(from[l]);
    return value;
#endif
}

BLOCKLDA_INLINE FloatVec float_counts(const std::uint16_t* from) {
#if defined(__AVX2__)
    return _mm256_cvtepi32_ps(
        _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
#elif defined(__SSE2__)
    const __m128i eight = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
    return _mm_cvtepi32_ps(_mm_unpacklo_epi16(eight, _mm_setzero_si128()));
#else
    FloatVec value;
    for (int l = 0; l < kFloatWidth; ++l) value[l] = static_cast<float>(from[l]);
    return value;
#endif
}

BLOCKLDA_INLINE FloatVec prior_floats(const EqualPrior& prior, std::int64_t) {
    return broadcast(prior.beta_float);
}
BLOCKLDA_INLINE FloatVec prior_floats(const RowPrior& prior, std::int64_t k) {
    FloatVec value;
    for (int l = 0; l < kFloatWidth; ++l) value[l] = static_cast<float>(prior.row[k + l]);
    return value;
}

// The weights h_k (n_vk + beta_kv) of a word's topics in single precision, a vector at a time.
template <class Prior, class Count>
struct FloatWeights {
    const float* h;
    const Count* n_v;
    Prior prior;

    BLOCKLDA_INLINE FloatVec at(std::int64_t k) const {
        return load<FloatVec>(h + k) * (float_counts(n_v + k) + prior_floats(prior, k));
    }
};

// A document's counts n_dk, the totals n_k, and h_k = (n_dk + alpha_k) / (n_k + V beta) as floats.
// The weight of topic k for a token of word v is h_k (n_vk + beta_kv); of the token's own topic it
// is that of the counts without the token.
template <class Prior, class Count>
class TokenDraw {
  public:
    using Word = WordCounts<Prior, Count>;

    TokenDraw(const PriorsView& priors, std::int32_t* n_k, double share_of_bound = 1.0)
        : priors_(priors),
          n_k_(n_k),
          n_d_(priors.padded),
          every_other_(priors.padded),
          beta_sum_(priors.padded),
          float_alpha_(priors.padded),
          float_beta_sum_(priors.padded),
          h_(priors.padded + kColumns),
          filter_(priors.padded, kRoundings, share_of_bound),
          exact_(priors.padded) {
        const std::int64_t n_beta = priors.beta_stride == 0 ? 1 : 0;
        use_filter_ = filter_.is_short() &&
                      CertifiedDraw::is_in_range(priors.alpha, priors.n_topics) &&
                      CertifiedDraw::is_in_range(priors.beta_sum, priors.n_topics) &&
                      CertifiedDraw::is_in_range(priors.beta, n_beta);
        // Padding divides by 1 and weighs nothing.
        for (std::int64_t k = 0; k < priors.padded; ++k) {
            beta_sum_[k] = k < priors.n_topics ? priors.beta_sum[k] : 1.0;
            float_beta_sum_[k] = static_cast<float>(beta_sum_[k]);
            float_alpha_[k] = static_cast<float>(priors.alpha[k]);
        }
    }

    // The range of one more row of beta.
    void check_prior(const double* row) {
        use_filter_ = use_filter_ && CertifiedDraw::is_in_range(row, priors_.n_topics);
    }

    std::int32_t* n_d() { return n_d_.data(); }

    void start_document(const std::int32_t* topics, std::int64_t n_tokens) {
        count_document(topics, n_tokens, priors_.padded, n_d_.data(), every_other_.data());
        refresh_all();
    }
    void refresh_all() {
        for (std::int64_t k = 0; k < priors_.padded; ++k) refresh(k);
    }

    // A word's weights, for `draw` until a token moves.
    BLOCKLDA_INLINE ColumnSums add_up(const Word& word) {
        return filter_.add_up(FloatWeights<Prior, Count>{h_.data(), word.n_v, word.prior});
    }

    BLOCKLDA_INLINE std::int32_t filtered(const ColumnSums& sums, const Word& word,
                                          std::int32_t old, double u) {
        without_ = h_of(old, n_d_[old] - 1, n_k_[old] - 1);
        if (!use_filter_) return CertifiedDraw::kUndecided;
        const float prior = word.prior.float_of(old);
        const float present = h_[old] * (static_cast<float>(word.n_v[old]) + prior);
        const float stays = without_ * (static_cast<float>(word.n_v[old] - 1) + prior);
        return filter_.topic(sums, old, present, stays, u);
    }

    // What defines the draw.
    [[gnu::noinline]] std::int32_t in_doubles(const Word& word, std::int32_t old, double u) {
        const auto weight = [this, &word](std::int64_t k) {
            const Vec a = load_counts(n_d_.data() + k) + load<Vec>(priors_.alpha + k);
            const Vec c = load_counts(n_k_ + k) + load<Vec>(beta_sum_.data() + k);
            return (a / c) * word.b(k);
        };
        const double a = static_cast<double>(n_d_[old] - 1) + priors_.alpha[old];
        const double c = static_cast<double>(n_k_[old] - 1) + beta_sum_[old];
        const double b = static_cast<double>(word.n_v[old] - 1) + word.prior.of(old);
        return exact_.topic(weight, old, (a / c) * b, u);
    }

    // The token that was drawn last.
    BLOCKLDA_INLINE void move(const Word& word, std::int32_t from, std::int32_t to) {
        change(word, from, -1);
        h_[from] = without_;
        change(word, to, +1);
        refresh(to);
    }

    std::int64_t n_undecided = 0;

  private:
    // A weight is made of three sums of a count and a prior, a division and a product.
    static constexpr std::int64_t kRoundings = 8;

    float h_of(std::int64_t k, std::int32_t n_d, std::int32_t n_k) const {
        return (static_cast<float>(n_d) + float_alpha_[k]) /
               (static_cast<float>(n_k) + float_beta_sum_[k]);
    }
    void refresh(std::int64_t k) { h_[k] = h_of(k, n_d_[k], n_k_[k]); }
    BLOCKLDA_INLINE void change(const Word& word, std::int32_t k, std::int32_t by) {
        n_d_[k] += by;
        word.n_v[k] = static_cast<Count>(word.n_v[k] + by);
        n_k_[k] += by;
    }

    PriorsView priors_;
    std::int32_t* n_k_;
    bool use_filter_ = false;
    Buffer<std::int32_t> n_d_;
    Buffer<std::int32_t> every_other_;
    Buffer<double> beta_sum_;
    Buffer<float> float_alpha_;
    Buffer<float> float_beta_sum_;
    Buffer<float> h_;
    float without_ = 0.0F;  // h of the topic of the token that was drawn last, without the token
    CertifiedDraw filter_;
    ExactDraw exact_;
};

}  // namespace blocklda::BLOCKLDA_ISA
