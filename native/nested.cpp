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
// so that a level is one vector operation, and keeps `half` a whole number of vectors while it can.
// A node without a partner passes through. There are ceil(log2 K) levels above the leaves.
std::int64_t half_of(std::int64_t nodes) {
    const std::int64_t half = (nodes + 1) / 2;
    return nodes > kLanes ? round_up_to_lanes(half) : half;
}

struct Level {
    std::int64_t nodes;
    std::int64_t half;   // node i of the level above has the children i and i + half
    std::int64_t width;  // columns of a row: nodes, then 1 + 0 x + 0 x^2 + ... as padding
    double* rows;        // row n holds the coefficient of x^n of every node
};

class Nested {
  public:
    Nested(const PriorsView& priors, const BlockOptions& options, const Rng& rng)
        : rng_(rng), options_(options), prefix_(priors.padded) {
        for (std::int64_t nodes = priors.n_topics; nodes > 1; nodes = half_of(nodes)) {
            const std::int64_t half = half_of(nodes);
            const std::int64_t width = nodes > kLanes ? 2 * half : 2 * kLanes;
            levels_[depth_++] = {nodes, half, width, nullptr};
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
        reserve(size);
        if (size < options_.fft_from) {
            raw_leaves(counts, n_v, beta, size, levels_[0].rows, levels_[0].width);
            upward(size, /*monic=*/true);
            if (size <= kAlwaysInRange || in_range(size)) return downward(size, allocation);
        }
        tilted_.fill(counts, n_v, beta, size, levels_[0].rows, levels_[0].width);
        const bool drawn =
            (size < options_.fft_from ? upward(size, /*monic=*/false) : upward_by_fft(size)) &&
            downward(size, allocation);
        restore_constant_terms();
        return drawn;
    }

    std::int64_t steps = 0;

  private:
    void reserve(std::int64_t size) {
        if (size <= largest_size_) return;
        std::int64_t columns = 0;
        for (int l = 0; l < depth_; ++l) columns += levels_[l].width;
        storage_.reserve(columns * (size + 1));
        double* rows = storage_.data();
        for (int l = 0; l < depth_; ++l) {
            levels_[l].rows = rows;
            rows += levels_[l].width * (size + 1);
        }
        largest_size_ = size;
        restore_constant_terms();
    }

    void restore_constant_terms() {
        for (int l = 0; l < depth_; ++l) {
            for (std::int64_t i = 0; i < levels_[l].width; ++i) levels_[l].rows[i] = 1.0;
        }
    }

    bool upward(std::int64_t size, bool monic) {
        for (int l = 0; l + 1 < depth_; ++l) {
            const Level& from = levels_[l];
            const Level& to = levels_[l + 1];
            const auto combine = [&](std::int64_t degree, bool is_monic) {
                if (from.nodes > kLanes) {
                    convolve_columns<Vec>(from.rows, from.rows + from.half, from.width, to.rows,
                                          to.width, from.half, degree, is_monic);
                } else {
                    convolve_columns<double>(from.rows, from.rows + from.half, from.width, to.rows,
                                             to.width, from.half, degree, is_monic);
                }
            };
            if (!monic) {
                combine(size, false);
            } else if (size == 2) {
                combine(2, true);  // constants, so that the loops over degrees are unrolled
            } else if (size == 3) {
                combine(3, true);
            } else if (size == 4) {
                combine(4, true);
            } else {
                combine(size, true);
            }
        }
        return true;
    }

    bool upward_by_fft(std::int64_t size) {
        const std::int64_t n_coefs = size + 1;
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
                    left[i * n_coefs + n] = from.rows[n * from.width + i];
                    right[i * n_coefs + n] = from.rows[n * from.width + from.half + i];
                }
            }
            if (!options_.fft.convolve(options_.fft.context, left, right, out, pairs, n_coefs)) {
                return false;
            }
            for (std::int64_t n = 0; n < n_coefs; ++n) {
                for (std::int64_t i = 0; i < pairs; ++i) {
                    to.rows[n * to.width + i] = out[i * n_coefs + n];
                }
                for (std::int64_t i = pairs; i < from.half; ++i) {
                    to.rows[n * to.width + i] = from.rows[n * from.width + i];
                }
            }
        }
        return true;
    }

    // Whether the raw coefficients kept everything that matters. No node's coefficient exceeds the
    // root's of the same degree, because all constant terms are 1.
    bool in_range(std::int64_t size) const {
        const Level& top = levels_[depth_ - 1];
        double largest = 1.0;
        double wanted = 0.0;
        for (std::int64_t c = 1; c <= size; ++c) {
            wanted = coefficient<double>(top.rows, top.width, top.rows + top.half, top.width, c,
                                         /*monic=*/true);
            if (!(wanted < std::numeric_limits<double>::infinity())) return false;
            largest = wanted > largest ? wanted : largest;
        }
        return wanted >= largest * kSmallestShare;
    }

    bool downward(std::int64_t size, Allocation& allocation) {
        struct Pending {
            int level;
            std::int64_t node;
            std::int64_t count;
        };
        Pending pending[64];
        int n_pending = 0;
        pending[n_pending++] = {depth_, 0, size};
        while (n_pending > 0) {
            auto [level, node, count] = pending[--n_pending];
            while (level > 0 && count > 1) {
                const Level& below = levels_[--level];
                const std::int64_t right = node + below.half;
                if (right >= below.nodes) continue;
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

    // How many of `count` tokens go to the left child; -1 if the weights are no numbers.
    std::int64_t split(const Level& level, std::int64_t left, std::int64_t right,
                       std::int64_t count) {
        const auto weight = [&](std::int64_t n) {
            return level.rows[n * level.width + left] *
                   level.rows[(count - n) * level.width + right];
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
            const double* ones = below.rows;
            const double* firsts = below.rows + below.width;
            const double odds_left = firsts[node] / ones[node];
            const double odds_right = firsts[right] / ones[right];
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
    std::int64_t largest_size_ = 0;
    Buffer<double> storage_;
    Buffer<double> gathered_;
    Buffer<double> prefix_;
    TopicTable table_;
    TiltedLeaves tilted_;
};

}  // namespace

Outcome nested(const CorpusView& corpus, const PriorsView& priors, const BlockOptions& options,
               const Rng& rng, std::int32_t* topics, std::int64_t n_sweeps) {
    return BlockSweep<Nested>(corpus, priors, options, rng, topics).run(n_sweeps);
}

}  // namespace blocklda::BLOCKLDA_ISA
