// The background of a block: all topics that are not leaves of it, of which it may enter one.
#pragma once

#include <cstdint>

#include "shared/buffer.hpp"
#include "shared/draw.hpp"
#include "sparse/major_row.hpp"
#include "sparse/topic_lists.hpp"

namespace blocklda::BLOCKLDA_ISA {

// A model whose number of topics is fixed: there are none that nobody has.
struct NoNewTopics {
    static constexpr bool kAny = false;
};

// The largest block that can be drawn at once; larger ones are cut into random parts. How large
// parts are is said with each call.
inline constexpr int kLargestPart = 16;

// A background topic has no tokens in the list, so for it q_k(j) is
//     t_k(j) = t_k(j - 1) (r_k + j - 1) (b_k + j - 1) / (j (c_k + j - 1)),     t_k(1) = r_k g_k,
// and j tokens in the background weigh R_j, the sum of t_k(j) over its topics. Most blocks never go
// there, so R_j is not computed but bounded. For all topics, leaves or not,
//     sum of t_k(1)  <=  the row's running sum,
//     (b_k + i) / (c_k + i)  =  g_k + (1 - g_k) i / (c_k + i)  <=  max g + i / (min c + i).
// In a group of words, where g_k = mu_k b_k / c_k with the mass mu_k, likewise
//     mu_k (b_k + i) / (c_k + i)  =  g_k + (mu_k - g_k) i / (c_k + i)
//                                <=  max g + max mu i / (min c + i).
// A topic that has lost its last token leaves a tiny prior in c_k, and g_k may be so large that its
// powers are no numbers any more. Then max mu (max b + i) / (min c + i) is the lesser bound.
// A draw that ends in the background adds up the true R_j; it then holds with the probability
// R_j / bound and else is repeated with R_j in the place of the bounds, so the law is the exact
// one.
// New topics, where there are any, are one more topic of the background, whose weight is exact.
template <bool kGrouped, class NewTopics = NoNewTopics>
class Background {
  public:
    static constexpr std::int32_t kRepeat = -1;
    static constexpr std::int32_t kNew = -2;

    explicit Background(const MajorRow<kGrouped>& row, const NewTopics* new_topics = nullptr)
        : row_(row), new_topics_(new_topics), weights_(row.padded()) {
        fill_factors(row.largest_other());
    }

    // What is in proportion to the prior of the other axis, for the list in use: with new topics
    // that prior may have a factor for each list.
    template <class T>
    T of_list(T x) const {
        if constexpr (NewTopics::kAny) return x * new_topics_->scale();
        return x;
    }

    // Before a block of `size` tokens is drawn; `emptied` is the topic that it alone has held, with
    // its tokens lifted, or -1. Without them the topic may weigh more than with them.
    void start_block(int size, std::int32_t emptied) {
        double sum = of_list(row_.bound());
        double squares = of_list(row_.bound_of_squares());
        double g = row_.largest_g();
        double c = row_.smallest_c();
        if (emptied >= 0) {
            const double c_left = row_.c(emptied);
            const double g_left = row_.weight_of(emptied, row_.b(emptied), c_left);
            const double weight = of_list(row_.other()[emptied]) * g_left;
            sum += weight;
            squares += weight * g_left;
            g = g_left > g ? g_left : g;
            c = c_left < c ? c_left : c;
        }
        if (c != slack_for_) fill_slacks(c);
        if constexpr (NewTopics::kAny) {
            const double r = of_list(row_.largest_other());
            if (r != factors_for_) fill_factors(r);
        }
        bounds_[1] = sum;
        double second = squares + slacks_[1] * sum;
        if (g > 1.0) second = lesser(second, sum * rate_of_largest(1, c));
        double bound = factors_[1] * second;
        bounds_[2] = bound;
        for (int j = 3; j <= size; ++j) {
            double rate = g + slacks_[j - 1];
            if (rate > 1.0) rate = lesser(rate, rate_of_largest(j - 1, c));
            bounds_[j] = bound = bound * (factors_[j - 1] * rate);
        }
        if constexpr (NewTopics::kAny) {
            for (int j = 1; j <= size; ++j) bounds_[j] += new_topics_->weight(j);
        }
    }

    // All topics are leaves.
    void leave_out(int size) {
        for (int j = 1; j <= size; ++j) bounds_[j] = 0.0;
    }

    // At least the weight of j tokens in one background topic.
    double bound(int j) const { return bounds_[j]; }

    // The topic at a point below the bound of `count` tokens, kNew for one that nobody has, or
    // kRepeat if the point lies above the true weight, which then becomes the bound.
    std::int32_t topic_at(const TopicList& list, int count, double point) {
        fill_weights(list, count);
        double total = table_.total();
        if (point < total) return table_.at(point);
        if constexpr (NewTopics::kAny) {
            total += new_topics_->weight(count);
            if (point < total) return kNew;
        }
        bounds_[count] = total;
        return kRepeat;
    }

  private:
    static double lesser(double a, double b) { return b < a ? b : a; }

    double rate_of_largest(int i, double c) const {
        return row_.largest_mass() * ((row_.largest_b() + i) / (c + i));
    }

    void fill_factors(double r) {
        factors_for_ = r;
        for (int i = 1; i < kLargestPart; ++i) factors_[i] = (r + i) / (i + 1);
    }

    void fill_slacks(double c) {
        slack_for_ = c;
        for (int i = 1; i < kLargestPart; ++i) slacks_[i] = i / (c + i);
        if constexpr (kGrouped) {
            for (double& slack : slacks_) slack *= row_.largest_mass();
        }
    }

    void fill_weights(const TopicList& list, int count) {
        for (std::int64_t i = 0; i < row_.padded(); i += kWidth) {
            const Vec r = of_list(load<Vec>(row_.other() + i));
            const Vec b = row_.b_from(i);
            const Vec c = row_.c_from(i);
            const auto grouped = [&](Vec rate) {
                if constexpr (kGrouped) return rate * load<Vec>(row_.masses() + i);
                return rate;
            };
            Vec term = r * grouped(b / c);
            for (int j = 2; j <= count; ++j) {
                const double n = j - 1;
                term = term * ((r + n) * grouped((b + n) / (j * (c + n))));
            }
            store(weights_.data() + i, term);
        }
        for (std::int64_t i = 0; i < list.length; ++i) {
            if (list.counts[i] > 0) weights_[list.topics[i]] = 0.0;
        }
        const double* weights = weights_.data();
        table_.fill(weights_.data(), row_.padded(),
                    [weights](std::int64_t i) { return load<Vec>(weights + i); });
    }

    const MajorRow<kGrouped>& row_;
    const NewTopics* new_topics_;
    double factors_[kLargestPart] = {};
    double factors_for_ = 0.0;
    double slacks_[kLargestPart] = {};
    double slack_for_ = -1.0;
    double bounds_[kLargestPart + 1] = {};
    Buffer<double> weights_;
    TopicTable table_;
};

}  // namespace blocklda::BLOCKLDA_ISA
