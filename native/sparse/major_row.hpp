// The row of the corpus that a sparse sweep is in: dense counts of one document, or of one word.
#pragma once

#include <cstdint>
#include <cstring>

#include "shared/buffer.hpp"
#include "shared/simd.hpp"
#include "shared/views.hpp"
#include "sparse/cell_histogram.hpp"

namespace blocklda::BLOCKLDA_ISA {

// With m_k the tokens of topic k in this row, s_k the row's own prior and c_k = n_k + V beta,
//     b_k = m_k + s_k     and     g_k = b_k / c_k
// are kept for every topic. r_k is the prior of the other axis. Behind the last topic stands one
// that weighs nothing, for the padding of topic lists.
//
// kGrouped: the row is swept in one group of words, of which topic k has the mass mu_k. Then n_k
// and V beta count the tokens and words of the group alone, and g_k = mu_k b_k / c_k.
template <bool kGrouped>
class MajorRow {
  public:
    static constexpr double kPaddingTotal = 1e300;

    // `for_blocks`: several tokens are drawn at once, which takes more than g_k and its sum.
    MajorRow(const AxisPriors& priors, std::int32_t* totals, bool for_blocks)
        : priors_(priors),
          n_(totals),
          for_blocks_(for_blocks),
          other_(priors.padded + kLanes),
          beta_sum_(priors.padded),
          m_(priors.padded),
          m_more_(priors.padded),
          g_(priors.padded + kLanes),
          masses_(kGrouped ? priors.padded + kLanes : 0) {
        // Padding divides by a number that no topic is below, and weighs nothing.
        for (std::int64_t k = 0; k < priors.padded; ++k) {
            beta_sum_[k] = k < priors.n_topics ? priors.beta_sum[k] : kPaddingTotal;
            other_[k] = priors.other[k];
            largest_other_ = priors.other[k] > largest_other_ ? priors.other[k] : largest_other_;
        }
        if constexpr (kGrouped) {
            largest_mass_ = 0.0;
            for (std::int64_t k = 0; k < priors.n_topics; ++k) {
                masses_[k] = priors.masses[k];
                largest_mass_ = masses_[k] > largest_mass_ ? masses_[k] : largest_mass_;
            }
        }
    }

    std::int64_t padded() const { return priors_.padded; }

    // The row's cells as they are now.
    void note_cells(CellHistogram& cells) const {
        for (std::int64_t k = 0; k < priors_.n_topics; ++k) {
            if (m_[k] != 0) cells.note(k, m_[k]);
        }
    }

    // The same by the row's tokens, which may be fewer than topics. The counts are lost.
    void take_cells(const std::int32_t* topics, std::int64_t n, CellHistogram& cells) {
        for (std::int64_t t = 0; t < n; ++t) {
            std::int32_t& held = m_[topics[t]];
            if (held != 0) cells.note(topics[t], held);
            held = 0;
        }
    }

    void clear_row() {
        const auto bytes = static_cast<std::size_t>(priors_.padded) * sizeof(std::int32_t);
        std::memset(m_.data(), 0, bytes);
        std::memset(m_more_.data(), 0, bytes);
    }
    // Two halves, because a count that has just been written has to be waited for.
    void count(const std::int32_t* topics, std::int64_t n) {
        std::int64_t i = 0;
        for (; i + 1 < n; i += 2) {
            ++m_[topics[i]];
            ++m_more_[topics[i + 1]];
        }
        if (i < n) ++m_[topics[i]];
    }

    // After the row's tokens have been counted.
    void start(std::int64_t row) {
        own_ = priors_.own + row * priors_.own_stride;
        for (std::int64_t k = 0; k < priors_.padded; ++k) m_[k] += m_more_[k];
        if (for_blocks_) {
            weigh_topics<true>();
        } else {
            weigh_topics<false>();
        }
    }

    // g_k with some more tokens of topic k, or fewer.
    double g_with(std::int32_t k, std::int32_t more) const {
        return weight_of(k, static_cast<double>(m_[k] + more) + own_[k],
                         static_cast<double>(n_[k] + more) + beta_sum_[k]);
    }

    // Take tokens out of topic k or put them in, with all that follows from it. Most tokens stay:
    // inlined, it would cost those more than it saves the others.
    [[gnu::noinline]] void change(std::int32_t k, std::int32_t by) { change(k, by, g_with(k, by)); }
    // The same where `g_with` has been computed before.
    [[gnu::noinline]] void change(std::int32_t k, std::int32_t by, double g) {
        m_[k] += by;
        n_[k] += by;
        const double before = priors_.other[k] * g_[k];
        const double after = priors_.other[k] * g;
        sum_ = (sum_ - before) + after;
        top_ = sum_ > top_ ? sum_ : top_;
        if (for_blocks_) change_for_blocks(k, before, after, g);
        g_[k] = g;
    }

    // A topic has come into a slot that weighed nothing; its prior is there already.
    void reveal(std::int32_t k, double beta_sum) {
        beta_sum_[k] = beta_sum;
        change(k, 0);
    }

