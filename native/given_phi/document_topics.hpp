// The topics of one document's tokens when phi is known: what they weigh, and draws of them.
#pragma once

#include <cstdint>

#include "shared/buffer.hpp"
#include "shared/draw.hpp"
#include "shared/simd.hpp"
#include "shared/views.hpp"

namespace blocklda::BLOCKLDA_ISA {

// a f^power, multiplied from the left.
BLOCKLDA_INLINE Vec times_power(Vec a, Vec f, int power) {
    Vec product = a * f;
    for (int j = 1; j < power; ++j) product = product * f;
    return product;
}

// With phi known, p(z = k | rest) is proportional to (n_dk + alpha_k) phi_kv. The sum over all
// topics of alpha_k phi_kv depends on the word alone; what depends on the document is n_dk phi_kv,
// over the few topics that its tokens are in. So one uniform is held against the listed topics
// first, and only a draw beyond them looks at all topics.
class DocumentTopics {
  public:
    DocumentTopics(const double* alpha, std::int64_t padded)
        : alpha_(alpha),
          padded_(padded),
          topics_(padded + kLanes),
          n_dk_(padded + kLanes),
          weights_(padded + kLanes),
          prefix_(padded + kLanes),
          prior_prefix_(padded),
          place_(padded) {
        for (std::int64_t k = 0; k < padded; ++k) place_[k] = kNowhere;
    }

    std::int64_t n_listed() const { return n_listed_; }
    std::int32_t topic(std::int64_t i) const { return topics_[i]; }

    // The sum over topics of alpha_k phi_kv.
    double prior_weight(const double* phi_v) const {
        Vec sum[kVecs] = {};
        for (std::int64_t k = 0; k < padded_; k += kLanes) {
            for (int v = 0; v < kVecs; ++v) {
                sum[v] += load<Vec>(alpha_ + k + v * kWidth) * load<Vec>(phi_v + k + v * kWidth);
            }
        }
        // The last row of the table that a draw would fill, and its total.
        double last[kLanes];
        for (int v = 0; v < kVecs; ++v) store(last + v * kWidth, sum[v]);
        TopicTable table;
        table.adopt(last, kLanes);
        return table.total();
    }

    void add(std::int32_t k) {
        settle();
        arriving_ = place_of(k);
    }

    // The topic stays in the list, without weight, until `drop_empty`. At most one token leaves
    // between two calls of `weigh`.
    void remove(std::int32_t k) { leaving_ = place_[k]; }

    // No tokens at all.
    void clear() {
        settle();
        for (std::int64_t i = 0; i < n_listed_; ++i) {
            place_[topics_[i]] = kNowhere;
            topics_[i] = 0;
            n_dk_[i] = 0.0;
        }
        n_listed_ = 0;
    }

    // Topics that have lost all their tokens leave the list; the others keep their order.
    void drop_empty() {
        settle();
        std::int64_t kept = 0;
        for (std::int64_t i = 0; i < n_listed_; ++i) {
            const std::int32_t k = topics_[i];
            const double n = n_dk_[i];
            place_[k] = kNowhere;
            topics_[i] = 0;
            n_dk_[i] = 0.0;
            if (n > 0.0) {
                place_[k] = static_cast<std::int32_t>(kept);
                topics_[kept] = k;
                n_dk_[kept++] = n;
            }
        }
        n_listed_ = kept;
    }

    // Weigh a token of a word: the sum over topics of (n_dk + alpha_k) phi_kv, where `prior_weight`
    // is that of alpha_k phi_kv alone. The draws below are for the token weighed last.
    double weigh(const double* phi_v, double prior_weight) {
        const std::int32_t* topics = topics_.data();
        const double* n_dk = n_dk_.data();
        double* weights = weights_.data();
        const Vec one = Vec{} + 1.0;
        const Vec arriving = Vec{} + static_cast<double>(arriving_);
        const Vec leaving = Vec{} + static_cast<double>(leaving_);
        table_.fill(prefix_.data(), listed_lanes(), [=](std::int64_t i) {
            const Vec place =
                load<Vec>(kNumbers + i % kLanes) + static_cast<double>(i - i % kLanes);
            const Vec n = load<Vec>(n_dk + i) + (place == arriving ? one : Vec{}) -
                          (place == leaving ? one : Vec{});
            const Vec weight = n * gather(phi_v, topics + i);
            store(weights + i, weight);
            return weight;
        });
        settle();
        phi_v_ = phi_v;
        total_ = table_.total() + prior_weight;
        return total_;
    }

    std::int32_t draw(double u) {
        const double point = u * total_;
        if (point < table_.total()) return topics_[table_.at(point)];
        fill_prior(phi_v_);
        return prior_table_.at(point - table_.total());
    }

    // Adds `times` the weights of the listed topics to sums that follow the list.
    void add_weights(double times, double* sums) const {
        const double* weights = weights_.data();
        for (std::int64_t i = 0; i < listed_lanes(); i += kWidth) {
            store(sums + i, load<Vec>(sums + i) + load<Vec>(weights + i) * times);
        }
    }

  protected:
    static constexpr std::int32_t kNowhere = -1;
    static constexpr double kNumbers[kLanes] = {0, 1, 2, 3, 4, 5, 6, 7};

    // Where a topic stands in the list; a new one goes to its end.
    std::int32_t place_of(std::int32_t k) {
        if (place_[k] == kNowhere) {
            place_[k] = static_cast<std::int32_t>(n_listed_);
            topics_[n_listed_++] = k;
        }
        return place_[k];
    }

    // The last token that came and the one that goes are written late and put into the weights on
    // the way: a vector that is loaded just after one of its numbers was written has to wait.
    void settle() {
        if (arriving_ != kNowhere) n_dk_[arriving_] += 1.0;
        if (leaving_ != kNowhere) n_dk_[leaving_] -= 1.0;
        arriving_ = leaving_ = kNowhere;
    }

    // A whole number of lanes, at least one group; what lies behind the list weighs nothing.
    std::int64_t listed_lanes() const {
        return n_listed_ == 0 ? kLanes : round_up_to_lanes(n_listed_);
    }

    // The weights alpha_k phi_kv^power of all topics.
    void fill_prior(const double* phi_v, int power = 1) {
        const double* alpha = alpha_;
        prior_table_.fill(prior_prefix_.data(), padded_, [=](std::int64_t k) {
            return times_power(load<Vec>(alpha + k), load<Vec>(phi_v + k), power);
        });
    }

    const double* alpha_;
    std::int64_t padded_;
    std::int64_t n_listed_ = 0;
    std::int32_t arriving_ = kNowhere;
    std::int32_t leaving_ = kNowhere;
    Buffer<std::int32_t> topics_;
    Buffer<double> n_dk_;
    Buffer<double> weights_;
    Buffer<double> prefix_;
    Buffer<double> prior_prefix_;
    Buffer<std::int32_t> place_;
    TopicTable table_;
    TopicTable prior_table_;
    const double* phi_v_ = nullptr;
    double total_ = 0.0;
};

}  // namespace blocklda::BLOCKLDA_ISA
