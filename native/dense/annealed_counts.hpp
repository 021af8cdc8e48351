// Counts whose part of the words is raised to a power b: what annealed sweeps weigh topics with.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "dense/counts.hpp"
#include "shared/buffer.hpp"
#include "shared/simd.hpp"
#include "shared/views.hpp"

namespace blocklda::BLOCKLDA_ISA {

// x^(sixteenths / 16) for x > 0, as a product of repeated square roots: the same bits everywhere.
inline double power(double x, std::int64_t sixteenths) {
    double root = x;
    double product = sixteenths >= 16 ? x : 1.0;
    for (std::int64_t bit = 8; bit > 0; bit /= 2) {
        root = std::sqrt(root);
        if ((sixteenths & bit) != 0) product *= root;
    }
    return product;
}

// A count n_vk and the power (n_vk + beta_kv)^b in one number, so that a row is read once: the
// upper half is that of the power, which keeps 21 significant bits, the lower half is the count.
// Only where a chain begins depends on the powers.
class PowerCell {
  public:
    static double of(double power, std::int32_t n) {
        const std::uint64_t low = static_cast<std::uint32_t>(n);
        return as_double((as_bits(power) & kUpper) | low);
    }
    static std::int32_t count(double cell) {
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(as_bits(cell)));
    }
    static double power_in(double cell) { return as_double(as_bits(cell) & kUpper); }
    BLOCKLDA_INLINE static Vec powers(const double* cells) {
        typedef std::uint64_t Bits __attribute__((vector_size(sizeof(Vec))));
        Bits bits;
        std::memcpy(&bits, cells, sizeof bits);
        bits &= kUpper;
        Vec value;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }

  private:
    static constexpr std::uint64_t kUpper = 0xFFFFFFFF00000000U;
    static std::uint64_t as_bits(double x) {
        std::uint64_t bits;
        std::memcpy(&bits, &x, sizeof bits);
        return bits;
    }
    static double as_double(std::uint64_t bits) {
        double x;
        std::memcpy(&x, &bits, sizeof x);
        return x;
    }
};

// The cells of one word by their counts: from a table where all words and topics share beta.
template <class Prior>
class CellTable;

template <>
class CellTable<EqualPrior> {
  public:
    CellTable(const PriorsView& priors, std::int64_t largest, std::int64_t sixteenths)
        : table_(largest + 1) {
        for (std::int64_t n = 0; n <= largest; ++n) {
            const double raised = power(static_cast<double>(n) + priors.beta[0], sixteenths);
            table_[n] = PowerCell::of(raised, static_cast<std::int32_t>(n));
        }
    }
    double at(std::int32_t n, const EqualPrior&, std::int64_t) const { return table_[n]; }

  private:
    Buffer<double> table_;
};

template <>
class CellTable<RowPrior> {
  public:
    CellTable(const PriorsView&, std::int64_t, std::int64_t sixteenths) : sixteenths_(sixteenths) {}
    double at(std::int32_t n, const RowPrior& prior, std::int64_t k) const {
        return PowerCell::of(power(static_cast<double>(n) + prior.of(k), sixteenths_), n);
    }

  private:
    std::int64_t sixteenths_;
};

// (n_k + V beta)^-b of one topic for neighbouring counts: n_k moves by one, so roots are taken of
// many numbers at once and seldom.
class InversePowers {
  public:
    static constexpr std::int64_t kWindow = 64;

    InversePowers(std::int64_t n_topics, std::int64_t sixteenths)
        : sixteenths_(sixteenths), first_(n_topics), windows_(n_topics * kWindow) {
        for (std::int64_t k = 0; k < n_topics; ++k) first_[k] = -2 * kWindow;
    }

    double at(std::int64_t k, std::int64_t n, double beta_sum) {
        std::int64_t place = n - first_[k];
        if (place < 0 || place >= kWindow) {
            first_[k] = n > kWindow / 2 ? n - kWindow / 2 : 0;
            fill(windows_.data() + k * kWindow, first_[k], beta_sum);
            place = n - first_[k];
        }
        return windows_[k * kWindow + place];
    }

  private:
    // As `power`, for all numbers of a window at once.
    void fill(double* window, std::int64_t first, double beta_sum) const {
        double root[kWindow];
        for (std::int64_t i = 0; i < kWindow; ++i) {
            root[i] = static_cast<double>(first + i) + beta_sum;
            window[i] = sixteenths_ >= 16 ? root[i] : 1.0;
        }
        for (std::int64_t bit = 8; bit > 0; bit /= 2) {
            for (std::int64_t i = 0; i < kWindow; ++i) root[i] = std::sqrt(root[i]);
            if ((sixteenths_ & bit) == 0) continue;
            for (std::int64_t i = 0; i < kWindow; ++i) window[i] *= root[i];
        }
        for (std::int64_t i = 0; i < kWindow; ++i) window[i] = 1.0 / window[i];
    }

