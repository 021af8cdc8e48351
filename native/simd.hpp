// Vectors of doubles, as wide as the instruction set this file is compiled for.
//
// Every kernel source is compiled once per instruction set, inside a namespace of its own
// (BLOCKLDA_ISA), because two versions of one inline function must not share a name. Each lane does
// the same IEEE operations in the same order at any width, so all builds return the same bits.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

// What keeps vectors in registers must be inlined, however long the caller has become.
#define BLOCKLDA_INLINE [[gnu::always_inline]] inline

namespace blocklda::BLOCKLDA_ISA {

#if defined(__AVX512F__)
inline constexpr int kWidth = 8;
#elif defined(__AVX__)
inline constexpr int kWidth = 4;
#else
inline constexpr int kWidth = 2;
#endif

// Rows of topics are padded to whole groups of lanes. The number is fixed by the results, not by
// the machine: sums run lane by lane.
inline constexpr int kLanes = 8;
inline constexpr int kVecs = kLanes / kWidth;

typedef double Vec __attribute__((vector_size(kWidth * sizeof(double))));
typedef double Vec4 __attribute__((vector_size(4 * sizeof(double))));
typedef double Vec2 __attribute__((vector_size(2 * sizeof(double))));
typedef std::int32_t IntVec __attribute__((vector_size(kWidth * sizeof(std::int32_t))));

template <class V>
BLOCKLDA_INLINE V load(const double* from) {
    V value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <class V>
BLOCKLDA_INLINE void store(double* to, V value) {
    std::memcpy(to, &value, sizeof value);
}

// Whole numbers as doubles. Compilers turn the portable form into several half-width conversions.
BLOCKLDA_INLINE Vec load_counts(const std::int32_t* from) {
#if defined(__AVX512F__)
    return _mm512_cvtepi32_pd(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
#elif defined(__AVX__)
    return _mm256_cvtepi32_pd(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
#elif defined(__SSE2__)
    return _mm_cvtepi32_pd(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
#else
    IntVec value;
    std::memcpy(&value, from, sizeof value);
    return __builtin_convertvector(value, Vec);
#endif
}

inline std::int64_t round_up_to_lanes(std::int64_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

}  // namespace blocklda::BLOCKLDA_ISA
