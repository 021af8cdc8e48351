// A topic drawn in single precision, wherever rounding cannot have changed which one it is.
//
// A draw is defined in doubles: first the interval of the old topic, which so needs no search to
// stay, then sixteen columns, of which column l has the topics l, l + 16, ... without the old one.
// The filter here adds up the same weights as floats and finds the interval in which the point
// lies. It decides only if the point is further from both ends of the interval than all rounding
// errors together; docs/explanation/certified.md derives the bound. What it leaves open the
// doubles decide, so the order of its additions is free.
#pragma once

#include <cstdint>

#include "shared/buffer.hpp"
#include "shared/float_simd.hpp"

namespace blocklda::BLOCKLDA_ISA {

inline constexpr int kColumns = kFloatLanes;

// Priors between these bounds, with counts of 31 bits, make weights that neither overflow nor
// underflow in single precision.
inline constexpr double kSmallestPrior = 0x1p-40;
inline constexpr double kLargestPrior = 0x1p+40;
// Rows of columns up to which products of rounding errors are far below the errors themselves.
inline constexpr std::int64_t kMostRows = 4096;

// Running sums over the lanes of a vector: at most log2(kFloatWidth) additions one after another.
BLOCKLDA_INLINE FloatVec running_lanes(FloatVec x) {
#if defined(__AVX2__)
    // Within halves first: lanes that stay in their half are cheaper to move.
    x += reinterpret_cast<FloatVec>(_mm256_slli_si256(reinterpret_cast<__m256i>(x), 4));
    x += reinterpret_cast<FloatVec>(_mm256_slli_si256(reinterpret_cast<__m256i>(x), 8));
    const __m256 ends = _mm256_permute_ps(reinterpret_cast<__m256>(x), 0xff);
    x += reinterpret_cast<FloatVec>(_mm256_permute2f128_ps(ends, ends, 0x08));
#else
    const FloatVec zero = {};
    x += __builtin_shufflevector(x, zero, 4, 0, 1, 2);
    x += __builtin_shufflevector(x, zero, 4, 5, 0, 1);
#endif
    return x;
}

// How many lanes are not above a point.
BLOCKLDA_INLINE int count_up_to(const FloatVec (&lanes)[kFloatVecs], float point) {
    int n = 0;
#if defined(__AVX2__)
    for (int v = 0; v < kFloatVecs; ++v) {
        const __m256 below =
            _mm256_cmp_ps(reinterpret_cast<__m256>(lanes[v]), _mm256_set1_ps(point), _CMP_LE_OQ);
        n += __builtin_popcount(static_cast<unsigned>(_mm256_movemask_ps(below)));
    }
#else
    for (int v = 0; v < kFloatVecs; ++v) {
        for (int l = 0; l < kFloatWidth; ++l) n += lanes[v][l] <= point;
    }
#endif
    return n;
}

// The sums of sixteen columns of weights, as running sums within vectors, what lies before each
// vector, and the sum of all.
struct ColumnSums {
    FloatVec lanes[kFloatVecs];
    float before[kFloatVecs];
    float all;
};

class CertifiedDraw {
  public:
    static constexpr std::int32_t kUndecided = -1;

    // Weights are rounded so many times. `share` of the bound: less than 1 for tests that must see
    // it fail.
    CertifiedDraw(std::int64_t padded, std::int64_t n_roundings, double share)
        : padded_(padded),
          n_rows_((padded + kColumns - 1) / kColumns),
          margin_(static_cast<float>(4.0 * static_cast<double>(n_rows_ + rows_for(n_roundings)) *
                                     0x1p-24 * share)),
          running_(n_rows_ * kColumns) {}

    // Whether single precision can be asked at all.
    static bool is_in_range(const double* numbers, std::int64_t n, double smallest = kSmallestPrior,
                            double largest = kLargestPrior) {
        bool in_range = true;
        for (std::int64_t k = 0; k < n; ++k) {
            in_range &= numbers[k] >= smallest && numbers[k] <= largest;
        }
        return in_range;
    }
    bool is_short() const { return n_rows_ <= kMostRows; }

    // The weights with a token in the counts, added up: good for all tokens of a block until one of
    // them moves.
    template <class Weights>
    BLOCKLDA_INLINE ColumnSums add_up(const Weights& weights) {
        ColumnSums sums{};
        add_rows(weights, sums.lanes);
        for (int v = 0; v < kFloatVecs; ++v) {
            sums.lanes[v] = running_lanes(sums.lanes[v]);
            sums.before[v] = sums.all;
            sums.all += sums.lanes[v][kFloatWidth - 1];
        }
        return sums;
    }