    std::int64_t sixteenths_;
    Buffer<std::int64_t> first_;
    Buffer<double> windows_;
};

template <class Prior>
struct AnnealedWord {
    double* cells;
    Prior prior;
    BLOCKLDA_INLINE Vec b(std::int64_t i) const { return PowerCell::powers(cells + i); }
};

// The same interface as `Counts`, for blocks of one token.
template <class Prior>
class AnnealedCounts {
  public:
    using Word = AnnealedWord<Prior>;

    AnnealedCounts(const CorpusView& corpus, const PriorsView& priors, const BlockOptions& options,
                   const std::int32_t* topics)
        : priors_(priors),
          padded_(priors.padded),
          cells_(corpus.n_words * padded_),
          n_k_(padded_),
          n_dk_(padded_),
          rates_(padded_),
          inverse_(priors.n_topics, options.sixteenths),
          table_(priors, count_tokens(corpus, topics), options.sixteenths) {
        for (std::int64_t v = 0; v < corpus.n_words; ++v) {
            const Word of_word = word(v);
            for (std::int64_t k = 0; k < priors_.n_topics; ++k) set_count(of_word, k, 0);
        }
    }

    std::int64_t padded() const { return padded_; }

    Word word(std::int64_t v) { return {cells_.data() + v * padded_, Prior::of_word(priors_, v)}; }
    void prefetch_word(std::int64_t v) {
        const double* row = cells_.data() + v * padded_;
        for (std::int64_t k = 0; k < padded_; k += 64 / sizeof(double)) {
            __builtin_prefetch(row + k);
        }
    }
    const double* cached_rate(int) { return rates_.data(); }

    void start_document(const std::int32_t* topics, std::int64_t n_tokens, std::int64_t) {
        std::memset(n_dk_.data(), 0, static_cast<std::size_t>(padded_) * sizeof(std::int32_t));
        for (std::int64_t i = 0; i < n_tokens; ++i) ++n_dk_[topics[i]];
        for (std::int64_t k = 0; k < priors_.n_topics; ++k) refresh(k);
    }

    void change(std::int64_t k, const Word& word, std::int32_t by) {
        n_dk_[k] += by;
        n_k_[k] += by;
        set_count(word, k, by);
    }

    void refresh(std::int64_t k) { rates_[k] = rate_without(k, 0); }
    double weight_without_one(std::int64_t k, const Word& word) {
        return rate_without(k, 1) * PowerCell::power_in(changed(word, k, -1));
    }

  private:
    double rate_without(std::int64_t k, std::int32_t n) {
        const double a = static_cast<double>(n_dk_[k] - n) + priors_.alpha[k];
        return a * inverse_.at(k, n_k_[k] - n, priors_.beta_sum[k]);
    }
    double changed(const Word& word, std::int64_t k, std::int32_t by) const {
        return table_.at(PowerCell::count(word.cells[k]) + by, word.prior, k);
    }
    void set_count(const Word& word, std::int64_t k, std::int32_t by) {
        word.cells[k] = changed(word, k, by);
    }

    // Fills the cells with counts alone, and returns the tokens of the most frequent word.
    std::int64_t count_tokens(const CorpusView& corpus, const std::int32_t* topics) {
        Buffer<std::int64_t> of_word(corpus.n_words);
        const std::int64_t n_entries = corpus.doc_offsets[corpus.n_docs];
        std::int64_t largest = 0;
        std::int64_t token = 0;
        for (std::int64_t e = 0; e < n_entries; ++e) {
            const std::int64_t v = corpus.word_ids[e];
            double* row = cells_.data() + v * padded_;
            for (std::int32_t i = 0; i < corpus.counts[e]; ++i, ++token) {
                double& cell = row[topics[token]];
                cell = PowerCell::of(0.0, PowerCell::count(cell) + 1);
                ++n_k_[topics[token]];
            }
            of_word[v] += corpus.counts[e];
            largest = of_word[v] > largest ? of_word[v] : largest;
        }
        return largest;
    }

    PriorsView priors_;
    std::int64_t padded_;
    Buffer<double> cells_;
    Buffer<std::int32_t> n_k_;
    Buffer<std::int32_t> n_dk_;
    Buffer<double> rates_;
    InversePowers inverse_;
    CellTable<Prior> table_;
};

}  // namespace blocklda::BLOCKLDA_ISA
