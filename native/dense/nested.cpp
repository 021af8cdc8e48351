// Nested simulation (the paper's section 3.2.2): a binary tree over the topics. Upwards, the
// polynomial h of a node is the product of its children's; downwards, the tokens of a node are
// split between its children with probability h_left(n) h_right(c - n) / h(c).
#include "builds/entry_points.hpp"
#include "dense/blocks.hpp"
#include "dense/group_tree.hpp"
#include "dense/leaves.hpp"
#include "shared/convolve.hpp"

namespace blocklda::BLOCKLDA_ISA {

namespace {

template <int kSmallBlock, class Prior>
class Nested {
  public:
    using Counts = BLOCKLDA_ISA::Counts<kSmallBlock, Prior>;
    using Word = WordCounts<Prior>;
    using Source = LeafSource<Word>;

    Nested(const PriorsView& priors, const BlockOptions& options, const Rng& rng)
        : rng_(rng),
          options_(options),
          n_topics_(priors.n_topics),
          tree_(priors.n_topics),
          prefix_(priors.padded) {
        while (std::int64_t{1} << halvings_ < n_topics_) ++halvings_;
    }

    bool one(Counts& counts, const Word& word, std::int32_t& topic) {
        if (!fill_single(table_, prefix_.data(), counts, word, topic)) return false;
        topic = table_.draw(uniform(rng_));
        steps += halvings_;  // of a search among K running sums
        return true;
    }

    bool many(Counts& counts, const Word& word, std::int64_t size, Allocation& allocation) {
        if (n_topics_ == 1) {
            allocation.put(0, size);
            return true;
        }
        const Source source(counts, word);
        source_ = &source;
        allocation_ = &allocation;
        members_.reserve((kGroupSize + 2) * (size + 1));
        running_.reserve(size);
        side_stride_ = size + 1;
        const bool by_fft = size >= options_.fft_from;
        if (!by_fft && tree_.fill_raw(source, size)) return split_node(tree_.depth(), 0, size);
        const bool filled = tree_.fill_tilted(source, size, by_fft ? &options_.fft : nullptr);
        too_large = tree_.too_large();
        return filled && split_node(tree_.depth(), 0, size);
    }

    std::int64_t steps = 0;
    bool too_large = false;

  private:
    // Split the tokens of a node; level 0 are the groups, the root is one above the last level. As
    // long as all tokens go the same way, no branch depends on which.
    bool split_node(int level, std::int64_t node, std::int64_t count) {
        if (count == 1) return place_token(level, node);
        while (level > 0) {
            const Level& below = tree_.level(--level);
            const std::int64_t right = node + below.half;
            if (right >= below.nodes) continue;
            const std::int64_t n_left =
                draw_left<kLanes>(count, tree_.row(below, node), tree_.row(below, right));
            if (n_left < 0) return false;
            if (n_left != 0 && n_left != count) {
                return split_node(level, node, n_left) && split_node(level, right, count - n_left);
            }
            node = n_left == 0 ? right : node;
        }
        const std::int64_t n_members = fill_members(node, count);
        return split_members(node, 0, n_members, count, count);
    }

    // How many of `count` tokens go to the left child; -1 if the weights are no numbers. The
    // coefficients of both children lie `stride` apart.
    template <std::int64_t stride>
    BLOCKLDA_INLINE std::int64_t draw_left(std::int64_t count, const double* left,
                                           const double* right) {
        ++steps;
        double* running = running_.data();
        const bool monic = tree_.monic();
        const double* last_left = left + count * stride;
        const double* last_right = right + count * stride;
        double total = monic ? *last_right : *left * *last_right;
        running[0] = total;
        for (std::int64_t n = 1; n < count; ++n) {
            running[n] = total += left[n * stride] * right[(count - n) * stride];
        }
        total += monic ? *last_left : *last_left * *right;
        if (!is_positive_number(total)) return -1;
        const double point = uniform(rng_) * total;
        // Not a search that ends early: where it ends cannot be foreseen.
        std::int64_t n_left = 0;
        for (std::int64_t n = 0; n < count; ++n) n_left += running[n] <= point;
        return n_left;
    }

    // The leaves of a group, up to the degree that its tokens need; returns how many there are.
    std::int64_t fill_members(std::int64_t group, std::int64_t degree) {
        std::int64_t n_members = 0;
        for (std::int64_t k = group; k < n_topics_; k += tree_.group_stride(), ++n_members) {
            tree_.leaf(*source_, k, degree, members_.data() + n_members * (degree + 1));
        }
        return n_members;
    }

    // The running product of the members first..last-1 of a group, up to a degree.
    const double* member_product(std::int64_t first, std::int64_t last, std::int64_t degree,
                                 std::int64_t leaf_degree, double* product) {
        const std::int64_t row = leaf_degree + 1;
        const double* leaves = members_.data();
        if (last - first == 1) return leaves + first * row;
        if (tree_.monic() && degree <= kSmallBlock) {
            small_product_of_degree<1>(leaves + first * row, last - first, row, degree, product);
            return product;
        }
        for (std::int64_t c = 0; c <= degree; ++c) product[c] = leaves[first * row + c];
        for (std::int64_t j = first + 1; j < last; ++j) {
            const double* leaf = leaves + j * row;
            // The highest coefficient first, while the lower ones are still there.
            for (std::int64_t c = degree; c >= 1; --c) {
                product[c] = coefficient<double>(product, leaf, 1, c, tree_.monic());
            }
            product[0] = product[0] * leaf[0];
        }
        return product;
    }

