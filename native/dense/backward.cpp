// Backward simulation (the paper's section 3.2.1): forward sums h_{1:k}(c) over the first k topics,
// then n_K, n_{K-1}, ... drawn back from q_k(n) h_{1:k-1}(c - n) / h_{1:k}(c).
#include <limits>

#include "builds/entry_points.hpp"
#include "dense/blocks.hpp"
#include "dense/leaves.hpp"
#include "shared/convolve.hpp"

namespace blocklda::BLOCKLDA_ISA {

namespace {

// Blocks of up to this many tokens are summed in registers.
constexpr int kSmallBlock = 8;

template <class Prior>
class Backward {
  public:
    using Counts = BLOCKLDA_ISA::Counts<4, Prior>;
    using Word = WordCounts<Prior>;
    using Source = LeafSource<Word>;

    Backward(const PriorsView& priors, const BlockOptions& options, const Rng& rng)
        : rng_(rng), options_(options), n_topics_(priors.n_topics), prefix_(priors.padded) {}

    // With one token the forward sums are the running sums of K weights, and simulating back is a
    // search among them. A step is a topic passed on the way from the last one.
    bool one(Counts& counts, const Word& word, std::int32_t& topic) {
        if (!fill_single(table_, prefix_.data(), counts, word, topic)) return false;
        topic = table_.draw(uniform(rng_));
        const std::int64_t passed = n_topics_ - topic;
        steps += passed < n_topics_ ? passed : n_topics_ - 1;
        return true;
    }

    bool many(Counts& counts, const Word& word, std::int64_t size, Allocation& allocation) {
        const Source source(counts, word);
        set_size(size, counts.padded());
        if (size < options_.fft_from) {
            monic_ = true;
            for (std::int64_t i = 0; i < counts.padded(); i += kLanes) {
                source.chunk(i, size, leaves_.data() + i / kLanes * chunk_stride_);
            }
            if (size <= kSmallBlock) {
                forward_small_of_size<2>();
            } else {
                forward();
            }
            if (size <= kAlwaysInRange || in_range()) return back(allocation);
        }
        monic_ = false;
        tilted_.prepare(source, size);
        for (std::int64_t i = 0; i < counts.padded(); i += kLanes) {
            tilted_.chunk(i, leaves_.data() + i / kLanes * chunk_stride_);
        }
        if (size >= options_.fft_from) {
            if (!forward_by_fft()) return false;
            if (h(n_topics_ - 1)[size] >= kSmallestByFft) return back(allocation);
        }
        forward();
        too_large = n_topics_ > 1 && !(h(n_topics_ - 1)[size] >= kSmallestShare);
        return !too_large && back(allocation);
    }

    std::int64_t steps = 0;
    bool too_large = false;

  private:
    void set_size(std::int64_t size, std::int64_t padded) {
        if (size == size_) return;
        size_ = size;
        chunk_stride_ = (size + 1) * kLanes;
        leaves_.reserve(padded / kLanes * chunk_stride_);
        sums_.reserve(n_topics_ * (size + 1));
        polynomial_.reserve(size + 1 + kLanes);
        // Zeros, then h(1..C), then room for the rest of a vector.
        const std::int64_t row = 2 * size + 4 * kLanes;
        if (rows_.reserve(2 * row)) row_capacity_ = row;
        std::memset(rows_.data(), 0, static_cast<std::size_t>(2 * row_capacity_) * sizeof(double));
    }

    double q(std::int64_t k, std::int64_t n) const {
        return n == 0 && monic_ ? 1.0
                                : leaves_[k / kLanes * chunk_stride_ + n * kLanes + k % kLanes];
    }

    // h_{1:k+1}(c) for c = 0..size.
    double* h(std::int64_t k) { return sums_.data() + k * (size_ + 1); }

    void gather(std::int64_t k, double* out) {
        for (std::int64_t n = 0; n <= size_; ++n) out[n] = q(k, n);
    }

    // h_{1:k} of small blocks stays in registers from topic to topic.
    template <int kSize>
    void forward_small_of_size() {
        if (size_ == kSize) {
            forward_small<kSize>();
        } else if constexpr (kSize < kSmallBlock) {
            forward_small_of_size<kSize + 1>();
        }
    }

