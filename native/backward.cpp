// Backward simulation (the paper's section 3.2.1): forward sums h_{1:k}(c) over the first k topics,
// then n_K, n_{K-1}, ... drawn back from q_k(n) h_{1:k-1}(c - n) / h_{1:k}(c).
#include <limits>

#include "blocks.hpp"
#include "convolve.hpp"
#include "entry_points.hpp"
#include "leaves.hpp"

namespace blocklda::BLOCKLDA_ISA {

namespace {

class Backward {
  public:
    Backward(const PriorsView& priors, const BlockOptions& options, const Rng& rng)
        : rng_(rng), options_(options), n_topics_(priors.n_topics), stride_(priors.padded) {}

    bool one(Counts& counts, const std::int32_t* n_v, const double* beta, std::int32_t& topic) {
        one_.reserve(1);
        one_.clear();
        if (!many(counts, n_v, beta, 1, one_)) return false;
        topic = one_.topic(0);
        return true;
    }

    bool many(Counts& counts, const std::int32_t* n_v, const double* beta, std::int64_t size,
              Allocation& allocation) {
        reserve(size);
        if (size < options_.fft_from) {
            raw_leaves(counts, n_v, beta, size, leaves_.data(), stride_);
            forward(size, /*monic=*/true);
            if (size <= kAlwaysInRange || in_range(size)) return back(size, allocation);
        }
        tilted_.fill(counts, n_v, beta, size, leaves_.data(), stride_);
        const bool drawn =
            (size < options_.fft_from ? forward(size, /*monic=*/false) : forward_by_fft(size)) &&
            back(size, allocation);
        restore_constant_terms();
        return drawn;
    }

    std::int64_t steps = 0;

  private:
    void reserve(std::int64_t size) {
        if (size <= largest_size_) return;
        leaves_.reserve(stride_ * (size + 1));
        sums_.reserve(n_topics_ * (size + 1));
        gathered_.reserve(size + 1);
        largest_size_ = size;
        restore_constant_terms();
    }

    void restore_constant_terms() {
        for (std::int64_t i = 0; i < stride_; ++i) leaves_[i] = 1.0;
    }

    double q(std::int64_t k, std::int64_t n) const { return leaves_[n * stride_ + k]; }

    // h_{1:k+1}(c) for c = 0..size.
    double* h(std::int64_t k, std::int64_t size) { return sums_.data() + k * (size + 1); }

    bool forward(std::int64_t size, bool monic) {
        for (std::int64_t c = 0; c <= size; ++c) h(0, size)[c] = q(0, c);
        for (std::int64_t k = 1; k < n_topics_; ++k) {
            const double* before = h(k - 1, size);
            double* sums = h(k, size);
            sums[0] = before[0] * q(k, 0);
            for (std::int64_t c = 1; c <= size; ++c) {
                sums[c] = coefficient<double>(before, 1, leaves_.data() + k, stride_, c, monic);
            }
        }
        return true;
    }

    bool forward_by_fft(std::int64_t size) {
        for (std::int64_t c = 0; c <= size; ++c) h(0, size)[c] = q(0, c);
        for (std::int64_t k = 1; k < n_topics_; ++k) {
            for (std::int64_t n = 0; n <= size; ++n) gathered_[n] = q(k, n);
            if (!options_.fft.convolve(options_.fft.context, h(k - 1, size), gathered_.data(),
                                       h(k, size), 1, size + 1)) {
                return false;
            }
        }
        return true;
    }

    // As in nested simulation: no partial sum exceeds the full one of the same degree.
    bool in_range(std::int64_t size) {
        const double* full = h(n_topics_ - 1, size);
        double largest = 1.0;
        for (std::int64_t c = 1; c <= size; ++c) {
            if (!(full[c] < std::numeric_limits<double>::infinity())) return false;
            largest = full[c] > largest ? full[c] : largest;
        }
        return full[size] >= largest * kSmallestShare;
    }

    // `point` is uniform on [0, h_{1:k}(left)). A topic that gets nothing leaves it uniform on the
    // interval of the topics before it, so a new uniform is needed only after tokens were placed.
    bool back(std::int64_t size, Allocation& allocation) {
        std::int64_t left = size;
        std::int64_t k = n_topics_ - 1;
        double point = 0.0;
        bool fresh = true;
        for (; k > 0 && left > 0; --k) {
            const double* before = h(k - 1, size);
            if (fresh) {
                const double total = h(k, size)[left];
                if (!is_positive_number(total)) return false;
                point = uniform(rng_) * total;
                fresh = false;
            }
            ++steps;
            const double nothing = q(k, 0) * before[left];
            if (point < nothing) {
                point = point / q(k, 0);
                continue;
            }
            point -= nothing;
            std::int64_t chosen = 0;
            for (std::int64_t n = 1; n <= left; ++n) {
                const double weight = q(k, n) * before[left - n];
                if (weight > 0.0) chosen = n;  // what rounding leaves over goes to the last one
                if (point < weight) break;
                point -= weight;
            }
            if (chosen > 0) allocation.put(k, chosen);
            left -= chosen;
            fresh = true;
        }
        if (left > 0) allocation.put(0, left);
        return true;
    }

    Rng rng_;
    BlockOptions options_;
    std::int64_t n_topics_;
    std::int64_t stride_;
    std::int64_t largest_size_ = 0;
    Buffer<double> leaves_;
    Buffer<double> sums_;
    Buffer<double> gathered_;
    Allocation one_;
    TiltedLeaves tilted_;
};

}  // namespace

Outcome backward(const CorpusView& corpus, const PriorsView& priors, const BlockOptions& options,
                 const Rng& rng, std::int32_t* topics, std::int64_t n_sweeps) {
    return BlockSweep<Backward>(corpus, priors, options, rng, topics).run(n_sweeps);
}

}  // namespace blocklda::BLOCKLDA_ISA
