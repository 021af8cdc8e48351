// One token drawn in one group of words, given the mass that each topic has there.
#pragma once

#include <cstdint>
#include <cstring>

#include "dense/token_draw.hpp"

namespace blocklda::BLOCKLDA_ISA {

// The weight of topic k for a token of word v in document d is
//     (n_dk + alpha_k) mu_k / (n_k + beta_k) (n_vk + beta_kv),
// where n_k, beta_k and mu_k are the topic's tokens, the sum of its priors and its mass in the
// group of v; of the token's own topic it is that of the counts without the token. In single
// precision it is h_k (n_vk + beta_kv), with h_k = (n_dk + alpha_k) r_k and r_k = mu_k / (n_k +
// beta_k).
template <class Prior, class Count>
class CellDraw {
  public:
    using Word = WordCounts<Prior, Count>;

    explicit CellDraw(const PriorsView& priors, double share_of_bound = 1.0)
        : priors_(priors),
          counted_(priors.padded),
          every_other_(priors.padded),
          beta_sum_(priors.padded),
          masses_(priors.padded),
          float_alpha_(priors.padded),
          float_beta_sum_(priors.padded),
          float_masses_(priors.padded),
          r_(priors.padded),
          h_(priors.padded + kColumns),
          filter_(priors.padded, kRoundings, share_of_bound),
          exact_(priors.padded) {
        for (std::int64_t k = 0; k < priors.padded; ++k) {
            float_alpha_[k] = static_cast<float>(priors.alpha[k]);
        }
        are_priors_in_range_ = filter_.is_short() && in_range(priors.alpha, priors.n_topics) &&
                               (priors.beta_stride != 0 || in_range(priors.beta, 1));
    }

    // The range of one more row of beta.
    void check_prior(const double* row) {
        are_priors_in_range_ = are_priors_in_range_ && in_range(row, priors_.n_topics);
    }

    // After all rows of beta were checked.
    void start_group(const GroupView& group) {
        n_k_ = group.totals;
        // Padding divides by 1 and weighs nothing.
        for (std::int64_t k = 0; k < priors_.padded; ++k) {
            const bool is_topic = k < priors_.n_topics;
            beta_sum_[k] = is_topic ? group.beta_sum[k] : 1.0;
            masses_[k] = is_topic ? group.masses[k] : 0.0;
            float_beta_sum_[k] = static_cast<float>(beta_sum_[k]);
            float_masses_[k] = static_cast<float>(masses_[k]);
        }
        for (std::int64_t k = 0; k < priors_.padded; ++k) r_[k] = r_of(k, n_k_[k]);
        use_filter_ =
            are_priors_in_range_ && in_range(beta_sum_.data(), priors_.n_topics) &&
            CertifiedDraw::is_in_range(masses_.data(), priors_.n_topics, kSmallestMass, 1.0);
    }

    // The counts n_dk of a document, of all its tokens, those of other groups of words included.
    void use_document(std::int32_t* n_d) {
        n_d_ = n_d;
        for (std::int64_t k = 0; k < priors_.padded; ++k) h_[k] = h_of(k, n_d_[k]);
    }
    // The same, counted here.
    void count_tokens(const std::int32_t* topics, std::int64_t n_tokens) {
        count_document(topics, n_tokens, priors_.padded, counted_.data(), every_other_.data());
        use_document(counted_.data());
    }

    // A word's weights, for `draw` until a token moves.
    BLOCKLDA_INLINE ColumnSums add_up(const Word& word) {
        return filter_.add_up(FloatWeights<Prior, Count>{h_.data(), word.n_v, word.prior});
    }

    BLOCKLDA_INLINE std::int32_t filtered(const ColumnSums& sums, const Word& word,
                                          std::int32_t old, double u) {
        r_without_ = r_of(old, n_k_[old] - 1);
        h_without_ = (static_cast<float>(n_d_[old] - 1) + float_alpha_[old]) * r_without_;
        if (!use_filter_) return CertifiedDraw::kUndecided;
        const float prior = word.prior.float_of(old);
        const float present = h_[old] * (static_cast<float>(word.n_v[old]) + prior);
        const float stays = h_without_ * (static_cast<float>(word.n_v[old] - 1) + prior);
        return filter_.topic(sums, old, present, stays, u);
    }

    // What defines the draw.
    [[gnu::noinline]] std::int32_t in_doubles(const Word& word, std::int32_t old, double u) {
        const auto weight = [this, &word](std::int64_t k) {
            const Vec a = load_counts(n_d_ + k) + load<Vec>(priors_.alpha + k);
            const Vec c = load_counts(n_k_ + k) + load<Vec>(beta_sum_.data() + k);
            return ((a / c) * load<Vec>(masses_.data() + k)) * word.b(k);
        };
        const double a = static_cast<double>(n_d_[old] - 1) + priors_.alpha[old];
        const double c = static_cast<double>(n_k_[old] - 1) + beta_sum_[old];
        const double b = static_cast<double>(word.n_v[old] - 1) + word.prior.of(old);
        return exact_.topic(weight, old, ((a / c) * masses_[old]) * b, u);
    }

    // The token that was drawn last.
    BLOCKLDA_INLINE void move(const Word& word, std::int32_t from, std::int32_t to) {
        change(word, from, -1);
        r_[from] = r_without_;
        h_[from] = h_without_;
        change(word, to, +1);
        r_[to] = r_of(to, n_k_[to]);
        h_[to] = h_of(to, n_d_[to]);
    }

    std::int64_t n_undecided = 0;

  private:
    // A weight is made of three sums of a count and a prior, a mass, a division and two products.
    static constexpr std::int64_t kRoundings = 10;
    // With priors between these bounds, and masses from this one to 1, weights lie between 2^-124
    // and 2^94.
    static constexpr double kSmallestPriorHere = 0x1p-30;
    static constexpr double kLargestPriorHere = 0x1p+30;
    static constexpr double kSmallestMass = 0x1p-32;

    static bool in_range(const double* priors, std::int64_t n) {
        return CertifiedDraw::is_in_range(priors, n, kSmallestPriorHere, kLargestPriorHere);
    }

    float r_of(std::int64_t k, std::int32_t n_k) const {
        return float_masses_[k] / (static_cast<float>(n_k) + float_beta_sum_[k]);
    }
    float h_of(std::int64_t k, std::int32_t n_d) const {
        return (static_cast<float>(n_d) + float_alpha_[k]) * r_[k];
    }
    BLOCKLDA_INLINE void change(const Word& word, std::int32_t k, std::int32_t by) {
        n_d_[k] += by;
        word.n_v[k] = static_cast<Count>(word.n_v[k] + by);
        n_k_[k] += by;
    }

    PriorsView priors_;
    std::int32_t* n_d_ = nullptr;
    std::int32_t* n_k_ = nullptr;
    bool are_priors_in_range_ = false;
    bool use_filter_ = false;
    Buffer<std::int32_t> counted_;
    Buffer<std::int32_t> every_other_;
    Buffer<double> beta_sum_;
    Buffer<double> masses_;
    Buffer<float> float_alpha_;
    Buffer<float> float_beta_sum_;
    Buffer<float> float_masses_;
    Buffer<float> r_;
    Buffer<float> h_;
    // r and h of the topic of the token that was drawn last, without the token.
    float r_without_ = 0.0F;
    float h_without_ = 0.0F;
    CertifiedDraw filter_;
    ExactDraw exact_;
};

}  // namespace blocklda::BLOCKLDA_ISA