    // The topic at the uniform u, given the latest `add_up`. `present` is the weight of the token's
    // topic `old` among these, and `stays` what that topic weighs without it. No number on the way
    // may be trusted to be one: every comparison with NaN leaves it undecided.
    BLOCKLDA_INLINE std::int32_t topic(const ColumnSums& sums, std::int32_t old, float present,
                                       float stays, double u) {
        const float margin = margin_ * (sums.all + stays);
        const float point = static_cast<float>(u) * ((sums.all - present) + stays) - stays;
        if (point < -margin) return old;
        if (!(point > margin)) return kUndecided;
        const FloatVec out = broadcast(present);
        FloatVec ends[kFloatVecs];
        for (int v = 0; v < kFloatVecs; ++v) {
            ends[v] = sums.lanes[v] + sums.before[v];
            const FloatInts is_behind = load_numbers(v) >= old % kColumns;
            ends[v] = is_behind ? ends[v] - out : ends[v];
            store(ends_ + kColumns + v * kFloatWidth, ends[v]);
        }
        const int column = count_up_to(ends, point);
        if (column == kColumns) return kUndecided;
        return topic_in(column, old, present, point - ends_[kColumns - 1 + column], margin);
    }

  private:
    // What the roundings of weights add to the bound, in rows of four units; see certified.md.
    static constexpr std::int64_t rows_for(std::int64_t n_roundings) {
        return (7 * n_roundings + 24 + 3) / 4;
    }

    typedef std::int32_t FloatInts __attribute__((vector_size(sizeof(FloatVec))));

    static FloatInts load_numbers(int v) {
        alignas(64) static constexpr std::int32_t kNumbers[kColumns] = {
            0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
        FloatInts value;
        std::memcpy(&value, kNumbers + v * kFloatWidth, sizeof value);
        return value;
    }

    template <class Weights>
    BLOCKLDA_INLINE void add_rows(const Weights& weights, FloatVec (&sums)[kFloatVecs]) {
        float* running = running_.data();
        std::int64_t k = 0;
        for (; k + kColumns <= padded_; k += kColumns) {
            for (int v = 0; v < kFloatVecs; ++v) {
                sums[v] += weights.at(k + v * kFloatWidth);
                store(running + k + v * kFloatWidth, sums[v]);
            }
        }
        if (k == padded_) return;
        // The last row is a half: topics are padded to kLanes.
        for (int v = 0; v < kFloatVecs / 2; ++v) sums[v] += weights.at(k + v * kFloatWidth);
        for (int v = 0; v < kFloatVecs; ++v) store(running + k + v * kFloatWidth, sums[v]);
    }

    // The topic of a column at the point `rest` from its beginning. From the old topic on its
    // weight is in the running sums and has to come out of them.
    BLOCKLDA_INLINE std::int32_t topic_in(int column, std::int32_t old, float present, float rest,
                                          float margin) const {
        const std::int64_t end = n_rows_ * kColumns;
        const std::int64_t from = old % kColumns == column ? old : end;
        const auto end_at = [&](std::int64_t k) {
            return running_[k] - (k >= from ? present : 0.0F);
        };
        // A group of rows at a time, without a branch: where the search ends cannot be foreseen.
        std::int64_t k = column;
        while (k + kGroup * kColumns < end && !(end_at(k + (kGroup - 1) * kColumns) > rest)) {
            k += kGroup * kColumns;
        }
        int n_below = 0;
        for (int i = 0; i < kGroup; ++i) {
            const std::int64_t at = k + i * kColumns;
            n_below += at < end && !(end_at(at < end ? at : k) > rest);
        }
        k += n_below * kColumns;
        if (k >= end) return kUndecided;
        const float low = k < kColumns ? 0.0F : end_at(k - kColumns);
        const bool is_certain = end_at(k) - rest > margin && rest - low > margin;
        return is_certain ? static_cast<std::int32_t>(k) : kUndecided;
    }

    static constexpr int kGroup = 4;

    std::int64_t padded_;
    std::int64_t n_rows_;
    float margin_;
    Buffer<float> running_;
    alignas(64) float ends_[2 * kColumns] = {};  // the first half is the 0 before column 0
};

}  // namespace blocklda::BLOCKLDA_ISA
