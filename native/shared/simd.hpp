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
typedef std::int32_t LaneInts __attribute__((vector_size(kLanes * sizeof(std::int32_t))));
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
BLOCKLDA_INLINE Vec to_doubles(IntVec value) {
#if defined(__AVX512F__)
    return _mm512_cvtepi32_pd(reinterpret_cast<__m256i>(value));
#elif defined(__AVX__)
    return _mm256_cvtepi32_pd(reinterpret_cast<__m128i>(value));
#elif defined(__SSE2__)
    return _mm_cvtepi32_pd(_mm_set_epi32(0, 0, value[1], value[0]));
#else
    return __builtin_convertvector(value, Vec);
#endif
}

BLOCKLDA_INLINE IntVec load_ints(const std::int32_t* from) {
    IntVec value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

inline constexpr LaneInts kLaneNumbers{0, 1, 2, 3, 4, 5, 6, 7};

BLOCKLDA_INLINE LaneInts load_lanes(const std::int32_t* from) {
    LaneInts value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

BLOCKLDA_INLINE LaneInts load_lanes(const std::uint16_t* from) {
    typedef std::uint16_t Shorts __attribute__((vector_size(kLanes * sizeof(std::uint16_t))));
    Shorts value;
    std::memcpy(&value, from, sizeof value);
    return __builtin_convertvector(value, LaneInts);
}

BLOCKLDA_INLINE void store_lanes(std::int32_t* to, LaneInts value) {
    std::memcpy(to, &value, sizeof value);
}

BLOCKLDA_INLINE Vec load_counts(const std::int32_t* from) {
#if defined(__SSE2__) && !defined(__AVX__)
    return _mm_cvtepi32_pd(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
#else
    return to_doubles(load_ints(from));
#endif
}

BLOCKLDA_INLINE Vec load_counts(const std::uint16_t* from) {
#if defined(__AVX512F__)
    return _mm512_cvtepi32_pd(
        _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
#elif defined(__AVX2__)
    return _mm256_cvtepi32_pd(
        _mm_cvtepu16_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))));
#else
    Vec value;
    for (int l = 0; l < kWidth; ++l) value[l] = static_cast<double>(from[l]);
    return value;
#endif
}

// The doubles at base[index[0]], base[index[1]], ...
BLOCKLDA_INLINE Vec gather(const double* base, const std::int32_t* index) {
#if defined(__AVX512F__)
    const __m256i at = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(index));
    return _mm512_i32gather_pd(at, base, sizeof(double));
#elif defined(__AVX2__)
    const __m128d low = _mm_loadh_pd(_mm_load_sd(base + index[0]), base + index[1]);
    const __m128d high = _mm_loadh_pd(_mm_load_sd(base + index[2]), base + index[3]);
    return _mm256_set_m128d(high, low);
#else
    Vec value;
    for (int i = 0; i < kWidth; ++i) value[i] = base[index[i]];
    return value;
#endif
}

// The sum of kLanes lanes: lane l and lane l + 4, then what lies two apart, then the last two.
BLOCKLDA_INLINE double sum_of_lanes(const Vec (&lanes)[kVecs]) {
#if defined(__AVX__) && !defined(__AVX512F__)
    const Vec4 four = lanes[0] + lanes[1];
#else
    double all[kLanes];
    for (int v = 0; v < kVecs; ++v) store(all + v * kWidth, lanes[v]);
    const Vec4 four = load<Vec4>(all) + load<Vec4>(all + 4);
#endif
    const Vec2 two =
        __builtin_shufflevector(four, four, 0, 1) + __builtin_shufflevector(four, four, 2, 3);
    return two[0] + two[1];
}

// How many of kLanes whole numbers are below `bound`.
BLOCKLDA_INLINE int count_below(const std::int32_t* numbers, std::int32_t bound) {
#if defined(__AVX2__)
    const __m256i value = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(numbers));
    const __m256i below = _mm256_cmpgt_epi32(_mm256_set1_epi32(bound), value);
    return __builtin_popcount(
        static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(below))));
#else
    int n = 0;
    for (int i = 0; i < kLanes; ++i) n += numbers[i] < bound;
    return n;
#endif
}

inline std::int64_t round_up_to_lanes(std::int64_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

}  // namespace blocklda::BLOCKLDA_ISA
