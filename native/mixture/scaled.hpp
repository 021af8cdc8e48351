// Numbers of any size: mantissa and exponent apart. Powers of two are exact, so these numbers round
// as doubles would if their exponents had no end. The twin is models/scaled.py.
#pragma once

#include <bit>
#include <cstdint>

namespace blocklda::BLOCKLDA_ISA {

// The exponent of 0: below that of every other number.
inline constexpr std::int64_t kLowest = -(std::int64_t{1} << 40);

// Numbers this many powers of two below the largest of a sum do not change it.
inline constexpr std::int64_t kNegligible = -1000;

// Products of at most this many factors of a rising factorial stay far from the ends of the range:
// every factor is below 2^64, and at least 1e-30.
inline constexpr std::int64_t kFewFactors = 8;

struct Scaled {
    double mantissa;  // from 0.5 to 1, or 0
    std::int64_t exponent;
};

inline constexpr Scaled kZero{0.0, kLowest};
inline constexpr Scaled kOne{0.5, 1};

// What follows works on the bits of positive normal numbers, where `frexp` would be a call.
inline std::int64_t exponent_of(double x) {
    return static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(x) >> 52) - 1022;
}

inline double mantissa_of(double x) {
    constexpr std::uint64_t fraction = (std::uint64_t{1} << 52) - 1;
    constexpr std::uint64_t half = std::uint64_t{1022} << 52;
    return std::bit_cast<double>((std::bit_cast<std::uint64_t>(x) & fraction) | half);
}

// 2^n for -1022 <= n <= 0.
inline double power_of_two(std::int64_t n) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52);
}

// x 2^exponent for x >= 0.
inline Scaled scaled(double x, std::int64_t exponent = 0) {
    if (x == 0.0) return kZero;
    return {mantissa_of(x), exponent_of(x) + exponent};
}

inline Scaled operator*(Scaled a, Scaled b) {
    return scaled(a.mantissa * b.mantissa, a.exponent + b.exponent);
}

inline Scaled operator/(Scaled a, Scaled b) {
    return scaled(a.mantissa / b.mantissa, a.exponent - b.exponent);
}

// b (b+1) ... (b+n-1) for n up to kFewFactors.
inline double short_rising(double b, std::int64_t n) {
    double product = 1.0;
    for (std::int64_t i = 0; i < n; ++i) product *= b + static_cast<double>(i);
    return product;
}

inline Scaled rising(double b, std::int64_t n) {
    Scaled product = kOne;
    for (std::int64_t first = 0; first < n; first += kFewFactors) {
        const std::int64_t end = first + kFewFactors < n ? first + kFewFactors : n;
        double part = product.mantissa;
        for (std::int64_t i = first; i < end; ++i) part *= b + static_cast<double>(i);
        product = scaled(part, product.exponent);
    }
    return product;
}

// A number as a double, divided by 2^top, which is no smaller than its exponent.
inline double aligned(double mantissa, std::int64_t exponent, std::int64_t top) {
    const std::int64_t below = exponent - top;
    return below < kNegligible ? 0.0 : mantissa * power_of_two(below);
}

// The terms first[i] second[n-i], i = 0, ..., n, as doubles over a power of two; returns the
// exponent of that power.
inline std::int64_t aligned_products(const Scaled* first, const Scaled* second, std::int64_t n,
                                     double* terms) {
    std::int64_t top = first[0].exponent + second[n].exponent;
    for (std::int64_t i = 1; i <= n; ++i) {
        const std::int64_t exponent = first[i].exponent + second[n - i].exponent;
        top = exponent > top ? exponent : top;
    }
    for (std::int64_t i = 0; i <= n; ++i) {
        terms[i] = aligned(first[i].mantissa * second[n - i].mantissa,
                           first[i].exponent + second[n - i].exponent, top);
    }
    return top;
}

// The coefficient of x^n of the product of two series; `terms` has room for n + 1 numbers.
inline Scaled coefficient(const Scaled* first, const Scaled* second, std::int64_t n,
                          double* terms) {
    const std::int64_t top = aligned_products(first, second, n, terms);
    double sum = 0.0;
    for (std::int64_t i = 0; i <= n; ++i) sum += terms[i];
    return scaled(sum, top);
}

// The place at the point u of the distribution function of terms that add up to more than 0.
inline std::int64_t place_at(double u, const double* terms, std::int64_t n) {
    double total = 0.0;
    for (std::int64_t i = 0; i < n; ++i) total += terms[i];
    const double point = u * total;
    double end = 0.0;
    std::int64_t last = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        end += terms[i];
        if (end > point) return i;
        if (terms[i] > 0.0) last = i;
    }
    return last;  // rounding left the point at the end
}

}  // namespace blocklda::BLOCKLDA_ISA
