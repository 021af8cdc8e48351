// The product of two polynomials, one pair per vector lane.
#pragma once

#include <cstdint>

#include "simd.hpp"

namespace blocklda::BLOCKLDA_ISA {

// One coefficient of left * right: the inner terms in order of n, then L_0 R_c, then L_c R_0. The
// last one is what a recursion over topics waits for. The twin adds in the same order.
template <class V>
inline V coefficient(const double* left, std::int64_t left_stride, const double* right,
                     std::int64_t right_stride, std::int64_t c, bool monic) {
    const V outer_right = load<V>(right + c * right_stride);
    const V outer_left = load<V>(left + c * left_stride);
    V sum{};
    if (c > 1) {
        sum = load<V>(left + left_stride) * load<V>(right + (c - 1) * right_stride);
        for (std::int64_t n = 2; n < c; ++n) {
            sum += load<V>(left + n * left_stride) * load<V>(right + (c - n) * right_stride);
        }
    }
    if (monic) return c > 1 ? (sum + outer_right) + outer_left : outer_right + outer_left;
    const V with_right = load<V>(left) * outer_right;
    return (c > 1 ? sum + with_right : with_right) + outer_left * load<V>(right);
}

// Rows 1..C of `out` for the `pairs` columns of left and right. `monic` polynomials have a constant
// term of 1, which is then neither read nor written.
template <class V>
inline void convolve_columns(const double* left, const double* right, std::int64_t in_stride,
                             double* out, std::int64_t out_stride, std::int64_t pairs,
                             std::int64_t size, bool monic) {
    constexpr std::int64_t step = sizeof(V) / sizeof(double);
    for (std::int64_t i = 0; i < pairs; i += step) {
        if (!monic) store(out + i, load<V>(left + i) * load<V>(right + i));
        for (std::int64_t c = 1; c <= size; ++c) {
            store(out + c * out_stride + i,
                  coefficient<V>(left + i, in_stride, right + i, in_stride, c, monic));
        }
    }
}

}  // namespace blocklda::BLOCKLDA_ISA
