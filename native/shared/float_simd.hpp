// Vectors of floats for loops over topics, and sums over topics in a fixed order.
#pragma once

#include <cstdint>
#include <cstring>

#include "shared/simd.hpp"

namespace blocklda::BLOCKLDA_ISA {

// Eight at the most: with sixteen, moving lanes takes longer than it saves (`single-site` took 5 to
// 10 % more time with 100 topics and more).
inline constexpr int kFloatWidth = kWidth == 2 ? 4 : 8;

// Rows are padded to whole groups of lanes. Results must not depend on the width of vectors: sums
// run lane by lane.
inline constexpr int kFloatLanes = 16;
inline constexpr int kFloatVecs = kFloatLanes / kFloatWidth;

typedef float FloatVec __attribute__((vector_size(kFloatWidth * sizeof(float))));

template <class V>
BLOCKLDA_INLINE V load(const float* from) {
    V value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

// Not FloatVec{} + x: compilers keep that sum, because of a negative zero.
BLOCKLDA_INLINE FloatVec broadcast(float x) { return x - FloatVec{}; }

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
BLOCKLDA_INLINE void store_as_floats(float* to, Vec value) {
#if defined(__AVX512F__)
    _mm256_storeu_ps(to, _mm512_cvtpd_ps(value));
#elif defined(__AVX__)
    _mm_storeu_ps(to, _mm256_cvtpd_ps(value));
#elif defined(__SSE2__)
    _mm_storel_pi(reinterpret_cast<__m64*>(to), _mm_cvtpd_ps(value));
#else
    for (int l = 0; l < kWidth; ++l) to[l] = static_cast<float>(value[l]);
#endif
}

// The sum of the lanes: halves onto each other until one is left.
template <int n>
BLOCKLDA_INLINE float fold_lanes(const float* lanes) {
    if constexpr (n == 1) {
        return lanes[0];
    } else {
        float half[n / 2];
        for (int l = 0; l < n / 2; ++l) half[l] = lanes[l] + lanes[l + n / 2];
        return fold_lanes<n / 2>(half);
    }
}
template <int n>
BLOCKLDA_INLINE float fold(const FloatVec* vectors) {
    if constexpr (n == 1) {
        float lanes[kFloatWidth];
        store(lanes, vectors[0]);
        return fold_lanes<kFloatWidth>(lanes);
    } else {
        FloatVec half[n / 2];
        for (int v = 0; v < n / 2; ++v) half[v] = vectors[v] + vectors[v + n / 2];
        return fold<n / 2>(half);
    }
}

}  // namespace blocklda::BLOCKLDA_ISA
