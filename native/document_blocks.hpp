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
// left are n - j tokens. The points of colour k, over all permutations, weigh just a_k^(n) f_k^n /
// n!. The part of P_j that comes from alpha depends on the word alone and is given.
#pragma once

#include <cstdint>

#include "document_topics.hpp"

namespace blocklda::BLOCKLDA_ISA {

// The largest block that is drawn at once: with more tokens h_n could leave the range of a double
// at extreme priors. Larger blocks are cut into random parts, each an exact block.
inline constexpr int kLargestGivenPhi = 16;

class DocumentBlocks : public DocumentTopics {
  public:
    DocumentBlocks(const double* alpha, std::int64_t padded)
        : DocumentTopics(alpha, padded),
          stride_(padded + kLanes),
          phi_listed_(stride_),
          prefixes_(kLargestGivenPhi * stride_) {}

    // Take out some tokens, in the place of `remove` for one.
    void remove_all(const std::int32_t* tokens, int n) {
        settle();
        for (int i = 0; i < n; ++i) n_dk_[place_[tokens[i]]] -= 1.0;
    }

    // Weigh `size` tokens of a word, where prior_powers[j - 1] is the sum of alpha_k f_k^j. False
    // if the weights are no numbers.
    bool weigh_block(const double* phi_v, const double* prior_powers, int size) {
        phi_v_ = phi_v;
        const std::int64_t n = listed_lanes();
        const std::int32_t* topics = topics_.data();
        const double* n_dk = n_dk_.data();
        double* f = phi_listed_.data();
        double* weights = weights_.data();
        tables_[1].fill(prefix(1), n, [=](std::int64_t i) {
            const Vec phi = gather(phi_v, topics + i);
            const Vec weight = load<Vec>(n_dk + i) * phi;
            store(f + i, phi);
            store(weights + i, weight);
            return weight;
        });
        for (int j = 2; j <= size; ++j) {
            tables_[j].fill(prefix(j), n, [=](std::int64_t i) {
                const Vec weight = load<Vec>(weights + i) * load<Vec>(f + i);
                store(weights + i, weight);
                return weight;
            });
        }
        for (int j = 1; j <= size; ++j) {
            powers_[j] = tables_[j].total() + prior_powers[j - 1];
            double sum = powers_[1] * h_[j - 1];
            for (int length = 2; length <= j; ++length) sum += powers_[length] * h_[j - length];
            sums_[j] = sum;
            h_[j] = sum / j;
        }
        return is_positive_number(sums_[size]);
    }

    // Draw the block that was weighed last, cycle by cycle, and put it in. Returns the draws.
    int draw_block(int size, const Rng& rng, std::int32_t* block) {
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
            const std::int32_t k = topic_at(length, point / h_[left - length]);
            put(k, length);
            left -= length;
            for (; length > 0; --length) *block++ = k;
        }
        return n_draws;
    }

  private:
    double* prefix(int power) { return prefixes_.data() + (power - 1) * stride_; }

    // The topic at a point below P_j: first the listed topics, then alpha over all.
    std::int32_t topic_at(int power, double point) {
        const double listed = tables_[power].total();
        if (point < listed) return topics_[tables_[power].at(point)];
        fill_prior(phi_v_, power);
        return prior_table_.at(point - listed);
    }

    void put(std::int32_t k, int count) { n_dk_[place_of(k)] += static_cast<double>(count); }

    std::int64_t stride_;
    Buffer<double> phi_listed_;
    Buffer<double> prefixes_;  // of the listed weights a_k f_k^j, a row for each power j
    TopicTable tables_[kLargestGivenPhi + 1];
    double powers_[kLargestGivenPhi + 1] = {};
    double sums_[kLargestGivenPhi + 1] = {};
    double h_[kLargestGivenPhi + 1] = {1.0};
};

}  // namespace blocklda::BLOCKLDA_ISA
