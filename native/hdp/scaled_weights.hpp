// Weights of topics for a table: products of as many factors as it has tokens.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "shared/buffer.hpp"
#include "shared/simd.hpp"

namespace blocklda::BLOCKLDA_ISA {

// Mantissas and exponents. Exponents are split off after every `factors` factors, and are 0 for a
// table of no more tokens: products of so many are within the range of doubles.
class ScaledWeights {
  public:
    static constexpr std::int64_t kMostFactors = 64;

    explicit ScaledWeights(std::int64_t n) : weights_(n), exponents_(n) {}

    // How many factors (b + i) / (beta + i) or (c + i) / (B + i) can be multiplied at once: the
    // first is below 1 + n / beta, n being all tokens, and the second is below that; beta is the
    // smallest of the words' priors.
    static std::int64_t factors_for(double beta, std::int64_t n_tokens) {
        const double largest = 1.0 + static_cast<double>(n_tokens) / beta;
        std::int64_t n = 1;
        for (double product = largest * largest; n < kMostFactors && product < kLargest;
             product *= largest) {
            ++n;
        }
        return n;
    }

    double* data() { return weights_.data(); }
    double& operator[](std::int64_t i) { return weights_[i]; }

    // Divide the first `padded` weights by the product over i < size of (c + i) / (B + i).
    void divide_by_losses(std::int64_t padded, const double* c, std::int64_t size, double beta_sum,
                          std::int64_t factors) {
        for (std::int64_t first = 0; first < size; first += factors) {
            const std::int64_t end = first + factors < size ? first + factors : size;
            divide_by_some_losses(padded, c, first, end, beta_sum);
            if (size > factors) split(padded);
        }
    }

    void clear_exponents(std::int64_t first, std::int64_t end) {
        for (std::int64_t i = first; i < end; ++i) exponents_[i] = 0;
    }

    // Bring mantissas back to the range from 1/2 to 1, as `frexp` does, by their bits.
    void split(std::int64_t padded) {
        for (std::int64_t i = 0; i < padded; i += kWidth) {
            LongVec bits;
            std::memcpy(&bits, weights_.data() + i, sizeof bits);
            const LongVec field = (bits >> kMantissaBits) & 0x7ff;
            bool are_normal = true;
            for (int l = 0; l < kWidth; ++l) are_normal &= field[l] != 0 || bits[l] == 0;
            if (!are_normal) {
                split_one_by_one(i);
                continue;
            }
            LongVec exponent;
            std::memcpy(&exponent, exponents_.data() + i, sizeof exponent);
            const LongVec mantissa =
                (bits & ((std::int64_t{1} << kMantissaBits) - 1)) | (kHalf << kMantissaBits);
            exponent += bits == 0 ? LongVec{} : field - kHalf;
            bits = bits == 0 ? bits : mantissa;
            std::memcpy(weights_.data() + i, &bits, sizeof bits);
            std::memcpy(exponents_.data() + i, &exponent, sizeof exponent);
        }
    }

    // The largest exponent of a weight, or `least` if that is larger.
    std::int64_t largest_exponent(std::int64_t n, std::int64_t least) const {
        std::int64_t largest = least;
        for (std::int64_t i = 0; i < n; ++i) {
            if (weights_[i] > 0.0 && exponents_[i] > largest) largest = exponents_[i];
        }
        return largest;
    }

    // Have weights that are all multiples of 2^exponent.
    void use_exponent(std::int64_t n, std::int64_t exponent) {
        for (std::int64_t i = 0; i < n; ++i) {
            weights_[i] = scaled(weights_[i], exponents_[i] - exponent);
        }
    }

    // A mantissa from 1/2 to 1, or 0, times a power of two.
    static double scaled(double mantissa, std::int64_t exponent) {
        if (exponent < kLowest) return 0.0;
        const std::int64_t bits = (exponent + 1023) << kMantissaBits;
        double power = 0.0;
        std::memcpy(&power, &bits, sizeof power);
        return mantissa * power;
    }

  private:
    static constexpr double kLargest = 1e290;
    // A topic this many powers of two below the largest weighs nothing.
    static constexpr std::int64_t kLowest = -1000;
    static constexpr int kMantissaBits = 52;
    // What stands in a double for the exponent of 1/2.
    static constexpr std::int64_t kHalf = 1022;
    typedef std::int64_t LongVec __attribute__((vector_size(kWidth * sizeof(std::int64_t))));

    void divide_by_some_losses(std::int64_t padded, const double* c, std::int64_t first,
                               std::int64_t end, double beta_sum) {
        double inverse[kMostFactors];
        for (std::int64_t i = first; i < end; ++i) {
            inverse[i - first] = 1.0 / (beta_sum + static_cast<double>(i));
        }
        for (std::int64_t k = 0; k < padded; k += kWidth) {
            const Vec total = load<Vec>(c + k);
            Vec loss = (total + static_cast<double>(first)) * inverse[0];
            for (std::int64_t i = first + 1; i < end; ++i) {
                loss = loss * ((total + static_cast<double>(i)) * inverse[i - first]);
            }
            store(weights_.data() + k, load<Vec>(weights_.data() + k) / loss);
        }
    }

    void split_one_by_one(std::int64_t first) {
        for (std::int64_t i = first; i < first + kWidth; ++i) {
            int exponent = 0;
            weights_[i] = std::frexp(weights_[i], &exponent);
            exponents_[i] += exponent;
        }
    }

    Buffer<double> weights_;
    Buffer<std::int64_t> exponents_;
};

}  // namespace blocklda::BLOCKLDA_ISA
