// Nested simulation (the paper's section 3.2.2): a binary tree over the topics. Upwards, the
// polynomial h of a node is the product of its children's; downwards, the tokens of a node are
// split between its children with probability h_left(n) h_right(c - n) / h(c).
#include <limits>

#include "blocks.hpp"
#include "convolve.hpp"
#include "entry_points.hpp"
#include "leaves.hpp"

namespace blocklda::BLOCKLDA_ISA {

namespace {

// Any fixed binary tree has the paper's law. This one pairs node i of a level with node i + half,
// where half is a whole number of chunks or, within the last chunk, 4, 2 or 1, so that a level is
// one vector operation. A node without a partner passes through. There are ceil(log2 K) levels
// above the leaves.
std::int64_t half_of(std::int64_t nodes) {
    if (nodes > kLanes) return round_up_to_lanes((nodes + 1) / 2);
    return nodes > 4 ? 4 : nodes > 2 ? 2 : 1;
}

struct Level {
    std::int64_t nodes;
    std::int64_t half;  // node i of the level above has the children i and i + half
    double* chunks;     // the polynomials, in chunks of kLanes nodes
};

// Blocks up to this size are computed in registers, without storing their leaves.
constexpr int kSmallBlock = 4;

class Nested {
  public:
    using Counts = BLOCKLDA_ISA::Counts<kSmallBlock>;

    Nested(const PriorsView& priors, const BlockOptions& options, const Rng& rng)
        : rng_(rng), options_(options), prefix_(priors.padded) {
        for (std::int64_t nodes = priors.n_topics; nodes > 1; nodes = half_of(nodes)) {
            levels_[depth_++] = {nodes, half_of(nodes), nullptr};
        }
    }

    bool one(Counts& counts, const std::int32_t* n_v, const double* beta, std::int32_t& topic) {
        if (!fill_single(table_, prefix_.data(), counts, n_v, beta)) return false;
        topic = table_.draw(uniform(rng_));
        steps += depth_;  // the halvings of a search among K running sums
        return true;
    }

    bool many(Counts& counts, const std::int32_t* n_v, const double* beta, std::int64_t size,
              Allocation& allocation) {
        if (depth_ == 0) {
            allocation.put(0, size);
            return true;
        }
        const LeafSource<Counts> source{counts, n_v, beta};
        set_size(size);
        if (size < options_.fft_from) {
            upward_raw(source);
            if (size <= kAlwaysInRange || in_range()) return downward(allocation);
        }
        monic_ = false;
        tilted_.fill(source, size, levels_[0].chunks, chunk_stride_);
        const bool drawn =
            (size < options_.fft_from ? upward(0) : upward_by_fft()) && downward(allocation);
        return drawn;
    }

    std::int64_t steps = 0;

  private:
    // Lay the levels out for blocks of `size` tokens, each level's chunks one after another.
    void set_size(std::int64_t size) {
        monic_ = true;
        if (size == size_) return;
        size_ = size;
        chunk_stride_ = (size + 1) * kLanes;
        std::int64_t n_chunks = 0;
        for (int l = 0; l < depth_; ++l) n_chunks += round_up_to_lanes(levels_[l].nodes) / kLanes;
        storage_.reserve(n_chunks * chunk_stride_);
        double* chunks = storage_.data();
        for (int l = 0; l < depth_; ++l) {
            levels_[l].chunks = chunks;
            chunks += round_up_to_lanes(levels_[l].nodes) / kLanes * chunk_stride_;
        }
    }

    double* chunk(const Level& level, std::int64_t node) const {
        return level.chunks + node / kLanes * chunk_stride_;
    }

    double h(const Level& level, std::int64_t node, std::int64_t n) const {
        return n == 0 && monic_ ? 1.0 : chunk(level, node)[n * kLanes + node % kLanes];
    }

    void upward_raw(const LeafSource<Counts>& source) {
        leaves_stored_ = size_ > kSmallBlock || levels_[0].nodes <= kLanes;
        if (leaves_stored_) {
            for (std::int64_t i = 0; i < source.counts.padded(); i += kLanes) {
                source.chunk(i, size_, chunk(levels_[0], i));
            }
            upward(0);
            return;
        }
        source_ = &source;
        if (size_ == 2) upward_small<2>(source);
        if (size_ == 3) upward_small<3>(source);
        if (size_ == 4) upward_small<4>(source);
    }

