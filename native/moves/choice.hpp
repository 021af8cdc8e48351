// The choice of a merge-split move: two topics that look alike, and a third one to divide.
#pragma once

#include <algorithm>
#include <cstdint>

#include "shared/buffer.hpp"
#include "shared/draw.hpp"
#include "shared/elementary.hpp"
#include "shared/views.hpp"

namespace blocklda::BLOCKLDA_ISA {

// The tokens of j go to i, and those of k are divided among k and j.
struct Triple {
    std::int64_t i;
    std::int64_t j;
    std::int64_t k;
};

// The distribution of triples at a state, a function of the counts n_vk and n_k alone. A pair {i,
// j} has the weight
//     w_ij = exp(-cost_ij / (T max(1, min(n_i, n_j)))),
//     cost_ij = sum_v [g(n_vi) + g(n_vj) - g(n_vi + n_vj)] - [h(n_i) + h(n_j) - h(n_i + n_j)],
//     g(n) = log Gamma(n + b) - log Gamma(b),  h(n) = log Gamma(n + V b) - log Gamma(V b),
// both orders are equally likely, and k has the weight (n_k + 1)^2 among the others, since a topic
// that holds two themes is large. b is the mean of beta_kv. With a symmetric beta the cost is what
// the words lose in log probability by the merge; with another it is close to that. Any positive
// function of the counts would leave the move exact, and this one is symmetric, and needs the words
// that both topics have and no others.
class Choice {
  public:
    Choice(const PriorsView& priors, std::int64_t n_words, std::int64_t largest_word)
        : n_topics_(priors.n_topics),
          n_words_(n_words),
          n_vk_(n_words * n_topics_),
          n_k_(n_topics_),
          log_weights_(n_topics_ * n_topics_),
          is_changed_(n_topics_),
          present_(n_topics_),
          of_words_(largest_word + 1),
          of_topics_(n_topics_) {
        double sum = 0.0;
        for (std::int64_t k = 0; k < n_topics_; ++k) sum += priors.beta_sum[k];
        total_prior_ = sum / static_cast<double>(n_topics_);
        word_prior_ = total_prior_ / static_cast<double>(n_words);
        log_gamma_word_ = elementary_log_gamma(word_prior_);
    }

    // n_vk of a word, all topics in turn, and n_k. Whoever changes them calls `update`.
    std::int32_t* n_vk(std::int64_t v) { return n_vk_.data() + v * n_topics_; }
    std::int32_t* n_k() { return n_k_.data(); }

    void update_all() {
        for (std::int64_t k = 0; k < n_topics_; ++k) is_changed_[k] = 1;
        update_changed();
    }
    void update(const Triple& changed) {
        for (std::int64_t k = 0; k < n_topics_; ++k) is_changed_[k] = 0;
        for (const std::int64_t k : {changed.i, changed.j, changed.k}) is_changed_[k] = 1;
        update_changed();
    }

    Triple draw(const Rng& rng) const {
        const double point = uniform(rng) * total_;
        Triple drawn{0, 1, 0};
        double sum = 0.0;
        for (std::int64_t a = 0; a < n_topics_ && sum <= point; ++a) {
            for (std::int64_t b = a + 1; b < n_topics_ && sum <= point; ++b) {
                const double weight = weight_of(a, b);
                sum += weight;
                // Rounding may leave the point at the end: it belongs to the last pair with weight.
                if (weight > 0.0) drawn = {a, b, 0};
            }
        }
        if (uniform(rng) < 0.5) std::swap(drawn.i, drawn.j);
        drawn.k = draw_third(drawn, uniform(rng));
        return drawn;
    }

    // The log probability of a triple, up to log 2 for the order of i and j.
    double log_probability(const Triple& t) const {
        const double log_weight = log_weights_[std::min(t.i, t.j) * n_topics_ + std::max(t.i, t.j)];
        const double share = third_weight(t.k) / third_total(t);
        return ((log_weight - largest_) - elementary_log(total_)) + elementary_log(share);
    }

  private:
    static constexpr double kTemperature = 0.1;

    double weight_of(std::int64_t a, std::int64_t b) const {
        return elementary_exp(log_weights_[a * n_topics_ + b] - largest_);
    }

    double third_weight(std::int64_t k) const {
        const double n = static_cast<double>(n_k_[k]) + 1.0;
        return n * n;
    }

