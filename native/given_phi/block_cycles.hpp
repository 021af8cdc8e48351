// All tokens of one word in one document when phi is known, drawn at once.
//
// With the block taken out, a_k = n_dk + alpha_k and f_k = phi_kv, the conditional of the counts
// n_k is the product of a_k^(n_k) f_k^n_k / n_k!, whose generating function is
//     prod_k (1 - f_k x)^-a_k = exp(sum_j P_j x^j / j),     P_j = sum_k a_k f_k^j,
// the exponential of power sums: no product over topics is needed. Its coefficients follow from
//     n h_n = P_1 h_(n-1) + P_2 h_(n-2) + ... + P_n h_0,     h_0 = 1,
// and the terms of that sum are weights of a draw: n tokens are n points of a permutation whose
// cycles are coloured, a cycle of length j by topic k with the weight a_k f_k^j. The cycle of the
// first point has length j with the weight P_j h_(n-j); its colour is drawn from a_k f_k^j; what is
// left are n - j tokens. The points of colour k, over all permutations, weigh n! times
// a_k^(n) f_k^n / n!.
#pragma once

#include <cstdint>

#include "shared/draw.hpp"

namespace blocklda::BLOCKLDA_ISA {

// The largest block that is drawn at once: with more tokens h_n could leave the range of a double
// at extreme priors. Larger blocks are cut into random parts, each an exact block.
inline constexpr int kLargestGivenPhi = 16;

class BlockCycles {
  public:
    // P_j, for j from 1 up to the size of the block, one after another.
    void set_power(int j, double power) {
        powers_[j] = power;
        double sum = powers_[1] * h_[j - 1];
        for (int length = 2; length <= j; ++length) sum += powers_[length] * h_[j - length];
        sums_[j] = sum;
        h_[j] = sum / j;
    }

    // Whether a block of this size can be drawn from its weights.
    bool is_good(int size) const { return is_positive_number(sums_[size]); }

    // Draw a block, cycle by cycle. topic_at(j, point) is the topic at a point below P_j, and `put`
    // gets each topic and the tokens of its cycle. Returns the number of draws.
    template <class TopicAt, class Put>
    int draw(int size, const Rng& rng, TopicAt topic_at, Put put) const {
        int n_draws = 0;
        for (int left = size; left > 0; ++n_draws) {
            double point = uniform(rng) * sums_[left];
            int length = 1;
            for (; length < left && powers_[length + 1] > 0.0; ++length) {
                const double weight = powers_[length] * h_[left - length];
                if (point < weight) break;
                point -= weight;
            }
            // What is left of the point is uniform below the cycle's weight.
            put(topic_at(length, point / h_[left - length]), length);
            left -= length;
        }
        return n_draws;
    }

  private:
    double powers_[kLargestGivenPhi + 1] = {};
    double sums_[kLargestGivenPhi + 1] = {};
    double h_[kLargestGivenPhi + 1] = {1.0};
};

}  // namespace blocklda::BLOCKLDA_ISA
