// The leaves of a block: q_k(n) = a^(n) b^(n) / (n! c^(n)) for every topic k and n = 0..C.
// They are stored in chunks, see convolve.hpp.
#pragma once

#include <cmath>
#include <cstdint>

#include "dense/counts.hpp"
#include "shared/buffer.hpp"
#include "shared/simd.hpp"

namespace blocklda::BLOCKLDA_ISA {

// Up to this size raw leaves can neither overflow nor underflow, whatever the counts: the largest
// term of the normaliser lies between 1e-160 (alpha = beta = 1e-10, 2^31 tokens in the topic, a
// word and a document of this block only) and 1e100 (priors of 1e6).
inline constexpr std::int64_t kAlwaysInRange = 16;

// Above it the raw form is kept as long as the coefficient that is wanted is not this much smaller
// than the largest one; no coefficient that matters has then been lost.
inline constexpr double kSmallestShare = 1e-270;

// The error of an FFT is about 1e-16 of the largest coefficient, and tilted leaves sum to 1: below
// this value of the wanted coefficient the error could be seen, and the direct sum is used.
inline constexpr double kSmallestByFft = 1e-7;

// What the leaves of a block are computed from: the counts without it, and its word. Kernels keep a
// copy of it in local variables, so that stores cannot force its pointers to be read again.
template <class Word>
struct LeafSource {
    const double* a;
    const double* c;
    const double* rates;
    std::int64_t rate_stride;
    std::int64_t n_rates;
    std::int64_t n_topics;
    std::int64_t padded;
    Word word;

    template <class Counts>
    LeafSource(Counts& counts, const Word& word_counts)
        : a(counts.a()),
          c(counts.c()),
          rates(counts.cached_rate(1)),
          rate_stride(counts.rate_stride()),
          n_rates(counts.live_rates()),
          n_topics(counts.n_topics()),
          padded(counts.padded()),
          word(word_counts) {}

    // q_k(1..kSize) of the topics of one vector, in registers. kSize must not exceed the number of
    // rates that the counts keep.
    template <int kSize>
    BLOCKLDA_INLINE void registers(std::int64_t i, Vec (&q)[kSize + 1]) const {
        const Vec b = word.b(i);
        q[1] = load<Vec>(rates + i) * b;
#pragma GCC unroll 8
        for (int j = 2; j <= kSize; ++j) {
            const auto n = static_cast<double>(j - 1);
            q[j] = q[j - 1] * (load<Vec>(rates + (j - 1) * rate_stride + i) * (b + n));
        }
    }

    // q_k(1..size) of the kLanes topics from i on, as rows of a chunk.
    void chunk(std::int64_t i, std::int64_t size, double* rows) const {
        for (int v = 0; v < kVecs; ++v, i += kWidth, rows += kWidth) {
            const Vec b = word.b(i);
            const Vec a_i = load<Vec>(a + i);
            const Vec c_i = load<Vec>(c + i);
            Vec q = load<Vec>(rates + i) * b;
            store(rows + kLanes, q);
            std::int64_t j = 2;
            for (; j <= size && j <= n_rates; ++j) {
                const Vec rate_j = load<Vec>(rates + (j - 1) * rate_stride + i);
                q = q * (rate_j * (b + static_cast<double>(j - 1)));
                store(rows + j * kLanes, q);
            }
            for (; j <= size; ++j) {
                const auto n = static_cast<double>(j - 1);
                const Vec rate_j = (a_i + n) / (static_cast<double>(j) * (c_i + n));
                q = q * (rate_j * (b + n));
                store(rows + j * kLanes, q);
            }
        }
    }

    // q_k(1..size) of one topic into q[stride], q[2 * stride], ...
    void topic(std::int64_t k, std::int64_t size, double* q, std::int64_t stride) const {
        const double b_k = word.b_of(k);
        double term = 1.0;
        for (std::int64_t j = 1; j <= size; ++j) {
            const double rate_j =
                j <= n_rates ? rates[(j - 1) * rate_stride + k] : rate(a[k], c[k], j);
            term = term * (rate_j * (b_k + static_cast<double>(j - 1)));
            q[j * stride] = term;
        }
    }
};

// Tilted leaves: p_k(n) proportional to q_k(n) s^-n and summing to 1. Any s leaves the conditional
// of a block as it is, since the degrees of its topics always add up to C. The s chosen here makes
// C the mean total. That is a typical total too, unless topics of two kinds meet in one block,
// those that take few tokens each and empty ones that would take all or none: C may then lie in a
// valley between two modes, as low as e^(-0.37 C). So whoever uses tilted leaves looks at h(C).
template <class Source>
class TiltedLeaves {
  public:
    void prepare(const Source& source, std::int64_t size) {
        source_ = &source;
        size_ = size;
        terms_.reserve(size + 1);
        exponents_.reserve(size + 1);
        s_ = saddle_point();
    }