    // Leaves and the first level in one pass, then the other levels.
    template <int kSize>
    void upward_small(const LeafSource<Counts>& source) {
        const std::int64_t half = levels_[0].half;
        for (std::int64_t i = 0; i < half; i += kWidth) {
            double* out = chunk(levels_[1], i) + i % kLanes;
            Vec left[kSize + 1];
            source.registers<kSize>(i, left);
            if (i + half < source.counts.padded()) {
                Vec right[kSize + 1];
                Vec h[kSize + 1];
                source.registers<kSize>(i + half, right);
                convolve_registers<Vec, kSize>(left, right, h);
                store_rows<Vec, kSize>(out, h);
            } else {
                store_rows<Vec, kSize>(out, left);
            }
        }
        for (int l = 1; l + 1 < depth_; ++l) {
            combine(l, [](const double* left, const double* right, double* out, auto lanes) {
                convolve_small<decltype(lanes), kSize>(left, right, out);
            });
        }
    }

    bool upward(int from) {
        for (int l = from; l + 1 < depth_; ++l) {
            combine(l, [this](const double* left, const double* right, double* out, auto lanes) {
                convolve_lanes<decltype(lanes)>(left, right, out, size_, monic_);
            });
        }
        return true;
    }

    // Level l + 1 from level l; product(left, right, out, V{}) multiplies the lanes of one V.
    template <class Product>
    void combine(int l, Product product) {
        const Level& from = levels_[l];
        const Level& to = levels_[l + 1];
        if (from.half < kLanes) {
            const double* left = from.chunks;
            if (from.half == 4) product(left, left + 4, to.chunks, Vec4{});
            if (from.half == 2) product(left, left + 2, to.chunks, Vec2{});
            return;
        }
        for (std::int64_t i = 0; i < from.half; i += kLanes) {
            const double* left = chunk(from, i);
            double* out = chunk(to, i);
            if (i + from.half < from.nodes) {
                const double* right = chunk(from, i + from.half);
                for (int v = 0; v < kLanes; v += kWidth) product(left + v, right + v, out + v, Vec{});
            } else {
                std::memcpy(out, left, static_cast<std::size_t>(chunk_stride_) * sizeof(double));
            }
        }
    }

    bool upward_by_fft() {
        const std::int64_t n_coefs = size_ + 1;
        leaves_stored_ = true;
        for (int l = 0; l + 1 < depth_; ++l) {
            const Level& from = levels_[l];
            const Level& to = levels_[l + 1];
            const std::int64_t pairs = from.nodes - from.half;
            gathered_.reserve(3 * pairs * n_coefs);
            double* left = gathered_.data();
            double* right = left + pairs * n_coefs;
            double* out = right + pairs * n_coefs;
            for (std::int64_t i = 0; i < pairs; ++i) {
                for (std::int64_t n = 0; n < n_coefs; ++n) {
                    left[i * n_coefs + n] = h(from, i, n);
                    right[i * n_coefs + n] = h(from, i + from.half, n);
                }
            }
            if (!options_.fft.convolve(options_.fft.context, left, right, out, pairs, n_coefs)) {
                return false;
            }
            for (std::int64_t i = 0; i < from.half; ++i) {
                double* lane = chunk(to, i) + i % kLanes;
                for (std::int64_t n = 0; n < n_coefs; ++n) {
                    lane[n * kLanes] = i < pairs ? out[i * n_coefs + n] : h(from, i, n);
                }
            }
        }
        return true;
    }

    // Whether the raw coefficients kept everything that matters. No node's coefficient exceeds the
    // root's of the same degree, because all constant terms are 1.
    bool in_range() const {
        const double* top = levels_[depth_ - 1].chunks;
        double largest = 1.0;
        double wanted = 0.0;
        for (std::int64_t c = 1; c <= size_; ++c) {
            wanted = coefficient<double>(top, top + 1, kLanes, c, /*monic=*/true);
            if (!(wanted < std::numeric_limits<double>::infinity())) return false;
            largest = wanted > largest ? wanted : largest;
        }
        return wanted >= largest * kSmallestShare;
    }

