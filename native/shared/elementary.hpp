// Logarithm, exponential and log gamma function from + - * / alone, in an explicit order. Those of
// the platform differ in their last bits from one C library to the next; what decides about a draw
// must not. `frexp`, `ldexp` and `floor` are exact, and so the same everywhere.
#pragma once

#include <cmath>

namespace blocklda::BLOCKLDA_ISA {

// ln 2 in two parts: the first has 20 zero bits at its end, so that its product with an exponent is
// exact.
inline constexpr double kLn2High = 0x1.62e42feep-1;
inline constexpr double kLn2Low = 0x1.a39ef35793c76p-33;

// series[0] + series[1] x + series[2] x^2 + ..., by Horner's rule.
template <int n>
inline double polynomial(const double (&series)[n], double x) {
    double sum = series[n - 1];
    for (int i = n - 2; i >= 0; --i) sum = sum * x + series[i];
    return sum;
}

// log x for 0 < x < infinity. x = m 2^e with m from 1/sqrt 2 to sqrt 2, and with t = (m-1)/(m+1)
//     log m = 2 (t + t^3/3 + t^5/5 + ...),
// where t^2 < 0.0295: the first term that is left out is below 2^-62 of the sum.
inline double elementary_log(double x) {
    constexpr double inverse_root_2 = 0x1.6a09e667f3bcdp-1;
    constexpr double series[] = {1.0,      1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11,
                                 1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21, 1.0 / 23};
    int exponent = 0;
    double m = std::frexp(x, &exponent);
    if (m < inverse_root_2) {
        m *= 2.0;
        --exponent;
    }
    const double t = (m - 1.0) / (m + 1.0);
    const double e = exponent;
    return e * kLn2High + (e * kLn2Low + 2.0 * t * polynomial(series, t * t));
}

// exp x for x <= 700; 0 from -700 down, and for what is no number. x = k ln 2 + r with |r| < 0.35,
// and exp r by its series, whose first term that is left out is below 2^-57.
inline double elementary_exp(double x) {
    constexpr double inverse_ln_2 = 0x1.71547652b82fep+0;
    constexpr double series[] = {1.0,
                                 1.0,
                                 1.0 / 2,
                                 1.0 / 6,
                                 1.0 / 24,
                                 1.0 / 120,
                                 1.0 / 720,
                                 1.0 / 5040,
                                 1.0 / 40320,
                                 1.0 / 362880,
                                 1.0 / 3628800,
                                 1.0 / 39916800,
                                 1.0 / 479001600,
                                 1.0 / 6227020800};
    if (!(x > -700.0)) return 0.0;
    const double k = std::floor(x * inverse_ln_2 + 0.5);
    const double r = (x - k * kLn2High) - k * kLn2Low;
    return std::ldexp(polynomial(series, r), static_cast<int>(k));
}

// log Gamma(x) for 0 < x < infinity: Stirling's series from 10 on, whose first term that is left
// out is below 2^-54 there, and below 10 by Gamma(x) = Gamma(x + n) / (x (x+1) ... (x+n-1)). The
// error is one of rounding: 1e-15 of the value and 1e-14 where the value is small.
inline double elementary_log_gamma(double x) {
    constexpr double half_log_2_pi = 0x1.d67f1c864beb5p-1;
    constexpr double series[] = {1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                                 1.0 / 1188, -691.0 / 360360, 1.0 / 156};
    double product = 1.0;
    for (; x < 10.0; x += 1.0) product *= x;
    const double inverse = 1.0 / x;
    const double rest = inverse * polynomial(series, inverse * inverse);
    const double stirling = ((x - 0.5) * elementary_log(x) - x) + (half_log_2_pi + rest);
    return product == 1.0 ? stirling : stirling - elementary_log(product);
}

// The logarithm of a product of many positive numbers: mantissas are multiplied, exponents added,
// and one logarithm is taken at the end.
class LogProduct {
  public:
    void multiply(double x) {
        product_ *= within_bounds(x);
        product_ = within_bounds(product_);
    }

    double log() const {
        return static_cast<double>(exponent_) * kLn2High +
               (static_cast<double>(exponent_) * kLn2Low + elementary_log(product_));
    }

  private:
    // x, or its mantissa if it is far from 1; two numbers within the bounds have a product.
    double within_bounds(double x) {
        if (x > 0x1p-256 && x < 0x1p+256) return x;
        int exponent = 0;
        x = std::frexp(x, &exponent);
        exponent_ += exponent;
        return x;
    }

    double product_ = 1.0;
    long long exponent_ = 0;
};

}  // namespace blocklda::BLOCKLDA_ISA