    // p_k(0..size) of one topic into p[0], p[stride], ...; beyond the last topic the constant 1.
    void topic(std::int64_t k, double* p, std::int64_t stride) {
        if (k >= source_->n_topics) {
            for (std::int64_t n = 0; n <= size_; ++n) p[n * stride] = n == 0 ? 1.0 : 0.0;
            return;
        }
        const double total = series(k, s_).total;
        for (std::int64_t n = 0; n <= size_; ++n) p[n * stride] = terms_[n] / total;
    }

    // The same for the kLanes topics from i on, as rows of a chunk.
    void chunk(std::int64_t i, double* rows) {
        for (int lane = 0; lane < kLanes; ++lane) topic(i + lane, rows + lane, kLanes);
    }

  private:
    struct Moments {
        double total;
        double mean;
        double variance;
    };

    // Powers of 2^256 are carried in `exponents_`: the terms of one topic may span more than the
    // range of a double on the way from one of its modes to the other.
    static constexpr double kBig = 0x1p256;
    static constexpr double kSmall = 0x1p-256;

    // The terms q_k(n) s^-n of one topic, scaled by a common power of two, and their moments.
    Moments series(std::int64_t k, double s) {
        const double a = source_->a[k];
        const double c = source_->c[k];
        double term = 1.0;
        std::int64_t exponent = 0;
        std::int64_t largest = 0;
        terms_[0] = term;
        exponents_[0] = exponent;
        for (std::int64_t n = 1; n <= size_; ++n) {
            term *= (rate(a, c, n) * (source_->word.b_of(k) + static_cast<double>(n - 1))) / s;
            if (term > kBig) {
                term *= kSmall;
                ++exponent;
            } else if (term < kSmall) {
                term *= kBig;
                --exponent;
            }
            terms_[n] = term;
            exponents_[n] = exponent;
            largest = exponent > largest ? exponent : largest;
        }
        double total = 0.0;
        double first = 0.0;
        double second = 0.0;
        for (std::int64_t n = 0; n <= size_; ++n) {
            const std::int64_t below = largest - exponents_[n];
            double scaled = terms_[n];
            for (std::int64_t i = 0; i < (below < 5 ? below : 5); ++i) scaled *= kSmall;
            terms_[n] = scaled;
            const auto degree = static_cast<double>(n);
            total += scaled;
            first += degree * scaled;
            second += degree * (degree * scaled);
        }
        const double mean = first / total;
        return {total, mean, second / total - mean * mean};
    }

    // s with (E - C)^2 <= Var for the total degree under the tilted leaves, by bisection; E falls
    // in s. The first guess is right when every q_k is a Poisson series.
    double saddle_point() {
        const auto target = static_cast<double>(size_);
        double s = 0.0;
        for (std::int64_t k = 0; k < source_->n_topics; ++k) {
            s += rate(source_->a[k], source_->c[k], 1) * source_->word.b_of(k);
        }
        s /= target;
        double low = 0.0;
        double high = 0.0;
        for (int step = 0; step < kSteps; ++step) {
            double mean = 0.0;
            double variance = 0.0;
            for (std::int64_t k = 0; k < source_->n_topics; ++k) {
                const Moments moments = series(k, s);
                mean += moments.mean;
                variance += moments.variance;
            }
            if ((mean - target) * (mean - target) <= variance) break;
            (mean > target ? low : high) = s;
            if (low > 0.0 && high > 0.0) {
                s = std::sqrt(low) * std::sqrt(high);
            } else {
                s = mean > target ? s * 4.0 : s / 4.0;
            }
        }
        return s;
    }

    static constexpr int kSteps = 200;
    const Source* source_ = nullptr;
    std::int64_t size_ = 0;
    double s_ = 1.0;
    Buffer<double> terms_;
    Buffer<std::int64_t> exponents_;
};

}  // namespace blocklda::BLOCKLDA_ISA