    bool downward(Allocation& allocation) {
        struct Pending {
            int level;
            std::int64_t node;
            std::int64_t count;
        };
        Pending pending[64];
        int n_pending = 0;
        pending[n_pending++] = {depth_, 0, size_};
        while (n_pending > 0) {
            auto [level, node, count] = pending[--n_pending];
            while (level > 0 && count > 1) {
                const Level& below = levels_[--level];
                const std::int64_t right = node + below.half;
                if (right >= below.nodes) continue;
                if (level == 0) need_leaves(node, right);
                const std::int64_t n_left = split(below, node, right, count);
                if (n_left < 0) return false;
                if (n_left < count) pending[n_pending++] = {level, right, count - n_left};
                count = n_left;
            }
            if (count == 1) node = place_token(level, node);
            if (node < 0) return false;
            if (count > 0) allocation.put(node, count);
        }
        return true;
    }

    // Leaves that were only held in registers are computed again where the tokens arrive.
    void need_leaves(std::int64_t left, std::int64_t right) {
        if (leaves_stored_) return;
        source_->topic(left, size_, chunk(levels_[0], left) + left % kLanes, kLanes);
        source_->topic(right, size_, chunk(levels_[0], right) + right % kLanes, kLanes);
    }

    // How many of `count` tokens go to the left child; -1 if the weights are no numbers.
    std::int64_t split(const Level& level, std::int64_t left, std::int64_t right,
                       std::int64_t count) {
        const auto weight = [&](std::int64_t n) {
            return h(level, left, n) * h(level, right, count - n);
        };
        double total = 0.0;
        for (std::int64_t n = 0; n <= count; ++n) total += weight(n);
        if (!is_positive_number(total)) return -1;
        const double point = uniform(rng_) * total;
        ++steps;
        std::int64_t n = 0;
        double sum = weight(0);
        while (n < count && sum <= point) sum += weight(++n);
        return n;
    }

    // One token sinks to a leaf with a single uniform: the odds h(1) / h(0) of a node are the sum
    // of its children's, so what is left of the point stays uniform below the branch taken.
    std::int64_t place_token(int level, std::int64_t node) {
        double point = -1.0;
        while (level > 0) {
            const Level& below = levels_[--level];
            const std::int64_t right = node + below.half;
            if (right >= below.nodes) continue;
            if (level == 0) need_leaves(node, right);
            double odds_left = h(below, node, 1);
            double odds_right = h(below, right, 1);
            if (!monic_) {
                odds_left /= h(below, node, 0);
                odds_right /= h(below, right, 0);
            }
            if (point < 0.0) {
                if (!is_positive_number(odds_left + odds_right)) return -1;
                point = uniform(rng_) * (odds_left + odds_right);
            }
            ++steps;
            if (point < odds_right || !(odds_left > 0.0)) {
                node = right;
            } else {
                point -= odds_right;
            }
        }
        return node;
    }

    Rng rng_;
    BlockOptions options_;
    int depth_ = 0;
    Level levels_[64] = {};
    std::int64_t size_ = 0;
    std::int64_t chunk_stride_ = 0;
    bool monic_ = true;          // constant terms are 1 and not stored
    bool leaves_stored_ = true;  // else `source_` has them
    const LeafSource<Counts>* source_ = nullptr;
    Buffer<double> storage_;
    Buffer<double> gathered_;
    Buffer<double> prefix_;
    TopicTable table_;
    TiltedLeaves<Counts> tilted_;
};

}  // namespace

Outcome nested(const CorpusView& corpus, const PriorsView& priors, const BlockOptions& options,
               const Rng& rng, std::int32_t* topics, std::int64_t n_sweeps) {
    return BlockSweep<Nested>(corpus, priors, options, rng, topics).run(n_sweeps);
}

}  // namespace blocklda::BLOCKLDA_ISA