    // The degree as a constant, so that all coefficients stay in registers.
    template <int kDegree>
    BLOCKLDA_INLINE void small_product_of_degree(const double* leaves, std::int64_t n_leaves,
                                                 std::int64_t row, std::int64_t degree,
                                                 double* product) {
        if (degree == kDegree) {
            double so_far[kDegree + 1];
            load_coefficients<kDegree>(leaves, so_far);
            for (std::int64_t j = 1; j < n_leaves; ++j) {
                double leaf[kDegree + 1];
                load_coefficients<kDegree>(leaves + j * row, leaf);
                convolve_in_place<double, kDegree>(so_far, leaf);
            }
            for (int n = 1; n <= kDegree; ++n) product[n] = so_far[n];
        } else if constexpr (kDegree < kSmallBlock) {
            small_product_of_degree<kDegree + 1>(leaves, n_leaves, row, degree, product);
        }
    }

    template <int kDegree>
    BLOCKLDA_INLINE static void load_coefficients(const double* from, double (&h)[kDegree + 1]) {
        for (int n = 1; n <= kDegree; ++n) h[n] = from[n];
    }

    bool split_members(std::int64_t group, std::int64_t first, std::int64_t last,
                       std::int64_t count, std::int64_t leaf_degree) {
        if (last - first == 1) {
            allocation_->put(group + first * tree_.group_stride(), count);
            return true;
        }
        if (count == 1) return place_among_members(group, first, last, leaf_degree, -1.0);
        const std::int64_t middle = first + (last - first + 1) / 2;
        const double* left = member_product(first, middle, count, leaf_degree, side(0));
        const double* right = member_product(middle, last, count, leaf_degree, side(1));
        const std::int64_t n_left = draw_left<1>(count, left, right);
        if (n_left < 0) return false;
        return (n_left == 0 || split_members(group, first, middle, n_left, leaf_degree)) &&
               (n_left == count || split_members(group, middle, last, count - n_left, leaf_degree));
    }

    double* side(int which) { return members_.data() + (kGroupSize + which) * side_stride_; }

    // One token sinks to a leaf with a single uniform: the odds h(1) / h(0) of a node are the sum
    // of its children's, so what is left of the point stays uniform below the branch taken.
    bool place_token(int level, std::int64_t node) {
        double point = -1.0;
        while (level > 0) {
            const Level& below = tree_.level(--level);
            const std::int64_t right = node + below.half;
            if (right >= below.nodes) continue;
            const int branch =
                take_branch(odds(tree_.h(below, node, 1), tree_.h(below, node, 0)),
                            odds(tree_.h(below, right, 1), tree_.h(below, right, 0)), point);
            if (branch < 0) return false;
            node = branch == 1 ? right : node;
        }
        const std::int64_t n_members = fill_members(node, 1);
        return place_among_members(node, 0, n_members, 1, point);
    }

    bool place_among_members(std::int64_t group, std::int64_t first, std::int64_t last,
                             std::int64_t leaf_degree, double point) {
        while (last - first > 1) {
            const std::int64_t middle = first + (last - first + 1) / 2;
            const double* left = member_product(first, middle, 1, leaf_degree, side(0));
            const double* right = member_product(middle, last, 1, leaf_degree, side(1));
            const int branch = take_branch(odds(left[1], left[0]), odds(right[1], right[0]), point);
            if (branch < 0) return false;
            (branch == 1 ? first : last) = middle;
        }
        allocation_->put(group + first * tree_.group_stride(), 1);
        return true;
    }

    BLOCKLDA_INLINE double odds(double first, double constant) const {
        return tree_.monic() ? first : first / constant;
    }

    // 0 for left, 1 for right, -1 if the weights are no numbers. A negative point is drawn first.
    BLOCKLDA_INLINE int take_branch(double odds_left, double odds_right, double& point) {
        if (point < 0.0) {
            if (!is_positive_number(odds_left + odds_right)) return -1;
            point = uniform(rng_) * (odds_left + odds_right);
        }
        ++steps;
        const bool goes_right = (point < odds_right) | !(odds_left > 0.0);
        point = goes_right ? point : point - odds_right;
        return goes_right ? 1 : 0;
    }

    Rng rng_;
    BlockOptions options_;
    std::int64_t n_topics_;
    int halvings_ = 0;  // ceil(log2 K)
    GroupTree<kSmallBlock, Source> tree_;
    const Source* source_ = nullptr;
    Allocation* allocation_ = nullptr;
    Buffer<double> members_;  // the leaves of a group, then the products of its two sides
    std::int64_t side_stride_ = 0;
    Buffer<double> running_;
    Buffer<double> prefix_;
    TopicTable table_;
};

// Measured on KOS and NIPS: from here on eight rates are faster than four.
constexpr std::int64_t kManyTopics = 128;
template <class Prior>
using FewTopics = Nested<4, Prior>;
template <class Prior>
using ManyTopics = Nested<8, Prior>;

}  // namespace

Outcome nested(const CorpusView& corpus, const PriorsView& priors, const BlockOptions& options,
               const Rng& rng, std::int32_t* topics, std::int64_t n_sweeps) {
    if (priors.n_topics < kManyTopics) {
        return run_blocks<FewTopics>(corpus, priors, options, rng, topics, n_sweeps);
    }
    return run_blocks<ManyTopics>(corpus, priors, options, rng, topics, n_sweeps);
}

}  // namespace blocklda::BLOCKLDA_ISA
