// One token drawn from its conditional given phi.
#pragma once

#include <cstdint>

#include "shared/buffer.hpp"
#include "shared/certified.hpp"
#include "shared/exact_draw.hpp"
#include "shared/simd.hpp"

namespace blocklda::BLOCKLDA_ISA {

// phi of one word, in doubles and rounded.
struct WordGivenPhi {
    const double* phi;
    const float* rounded;
};

// The weights h_k phi_kv of a word's topics in single precision, with h_k = n_dk + alpha_k.
struct FloatWeightsGivenPhi {
    const float* h;
    const float* phi;

    BLOCKLDA_INLINE FloatVec at(std::int64_t k) const {
        return load<FloatVec>(h + k) * load<FloatVec>(phi + k);
    }
};

// The weight of topic k for a token of word v in document d is (n_dk + alpha_k) phi_kv; of the
// token's own topic it is that of the counts without the token. The counts are those of several
// documents, so that phi of a word is read and rounded once for all that have it.
class TokenGivenPhi {
  public:
    using Word = WordGivenPhi;

    TokenGivenPhi(const double* alpha, std::int64_t padded, std::int64_t n_docs,
                  double share_of_bound = 1.0)
        : alpha_(alpha),
          padded_(padded),
          float_alpha_(padded + kColumns),
          n_dk_(n_docs * padded + kColumns),
          all_h_(n_docs * padded + kColumns),
          phi_(padded),
          filter_(padded, kRoundings, share_of_bound),
          exact_(padded) {
        use_filter_ =
            filter_.is_short() && CertifiedDraw::is_in_range(alpha, padded, 0.0, kLargestAlpha);
        for (std::int64_t k = 0; k < padded; ++k) float_alpha_[k] = static_cast<float>(alpha[k]);
    }

    std::int32_t* n_d(std::int64_t document) { return n_dk_.data() + document * padded_; }
    // After the tokens of all documents have been counted.
    void start(std::int64_t n_docs) {
        for (std::int64_t d = 0; d < n_docs; ++d) {
            use_document(d);
            for (std::int64_t k = 0; k < padded_; ++k) h_[k] = h_of(k, n_d_[k]);
        }
    }

    void use_document(std::int64_t document) {
        n_d_ = n_d(document);
        h_ = all_h_.data() + document * padded_;
    }

    void prefetch(std::int64_t document) const {
        prefetch_row(all_h_.data() + document * padded_, padded_);
    }

    // A word for the draws below, until the next one is made.
    Word word(const double* phi_v) {
        float* rounded = phi_.data();
        const Vec smallest = Vec{} + kSmallestPhi;
        for (std::int64_t k = 0; k < padded_; k += kWidth) {
            const Vec phi = load<Vec>(phi_v + k);
            store_as_floats(rounded + k, phi < smallest ? Vec{} : phi);
        }
        return {phi_v, rounded};
    }

    BLOCKLDA_INLINE ColumnSums add_up(const Word& word) {
        return filter_.add_up(FloatWeightsGivenPhi{h_, word.rounded});
    }

    BLOCKLDA_INLINE std::int32_t filtered(const ColumnSums& sums, const Word& word,
                                          std::int32_t old, double u) {
        without_ = h_of(old, n_d_[old] - 1);
        if (!use_filter_ || !(sums.all >= kSmallestSum)) return CertifiedDraw::kUndecided;
        const float phi = word.rounded[old];
        return filter_.topic(sums, old, h_[old] * phi, without_ * phi, u);
    }

    // What defines the draw.
    [[gnu::noinline]] std::int32_t in_doubles(const Word& word, std::int32_t old, double u) {
        const auto weight = [this, &word](std::int64_t k) {
            return (load_counts(n_d_ + k) + load<Vec>(alpha_ + k)) * load<Vec>(word.phi + k);
        };
        const double stays = (static_cast<double>(n_d_[old] - 1) + alpha_[old]) * word.phi[old];
        return exact_.topic(weight, old, stays, u);
    }

    // The token that was drawn last.
    BLOCKLDA_INLINE void move(const Word&, std::int32_t from, std::int32_t to) {
        --n_d_[from];
        h_[from] = without_;
        ++n_d_[to];
        h_[to] = h_of(to, n_d_[to]);
    }

    std::int64_t n_undecided = 0;

  private:
    // A weight is a sum of a count and a prior times phi: two roundings, one, and that of a
    // product.
    static constexpr std::int64_t kRoundings = 4;
    // Of phi, very small numbers are common. They are left out of the weights in single precision;
    // beside a sum of weights that is not very small itself, all of them are less than its rounding
    // errors. Without numbers below the normal range no product is slow.
    static constexpr double kLargestAlpha = 0x1p+20;
    static constexpr double kSmallestPhi = 0x1p-110;
    static constexpr float kSmallestSum = 0x1p-40F;

    float h_of(std::int64_t k, std::int32_t n_d) const {
        return static_cast<float>(n_d) + float_alpha_[k];
    }

    const double* alpha_;
    std::int64_t padded_;
    bool use_filter_ = false;
    // Longer than topics need: with a negative phi the topic may be one of the columns behind them.
    Buffer<float> float_alpha_;
    Buffer<std::int32_t> n_dk_;
    Buffer<float> all_h_;
    Buffer<float> phi_;
    std::int32_t* n_d_ = nullptr;  // of the document in use
    float* h_ = nullptr;
    float without_ = 0.0F;  // h of the topic of the token that was drawn last, without the token
    CertifiedDraw filter_;
    ExactDraw exact_;
};

}  // namespace blocklda::BLOCKLDA_ISA