    // Take tokens out of b and c alone, for as long as their block is being drawn.
    void lift(std::int32_t k, std::int32_t count) {
        m_[k] -= count;
        n_[k] -= count;
    }

    // Give g_k another value for a while; returns the one it had.
    double set_g(std::int32_t k, double value) {
        const double before = g_[k];
        g_[k] = value;
        return before;
    }

    // g_k, were b_k and c_k these.
    double weight_of(std::int64_t k, double b, double c) const {
        if constexpr (kGrouped) return (b / c) * masses_[k];
        return b / c;
    }

    const double* masses() const { return masses_.data(); }
    double largest_mass() const { return largest_mass_; }
    double b(std::int32_t k) const { return static_cast<double>(m_[k]) + own_[k]; }
    double c(std::int32_t k) const { return static_cast<double>(n_[k]) + beta_sum_[k]; }
    Vec b_from(std::int64_t k) const { return load_counts(m_.data() + k) + load<Vec>(own_ + k); }
    Vec c_from(std::int64_t k) const {
        return load_counts(n_ + k) + load<Vec>(beta_sum_.data() + k);
    }
    const double* g() const { return g_.data(); }
    const double* other() const { return other_.data(); }
    double largest_other() const { return largest_other_; }

    // At least the sums of r_k g_k and of r_k g_k^2. They are running sums, made anew for every
    // row; what rounding may have taken from them since is far below the margin.
    double bound() const { return sum_ + slack(); }
    double bound_without(std::int32_t k) const {
        return (sum_ - priors_.other[k] * g_[k]) + slack();
    }
    double bound_of_squares() const { return squares_ + kMargin * squares_top_; }
    // The running sum of r_k g_k, and what the true one may be away from it.
    double sum() const { return sum_; }
    double slack() const { return kMargin * top_; }
    // At least every g_k and b_k, and at most every c_k, since the row began.
    double largest_g() const { return largest_g_; }
    double largest_b() const { return largest_b_; }
    double smallest_c() const { return smallest_c_; }

  private:
    static constexpr double kMargin = 1e-9;

    // While g_k is still what it was.
    void change_for_blocks(std::int32_t k, double before, double after, double g) {
        squares_ = (squares_ - before * g_[k]) + after * g;
        squares_top_ = squares_ > squares_top_ ? squares_ : squares_top_;
        largest_g_ = g > largest_g_ ? g : largest_g_;
        largest_b_ = b(k) > largest_b_ ? b(k) : largest_b_;
        smallest_c_ = c(k) < smallest_c_ ? c(k) : smallest_c_;
    }

    // All topics of a row that has begun.
    template <bool kForBlocks>
    void weigh_topics() {
        Vec sum[kVecs] = {};
        Vec squares[kVecs] = {};
        Vec largest = {};
        Vec largest_b = {};
        Vec smallest = Vec{} + kPaddingTotal;
        for (std::int64_t i = 0; i < priors_.padded; i += kLanes) {
            for (int v = 0; v < kVecs; ++v) {
                const std::int64_t k = i + v * kWidth;
                const Vec b = b_from(k);
                const Vec c = c_from(k);
                Vec g = b / c;
                if constexpr (kGrouped) g = g * load<Vec>(masses_.data() + k);
                store(g_.data() + k, g);
                const Vec weight = load<Vec>(priors_.other + k) * g;
                sum[v] += weight;
                if constexpr (!kForBlocks) continue;
                squares[v] += weight * g;
                largest = g > largest ? g : largest;
                largest_b = b > largest_b ? b : largest_b;
                smallest = c < smallest ? c : smallest;
            }
        }
        sum_ = top_ = sum_of_lanes(sum);
        if constexpr (!kForBlocks) return;
        squares_ = squares_top_ = sum_of_lanes(squares);
        largest_g_ = largest[0];
        largest_b_ = largest_b[0];
        smallest_c_ = smallest[0];
        for (int i = 1; i < kWidth; ++i) {
            largest_g_ = largest[i] > largest_g_ ? largest[i] : largest_g_;
            largest_b_ = largest_b[i] > largest_b_ ? largest_b[i] : largest_b_;
            smallest_c_ = smallest[i] < smallest_c_ ? smallest[i] : smallest_c_;
        }
    }

    AxisPriors priors_;
    std::int32_t* n_;
    bool for_blocks_;
    double largest_other_ = 0.0;
    double largest_mass_ = 1.0;
    const double* own_ = nullptr;
    double sum_ = 0.0;
    double top_ = 0.0;
    double squares_ = 0.0;
    double squares_top_ = 0.0;
    double largest_g_ = 0.0;
    double largest_b_ = 0.0;
    double smallest_c_ = 0.0;
    Buffer<double> other_;
    Buffer<double> beta_sum_;
    Buffer<std::int32_t> m_;
    Buffer<std::int32_t> m_more_;
    Buffer<double> g_;
    Buffer<double> masses_;
};

}  // namespace blocklda::BLOCKLDA_ISA