    double third_total(const Triple& t) const {
        double sum = 0.0;
        for (std::int64_t k = 0; k < n_topics_; ++k) {
            if (k != t.i && k != t.j) sum += third_weight(k);
        }
        return sum;
    }

    std::int64_t draw_third(const Triple& t, double u) const {
        const double point = u * third_total(t);
        double sum = 0.0;
        std::int64_t last = -1;
        for (std::int64_t k = 0; k < n_topics_; ++k) {
            if (k == t.i || k == t.j) continue;
            sum += third_weight(k);
            last = k;
            if (sum > point) break;
        }
        return last;
    }

    // g(n), kept once it is known: counts of words repeat.
    double of_word(std::int64_t n) {
        double& known = of_words_[n];
        if (known == 0.0 && n > 0) {
            known = elementary_log_gamma(static_cast<double>(n) + word_prior_) - log_gamma_word_;
        }
        return known;
    }
    double of_topic(std::int64_t n) const {
        return elementary_log_gamma(static_cast<double>(n) + total_prior_) -
               elementary_log_gamma(total_prior_);
    }

    template <class Visit>
    void for_changed_pairs(Visit visit) {
        for (std::int64_t a = 0; a < n_topics_; ++a) {
            for (std::int64_t b = a + 1; b < n_topics_; ++b) {
                if (is_changed_[a] | is_changed_[b]) visit(a, b, log_weights_[a * n_topics_ + b]);
            }
        }
    }

    void update_changed() {
        for_changed_pairs([](std::int64_t, std::int64_t, double& cost) { cost = 0.0; });
        for (std::int64_t v = 0; v < n_words_; ++v) add_costs(n_vk(v));
        for (std::int64_t k = 0; k < n_topics_; ++k) {
            if (is_changed_[k]) of_topics_[k] = of_topic(n_k_[k]);
        }
        for_changed_pairs([this](std::int64_t a, std::int64_t b, double& cost) {
            const std::int64_t n_a = n_k_[a];
            const std::int64_t n_b = n_k_[b];
            const double totals = (of_topics_[a] + of_topics_[b]) - of_topic(n_a + n_b);
            const auto smaller = static_cast<double>(std::max<std::int64_t>(1, std::min(n_a, n_b)));
            cost = (totals - cost) / (kTemperature * smaller);  // the log weight
        });
        sum_weights();
    }

    // Adds what one word costs to all changed pairs of topics that have it.
    void add_costs(const std::int32_t* counts) {
        std::int64_t n_present = 0;
        for (std::int64_t k = 0; k < n_topics_; ++k) {
            present_[n_present] = static_cast<std::int32_t>(k);
            n_present += counts[k] > 0;
        }
        for (std::int64_t x = 0; x < n_present; ++x) {
            const std::int64_t a = present_[x];
            for (std::int64_t y = x + 1; y < n_present; ++y) {
                const std::int64_t b = present_[y];
                if (!(is_changed_[a] | is_changed_[b])) continue;
                const std::int64_t n_a = counts[a];
                const std::int64_t n_b = counts[b];
                log_weights_[a * n_topics_ + b] +=
                    (of_word(n_a) + of_word(n_b)) - of_word(n_a + n_b);
            }
        }
    }

    // Weights are relative to the largest, so that not all of them can vanish.
    void sum_weights() {
        largest_ = log_weights_[1];
        for (std::int64_t a = 0; a < n_topics_; ++a) {
            for (std::int64_t b = a + 1; b < n_topics_; ++b) {
                largest_ = std::max(largest_, log_weights_[a * n_topics_ + b]);
            }
        }
        total_ = 0.0;
        for (std::int64_t a = 0; a < n_topics_; ++a) {
            for (std::int64_t b = a + 1; b < n_topics_; ++b) total_ += weight_of(a, b);
        }
    }

    std::int64_t n_topics_;
    std::int64_t n_words_;
    Buffer<std::int32_t> n_vk_;
    Buffer<std::int32_t> n_k_;
    Buffer<double> log_weights_;  // of the pairs a < b, at a * n_topics + b
    Buffer<std::uint8_t> is_changed_;
    Buffer<std::int32_t> present_;
    Buffer<double> of_words_;
    Buffer<double> of_topics_;
    double total_prior_;
    double word_prior_;
    double log_gamma_word_;
    double largest_ = 0.0;
    double total_ = 0.0;
};

}  // namespace blocklda::BLOCKLDA_ISA
