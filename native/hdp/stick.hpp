// Topics that nobody has yet: what is left of a stick, cut when a topic is born.
#pragma once

#include <cstdint>
#include <limits>

#include "shared/draw.hpp"
#include "shared/elementary.hpp"
#include "shared/views.hpp"
#include "sparse/background.hpp"

namespace blocklda::BLOCKLDA_ISA {

// What is left of the stick, tau_u, is divided among infinitely many topics as tau_u DP(gamma).
// With A = alpha0 tau_u the weight of j tokens of a word in one of them, its own part integrated
// out, is
//     N_j = beta_v^(j) / B^(j) * sum over m of W(j, m),
//     W(1, 1) = A,   W(j, m) = ((j-1) W(j-1, m) + A (m-1) / (gamma+m-1) W(j-1, m-1)) / j,
// m being the number of tables at which the tokens would sit. Given m the new topic takes the share
// Beta(m, gamma) of the rest. 1 - Beta(m, gamma) is a product of Beta(gamma + i, 1), i < m, and so
// exp(-x) for a sum x of exponential variates.
class Stick {
  public:
    static constexpr bool kAny = true;

    // `largest` tokens are drawn at once at the most.
    Stick(StickView& view, int largest, const Rng& rng)
        : view_(view), largest_(largest), rng_(rng) {
        fill_ratios(view.beta[0], largest);
        weigh();
    }

    // Weigh tokens of a word, `size` of them at once at the most.
    void use_word(std::int64_t word, int size) {
        if (view_.beta_stride == 0) return;
        scale_ = view_.beta_of(word);
        fill_ratios(scale_, size);
        for (int j = 1; j <= size; ++j) weights_[j] = ratios_[j] * sums_[j];
    }

    // N_j of the word in use.
    double weight(int j) const { return weights_[j]; }
    // Its prior, where words differ in it: the priors that all words share are then 1.
    double scale() const { return scale_; }
    double rest() const { return view_.rest; }
    double beta_sum() const { return view_.beta_sum; }

    // The slot of a new topic that begins with j tokens of one word, or one table; -1 if there is
    // none left.
    std::int32_t born(int j) {
        while (next_free_ < view_.n_slots && view_.numbers[next_free_] >= 0) ++next_free_;
        if (next_free_ == view_.n_slots) {
            view_.is_full = true;
            return -1;
        }
        cut(j == 1 ? 1 : drawn_tables(j), next_free_);
        view_.numbers[next_free_] = view_.n_born++;
        weigh();
        return static_cast<std::int32_t>(next_free_);
    }

  private:
    static constexpr double kSmallest = std::numeric_limits<double>::min();
    // Below this share 1 - exp(-x) would lose digits, and x - x^2 / 2 has ten of them.
    static constexpr double kShortCut = 1e-5;

    void fill_ratios(double beta, int size) {
        double ratio = 1.0;
        for (int j = 1; j <= size; ++j) {
            ratio *= (beta + (j - 1)) / (view_.beta_sum + (j - 1));
            ratios_[j] = ratio;
        }
    }

    void weigh() {
        const double A = view_.alpha0 * view_.rest;
        for (int j = 1; j <= largest_; ++j) {
            double sum = 0.0;
            for (int m = 1; m <= j; ++m) {
                const double more = A * ((m - 1) / (view_.gamma + (m - 1))) * tables(j - 1, m - 1);
                W_[j][m] = j == 1 ? A : ((j - 1) * tables(j - 1, m) + more) / j;
                sum += W_[j][m];
            }
            sums_[j] = sum;
            weights_[j] = ratios_[j] * sum;
        }
    }

    double tables(int j, int m) const { return m > j ? 0.0 : W_[j][m]; }

    int drawn_tables(int j) const {
        double point = uniform(rng_) * sums_[j];
        int m = 1;
        for (; m < j && point >= W_[j][m]; ++m) point -= W_[j][m];
        return m;
    }

    void cut(int m, std::int64_t slot) {
        double x = 0.0;
        for (int i = 0; i < m; ++i) {
            x += -elementary_log(1.0 - uniform(rng_)) / (view_.gamma + i);
        }
        const double left = elementary_exp(-x);
        const double share = x < kShortCut ? x * (1.0 - x / 2.0) : 1.0 - left;
        view_.tau[slot] = at_least_smallest(view_.rest * share);
        view_.alpha[slot] = view_.alpha0 * view_.tau[slot];
        view_.rest = at_least_smallest(view_.rest * left);
    }

    static double at_least_smallest(double x) { return x < kSmallest ? kSmallest : x; }

    StickView& view_;
    int largest_;
    Rng rng_;
    std::int64_t next_free_ = 0;
    double scale_ = 1.0;
    double ratios_[kLargestPart + 1] = {};
    double sums_[kLargestPart + 1] = {};
    double weights_[kLargestPart + 1] = {};
    double W_[kLargestPart + 1][kLargestPart + 1] = {};
};

}  // namespace blocklda::BLOCKLDA_ISA
