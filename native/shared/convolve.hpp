// Products of polynomials, one pair per vector lane.
//
// A chunk holds kLanes polynomials: row n, at n * kLanes, has their coefficients of x^n. So the
// coefficients that a product needs lie together in memory.
#pragma once

#include <cstdint>

#include "shared/simd.hpp"

namespace blocklda::BLOCKLDA_ISA {

// One coefficient of left * right: the inner terms R_n L_{c-n} in order of n, then L_0 R_c, then
// L_c R_0. The last is what a recursion over topics waits for. The twin adds in the same order.
// The constant term of a `monic` polynomial is 1 and is not read.
template <class V>
BLOCKLDA_INLINE V coefficient(const double* left, const double* right, std::int64_t stride,
                              std::int64_t c, bool monic) {
    const V last_right = load<V>(right + c * stride);
    const V last_left = load<V>(left + c * stride);
    const V outer_right = monic ? last_right : load<V>(left) * last_right;
    const V outer_left = monic ? last_left : last_left * load<V>(right);
    if (c == 1) return outer_right + outer_left;
    V sum = load<V>(right + stride) * load<V>(left + (c - 1) * stride);
    for (std::int64_t n = 2; n < c; ++n) {
        sum += load<V>(right + n * stride) * load<V>(left + (c - n) * stride);
    }
    return (sum + outer_right) + outer_left;
}

// kMany neighbouring coefficients, from c >= 2 on, which need nearly the same factors.
template <class V, int kMany>
BLOCKLDA_INLINE void coefficients(const double* left, const double* right, std::int64_t c,
                                  bool monic, double* out) {
    // Of the left coefficients c - n, ..., c - n + kMany - 1 only the first is new for each n.
    V factors[kMany];
    V sums[kMany];
    const V right_1 = load<V>(right + kLanes);
#pragma GCC unroll 4
    for (int j = 0; j < kMany; ++j) {
        factors[j] = load<V>(left + (c - 1 + j) * kLanes);
        sums[j] = right_1 * factors[j];
    }
    for (std::int64_t n = 2; n < c; ++n) {
        const V right_n = load<V>(right + n * kLanes);
#pragma GCC unroll 4
        for (int j = kMany - 1; j > 0; --j) factors[j] = factors[j - 1];
        factors[0] = load<V>(left + (c - n) * kLanes);
#pragma GCC unroll 4
        for (int j = 0; j < kMany; ++j) sums[j] += right_n * factors[j];
    }
    // The inner terms that only the higher coefficients have.
#pragma GCC unroll 4
    for (int i = 0; i < kMany - 1; ++i) {
        const V right_n = load<V>(right + (c + i) * kLanes);
#pragma GCC unroll 4
        for (int j = i + 1; j < kMany; ++j) sums[j] += right_n * factors[j - i - 1];
    }
#pragma GCC unroll 4
    for (int j = 0; j < kMany; ++j) {
        const std::int64_t d = c + j;
        const V last_right = load<V>(right + d * kLanes);
        const V last_left = load<V>(left + d * kLanes);
        const V outer_right = monic ? last_right : load<V>(left) * last_right;
        const V outer_left = monic ? last_left : last_left * load<V>(right);
        store(out + d * kLanes, (sums[j] + outer_right) + outer_left);
    }
}

// The rows of `out` for the lanes of one V.
template <class V>
BLOCKLDA_INLINE void convolve_lanes(const double* left, const double* right, double* out,
                                    std::int64_t size, bool monic) {
    if (!monic) store(out, load<V>(left) * load<V>(right));
    store(out + kLanes, coefficient<V>(left, right, kLanes, 1, monic));
    std::int64_t c = 2;
    for (; c + 3 <= size; c += 4) coefficients<V, 4>(left, right, c, monic, out);
    for (; c < size; c += 2) coefficients<V, 2>(left, right, c, monic, out);
    if (c == size) store(out + c * kLanes, coefficient<V>(left, right, kLanes, c, monic));
}

// The product of monic polynomials of a small degree, all in registers: h[1..kSize].
template <class V, int kSize>
BLOCKLDA_INLINE void convolve_registers(const V (&left)[kSize + 1], const V (&right)[kSize + 1],
                                        V (&h)[kSize + 1]) {
    h[1] = right[1] + left[1];
#pragma GCC unroll 8
    for (int c = 2; c <= kSize; ++c) {
        V sum = right[1] * left[c - 1];
#pragma GCC unroll 8
        for (int n = 2; n < c; ++n) sum += right[n] * left[c - n];
        h[c] = (sum + right[c]) + left[c];
    }
}

// The same with the left factor overwritten; the highest coefficient first, while the lower ones
// are still there.
template <class V, int kSize>
BLOCKLDA_INLINE void convolve_in_place(V (&left)[kSize + 1], const V (&right)[kSize + 1]) {
#pragma GCC unroll 8
    for (int c = kSize; c >= 2; --c) {
        V sum = right[1] * left[c - 1];
#pragma GCC unroll 8
        for (int n = 2; n < c; ++n) sum += right[n] * left[c - n];
        left[c] = (sum + right[c]) + left[c];
    }
    left[1] = right[1] + left[1];
}

template <class V, int kSize>
BLOCKLDA_INLINE void load_rows(const double* chunk, V (&h)[kSize + 1]) {
#pragma GCC unroll 8
    for (int n = 1; n <= kSize; ++n) h[n] = load<V>(chunk + n * kLanes);
}

template <class V, int kSize>
BLOCKLDA_INLINE void store_rows(double* chunk, const V (&h)[kSize + 1]) {
#pragma GCC unroll 8
    for (int n = 1; n <= kSize; ++n) store(chunk + n * kLanes, h[n]);
}

template <class V, int kSize>
BLOCKLDA_INLINE void convolve_small(const double* left, const double* right, double* out) {
    V l[kSize + 1];
    V r[kSize + 1];
    V h[kSize + 1];
    load_rows<V, kSize>(left, l);
    load_rows<V, kSize>(right, r);
    convolve_registers<V, kSize>(l, r, h);
    store_rows<V, kSize>(out, h);
}

}  // namespace blocklda::BLOCKLDA_ISA
