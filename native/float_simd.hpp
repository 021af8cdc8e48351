// Vectors of floats for loops over topics, and sums over topics in a fixed order.
#pragma once

#include <cstdint>
#include <cstring>

#include "simd.hpp"

namespace blocklda::BLOCKLDA_ISA {

inline constexpr int kFloatWidth = 2 * kWidth;

// Rows are padded to whole vectors of the widest build. Sums run in twice as many lanes, so that
// narrow builds have several additions under way; the half that a row may end with leaves the other
// lanes as they are.
inline constexpr int kFloatPadding = 16;
inline constexpr int kFloatLanes = 32;

typedef float FloatVec __attribute__((vector_size(kFloatWidth * sizeof(float))));

template <class V>
BLOCKLDA_INLINE V load(const float* from) {
    V value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

BLOCKLDA_INLINE void store(float* to, FloatVec value) { std::memcpy(to, &value, sizeof value); }

// Compilers turn the portable form into several half-width conversions.
BLOCKLDA_INLINE Vec load_as_doubles(const float* from) {
#if defined(__AVX512F__)
    return _mm512_cvtps_pd(_mm256_loadu_ps(from));
#elif defined(__AVX__)
    return _mm256_cvtps_pd(_mm_loadu_ps(from));
#elif defined(__SSE2__)
    return Vec{static_cast<double>(from[0]), static_cast<double>(from[1])};
#else
    Vec value;
    for (int l = 0; l < kWidth; ++l) value[l] = static_cast<double>(from[l]);
    return value;
#endif
}

// The sum of the lanes of a vector: halves onto each other until one lane is left.
template <int n>
BLOCKLDA_INLINE float fold(const float* lanes) {
    if constexpr (n == 1) {
        return lanes[0];
    } else {
        float half[n / 2];
        for (int l = 0; l < n / 2; ++l) half[l] = lanes[l] + lanes[l + n / 2];
        return fold<n / 2>(half);
    }
}

// The sum over all topics of term(k), the vector of the topics k, k + 1, ...: lane by lane, then
// the lanes by halves.
template <class Term>
BLOCKLDA_INLINE float lane_sum(std::int64_t padded, Term term) {
    constexpr int kVectors = kFloatLanes / kFloatWidth;
    constexpr int kHalf = kVectors / 2;
    FloatVec sums[kVectors] = {};
    std::int64_t k = 0;
    for (; k + kFloatLanes <= padded; k += kFloatLanes) {
        for (int v = 0; v < kVectors; ++v) sums[v] += term(k + v * kFloatWidth);
    }
    if (k < padded) {
        for (int v = 0; v < kHalf; ++v) sums[v] += term(k + v * kFloatWidth);
    }
    for (int left = kHalf; left >= 1; left /= 2) {
        for (int v = 0; v < left; ++v) sums[v] += sums[v + left];
    }
    float lanes[kFloatWidth];
    store(lanes, sums[0]);
    return fold<kFloatWidth>(lanes);
}

BLOCKLDA_INLINE float lane_product(const float* left, const float* right, std::int64_t padded) {
    return lane_sum(padded, [=](std::int64_t k) {
        return load<FloatVec>(left + k) * load<FloatVec>(right + k);
    });
}

}  // namespace blocklda::BLOCKLDA_ISA
