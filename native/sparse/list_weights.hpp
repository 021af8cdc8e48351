// What the topics of one list weigh for a token, in the row that a sweep is in.
#pragma once

#include <cstdint>

#include "shared/buffer.hpp"
#include "shared/draw.hpp"
#include "sparse/topic_lists.hpp"

namespace blocklda::BLOCKLDA_ISA {

// A difference of more than this share of what it was taken from has seven digits or more.
inline constexpr double kFewDigits = 1e-8;

// The weights n g_k, a place of the list each: how often the list has topic k times the row's g_k.
class ListWeights {
  public:
    explicit ListWeights(std::int64_t padded) : weights_(padded), prefix_(padded) {}

    // Weigh all places; returns the sum.
    double fill(const TopicList& list, const double* g) {
        Vec sum[kVecs] = {};
        for (std::int64_t i = 0; i < list.padded(); i += kLanes) {
            for (int v = 0; v < kVecs; ++v) {
                const std::int64_t at = i + v * kWidth;
                const Vec weight = load_counts(list.counts + at) * gather(g, list.topics + at);
                store(weights_.data() + at, weight);
                sum[v] += weight;
            }
        }
        return sum_of_lanes(sum);
    }

    double sum(std::int64_t padded) const {
        Vec sum[kVecs] = {};
        for (std::int64_t i = 0; i < padded; i += kLanes) {
            for (int v = 0; v < kVecs; ++v) sum[v] += load<Vec>(weights_.data() + i + v * kWidth);
        }
        return sum_of_lanes(sum);
    }

    double operator[](std::int64_t at) const { return weights_[at]; }
    void set(std::int64_t at, double weight) { weights_[at] = weight; }

    // What the topics of a list weigh without one of them. Where that one has nearly all of the
    // weight the difference holds hardly a digit of theirs, and they are summed by themselves.
    double sum_without(const TopicList& list, double in_list, std::int64_t at) {
        const double others = in_list - weights_[at];
        if (others >= kFewDigits * in_list || list.length == 1) return others;
        const double weight = weights_[at];
        weights_[at] = 0.0;
        const double sum_of_others = sum(list.padded());
        weights_[at] = weight;
        return sum_of_others;
    }

    // The place at a point between 0 and the sum of the weights.
    std::int64_t place_at(std::int64_t padded, double point) {
        const double* weights = weights_.data();
        table_.fill(prefix_.data(), padded,
                    [weights](std::int64_t i) { return load<Vec>(weights + i); });
        return table_.at(point);
    }

  private:
    Buffer<double> weights_;
    Buffer<double> prefix_;
    TopicTable table_;
};

}  // namespace blocklda::BLOCKLDA_ISA