    template <int kSize>
    void forward_small() {
        double product[kSize + 1] = {};
        double* sums = h(0);
        for (std::int64_t k = 0; k < n_topics_; ++k, sums += kSize + 1) {
            const double* lane = leaves_.data() + k / kLanes * chunk_stride_ + k % kLanes;
            double leaf[kSize + 1];
            load_rows<double, kSize>(lane, leaf);
            // With nothing before it the product is the leaf: all other terms are zeros.
            convolve_in_place<double, kSize>(product, leaf);
            sums[0] = 1.0;
            for (int c = 1; c <= kSize; ++c) sums[c] = product[c];
        }
    }

    // h_{1:k}(c) = sum_n q_k(n) h_{1:k-1}(c - n), in the order of `coefficient`. Vectors run along
    // c; the terms beyond c that a vector includes are zeros and change nothing.
    void forward() {
        double* before = rows_.data() + size_ + kLanes;
        double* after = before + row_capacity_;
        gather(0, h(0));
        std::memcpy(before + 1, h(0) + 1, static_cast<std::size_t>(size_) * sizeof(double));
        double* q_k = polynomial_.data();
        for (std::int64_t k = 1; k < n_topics_; ++k) {
            gather(k, q_k);
            const double constant = h(k - 1)[0];
            for (std::int64_t c = 1; c <= size_; c += kWidth) {
                Vec sum = q_k[1] * load<Vec>(before + c - 1);
                const std::int64_t last = c + kWidth - 1 < size_ ? c + kWidth - 1 : size_;
                for (std::int64_t n = 2; n < last; ++n) sum += q_k[n] * load<Vec>(before + c - n);
                const Vec outer_right = constant * load<Vec>(q_k + c);
                store(after + c, (sum + outer_right) + load<Vec>(before + c) * q_k[0]);
            }
            for (std::int64_t c = size_ + 1; c < size_ + kWidth; ++c) after[c] = 0.0;
            h(k)[0] = constant * q_k[0];
            std::memcpy(h(k) + 1, after + 1, static_cast<std::size_t>(size_) * sizeof(double));
            double* swapped = before;
            before = after;
            after = swapped;
        }
    }

    bool forward_by_fft() {
        gather(0, h(0));
        for (std::int64_t k = 1; k < n_topics_; ++k) {
            gather(k, polynomial_.data());
            if (!options_.fft.convolve(options_.fft.context, h(k - 1), polynomial_.data(), h(k), 1,
                                       size_ + 1)) {
                return false;
            }
        }
        return true;
    }

    // As in nested simulation: no partial sum exceeds the full one of the same degree.
    bool in_range() {
        const double* full = h(n_topics_ - 1);
        double largest = 1.0;
        for (std::int64_t c = 1; c <= size_; ++c) {
            if (!(full[c] < std::numeric_limits<double>::infinity())) return false;
            largest = full[c] > largest ? full[c] : largest;
        }
        return full[size_] >= largest * kSmallestShare;
    }

    // `point` is uniform on [0, h_{1:k}(left)). A topic that gets nothing leaves it uniform on the
    // interval of the topics before it, so a new uniform is needed only after tokens were placed.
    bool back(Allocation& allocation) {
        std::int64_t left = size_;
        double point = 0.0;
        bool fresh = true;
        for (std::int64_t k = n_topics_ - 1; k > 0 && left > 0; --k) {
            const double* before = h(k - 1);
            if (fresh) {
                const double total = h(k)[left];
                if (!is_positive_number(total)) return false;
                point = uniform(rng_) * total;
                fresh = false;
            }
            ++steps;
            const double nothing = monic_ ? before[left] : q(k, 0) * before[left];
            if (point < nothing) {
                if (!monic_) point = point / q(k, 0);
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
    std::int64_t size_ = 0;
    std::int64_t chunk_stride_ = 0;
    std::int64_t row_capacity_ = 0;
    bool monic_ = true;  // constant terms are 1 and not stored
    Buffer<double> leaves_;
    Buffer<double> sums_;
    Buffer<double> polynomial_;
    Buffer<double> rows_;
    Buffer<double> prefix_;
    TopicTable table_;
    TiltedLeaves<Source> tilted_;
};

}  // namespace

Outcome backward(const CorpusView& corpus, const PriorsView& priors, const BlockOptions& options,
                 const Rng& rng, std::int32_t* topics, std::int64_t n_sweeps) {
    return run_blocks<Backward>(corpus, priors, options, rng, topics, n_sweeps);
}

}  // namespace blocklda::BLOCKLDA_ISA
