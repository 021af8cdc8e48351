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

// Any fixed binary tree has the paper's law. The lower part of this one are groups of at most eight
// topics g, g + G, g + 2G, ...: on the way up a group is one running product in registers, and only
// where tokens arrive on the way down is it split in halves. G is a whole number of lanes.
constexpr std::int64_t kGroupSize = 8;

std::int64_t group_stride(std::int64_t n_topics) {
    return kLanes * ((n_topics + kLanes * kGroupSize - 1) / (kLanes * kGroupSize));
}

// Above the groups, node i of a level is paired with node i + half, where half is a whole number of
// chunks or, within the last chunk, 4, 2 or 1, so that a level is one vector operation. A node
// without a partner passes through. Groups and levels together are ceil(log2 K) splits deep.
std::int64_t half_of(std::int64_t nodes) {
    if (nodes > kLanes) return round_up_to_lanes((nodes + 1) / 2);
    return nodes > 4 ? 4 : nodes > 2 ? 2 : 1;
}

struct Level {
    std::int64_t nodes;
    std::int64_t half;  // node i of the level above has the children i and i + half
    double* chunks;     // the polynomials, in chunks of kLanes nodes
};

// Blocks of up to kSmallBlock tokens are multiplied in registers. Their rates are kept topic by
// topic, which pays for larger blocks only when there are many topics.
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
          group_stride_(group_stride(priors.n_topics)),
          prefix_(priors.padded) {
        const std::int64_t n_groups = n_topics_ < group_stride_ ? n_topics_ : group_stride_;
        for (std::int64_t nodes = n_groups; nodes > 1; nodes = half_of(nodes)) {
            levels_[depth_++] = {nodes, half_of(nodes), nullptr};
        }
        while (std::int64_t{1} << halvings_ < n_topics_) ++halvings_;
    }

    bool one(Counts& counts, const Word& word, std::int32_t& topic) {
        if (!fill_single(table_, prefix_.data(), counts, word)) return false;
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
        set_size(size);
        if (size < options_.fft_from) {
            monic_ = true;
            upward_raw(source);
            if (size <= kAlwaysInRange || in_range()) return downward();
        }
        monic_ = false;
        tilted_.prepare(source, size);
        return (size < options_.fft_from ? upward_tilted() : upward_by_fft()) && downward();
    }

    std::int64_t steps = 0;

  private:
    // Lay the levels out for blocks of `size` tokens, each level's chunks one after another.
    void set_size(std::int64_t size) {
        if (size == size_) return;
        size_ = size;
        chunk_stride_ = (size + 1) * kLanes;
        std::int64_t n_chunks = 0;
        for (int l = 0; l < depth_; ++l) n_chunks += chunks_of(levels_[l]);
        storage_.reserve(n_chunks * chunk_stride_);
        scratch_.reserve(2 * chunk_stride_);
        members_.reserve((kGroupSize + 3) * (size + 1));
        double* chunks = storage_.data();
        for (int l = 0; l < depth_; ++l) {
            levels_[l].chunks = chunks;
            chunks += chunks_of(levels_[l]) * chunk_stride_;
        }
    }

    static std::int64_t chunks_of(const Level& level) {
        return round_up_to_lanes(level.nodes) / kLanes;
    }

    BLOCKLDA_INLINE double h(const Level& level, std::int64_t node, std::int64_t n) const {
        return n == 0 && monic_
                   ? 1.0
                   : level.chunks[node / kLanes * chunk_stride_ + n * kLanes + node % kLanes];
    }

    // ---- upwards ----

    void upward_raw(const Source& source) {
        if (size_ <= kSmallBlock) return upward_small_of_size<2>(source);
        multiply_groups([&](std::int64_t i, double* rows) { source.chunk(i, size_, rows); });
        combine_levels();
    }

    bool upward_tilted() {
        multiply_groups([this](std::int64_t i, double* rows) { tilted_.chunk(i, rows); });
        combine_levels();
        return true;
    }

    // The size as a constant, so that the loops over degrees are unrolled.
    template <int kSize>
    void upward_small_of_size(const Source& source) {
        if (size_ == kSize) {
            upward_small<kSize>(source);
        } else if constexpr (kSize < kSmallBlock) {
            upward_small_of_size<kSize + 1>(source);
        }
    }

    // All groups take their next topic before any takes the one after: the counts are then read in
    // the order in which they lie in memory.
    template <int kSize>
    void upward_small(Source source) {
        constexpr std::int64_t stride = (kSize + 1) * kLanes;
        double* groups = levels_[0].chunks;
        const std::int64_t step = group_stride_;
        for (std::int64_t start = 0; start < source.padded; start += step) {
            const std::int64_t left_over = source.padded - start;
            const std::int64_t n = left_over < step ? left_over : step;
            double* out = groups;
            for (std::int64_t i = 0; i < n; i += kLanes, out += stride) {
                for (int v = 0; v < kLanes; v += kWidth) {
                    Vec leaf[kSize + 1];
                    source.template registers<kSize>(start + i + v, leaf);
                    if (start > 0) {
                        Vec product[kSize + 1];
                        load_rows<Vec, kSize>(out + v, product);
                        convolve_in_place<Vec, kSize>(product, leaf);
                        store_rows<Vec, kSize>(out + v, product);
                    } else {
                        store_rows<Vec, kSize>(out + v, leaf);
                    }
                }
            }
        }
        for (int l = 0; l + 1 < depth_; ++l) {
            combine(l, (kSize + 1) * kLanes,
                    [](const double* left, const double* right, double* product, auto lanes) {
                        convolve_small<decltype(lanes), kSize>(left, right, product);
                    });
        }
    }

    // The running products of all groups, a chunk of them at a time; leaves(i, rows) gives the
    // polynomials of the topics from i on.
    template <class Leaves>
    void multiply_groups(Leaves leaves) {
        const std::int64_t padded = round_up_to_lanes(n_topics_);
        double* leaf = scratch_.data();
        double* product = leaf + chunk_stride_;
        double* out = levels_[0].chunks;
        const std::int64_t first_row = group_stride_ < padded ? group_stride_ : padded;
        for (std::int64_t i = 0; i < first_row; i += kLanes, out += chunk_stride_) {
            leaves(i, out);
            for (std::int64_t k = i + group_stride_; k < padded; k += group_stride_) {
                leaves(k, leaf);
                for (int v = 0; v < kLanes; v += kWidth) {
                    convolve_lanes<Vec>(out + v, leaf + v, product + v, size_, monic_);
                }
                std::memcpy(out, product, static_cast<std::size_t>(chunk_stride_) * sizeof(double));
            }
        }
    }

    void combine_levels() {
        for (int l = 0; l + 1 < depth_; ++l) {
            combine(l, chunk_stride_,
                    [size = size_, monic = monic_](const double* left, const double* right,
                                                   double* product, auto lanes) {
                        convolve_lanes<decltype(lanes)>(left, right, product, size, monic);
                    });
        }
    }

    // Level l + 1 from level l; multiply(left, right, product, V{}) does the lanes of one V.
    template <class Multiply>
    void combine(int l, std::int64_t stride, Multiply multiply) {
        const std::int64_t half = levels_[l].half;
        const double* left = levels_[l].chunks;
        double* out = levels_[l + 1].chunks;
        if (half == 4) return multiply(left, left + 4, out, Vec4{});
        if (half == 2) return multiply(left, left + 2, out, Vec2{});
        const std::int64_t n_out = half / kLanes;
        const std::int64_t n_paired = chunks_of(levels_[l]) - n_out;
        const double* right = left + n_out * stride;
        for (std::int64_t i = 0; i < n_paired; ++i) {
            for (int v = 0; v < kLanes; v += kWidth) {
                multiply(left + i * stride + v, right + i * stride + v, out + i * stride + v,
                         Vec{});
            }
        }
        std::memcpy(out + n_paired * stride, left + n_paired * stride,
                    static_cast<std::size_t>((n_out - n_paired) * stride) * sizeof(double));
    }

    bool upward_by_fft() {
        const Level& groups = levels_[0];
        const std::int64_t n_coefs = size_ + 1;
        gathered_.reserve(3 * groups.nodes * n_coefs);
        double* left = gathered_.data();
        double* right = left + groups.nodes * n_coefs;
        for (std::int64_t i = 0; i < groups.nodes; ++i) tilted_.topic(i, left + i * n_coefs, 1);
        scatter(groups, 0, groups.nodes, left);
        for (std::int64_t first = group_stride_; first < n_topics_; first += group_stride_) {
            const std::int64_t left_over = n_topics_ - first;
            const std::int64_t pairs = left_over < groups.nodes ? left_over : groups.nodes;
            gather(groups, 0, pairs, left);
            for (std::int64_t i = 0; i < pairs; ++i) {
                tilted_.topic(first + i, right + i * n_coefs, 1);
            }
            if (!fft_product(pairs, groups, groups.nodes)) return false;
        }
        for (int l = 0; l + 1 < depth_; ++l) {
            const Level& from = levels_[l];
            const Level& to = levels_[l + 1];
            const std::int64_t pairs = from.nodes - from.half;
            gather(from, 0, pairs, left);
            gather(from, from.half, pairs, right);
            if (!fft_product(pairs, to, groups.nodes)) return false;
            gather(from, pairs, from.half - pairs, left);
            scatter(to, pairs, from.half - pairs, left);
        }
        return true;
    }

    // The products of the first `pairs` gathered polynomials become the first nodes of a level.
    bool fft_product(std::int64_t pairs, const Level& to, std::int64_t capacity) {
        const std::int64_t n_coefs = size_ + 1;
        double* left = gathered_.data();
        double* right = left + capacity * n_coefs;
        double* out = right + capacity * n_coefs;
        if (!options_.fft.convolve(options_.fft.context, left, right, out, pairs, n_coefs)) {
            return false;
        }
        scatter(to, 0, pairs, out);
        return true;
    }

    void gather(const Level& from, std::int64_t first, std::int64_t count, double* out) const {
        for (std::int64_t i = 0; i < count; ++i) {
            for (std::int64_t n = 0; n <= size_; ++n) *out++ = h(from, first + i, n);
        }
    }

    void scatter(const Level& to, std::int64_t first, std::int64_t count, const double* in) {
        for (std::int64_t i = first; i < first + count; ++i) {
            double* lane = to.chunks + i / kLanes * chunk_stride_ + i % kLanes;
            for (std::int64_t n = 0; n <= size_; ++n) lane[n * kLanes] = *in++;
        }
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

    // ---- downwards ----

    bool downward() { return split_node(depth_, 0, size_); }

    // Split the tokens of a node; level 0 are the groups, the root is one above the last level. As
    // long as all tokens go the same way, no branch depends on which.
    bool split_node(int level, std::int64_t node, std::int64_t count) {
        if (count == 1) return place_token(level, node);
        while (level > 0) {
            const Level& below = levels_[--level];
            const std::int64_t right = node + below.half;
            if (right >= below.nodes) continue;
            const std::int64_t n_left = draw_left(count, [&](std::int64_t n) {
                return h(below, node, n) * h(below, right, count - n);
            });
            if (n_left < 0) return false;
            if (n_left != 0 && n_left != count) {
                return split_node(level, node, n_left) && split_node(level, right, count - n_left);
            }
            node = n_left == 0 ? right : node;
        }
        const std::int64_t n_members = fill_members(node, count);
        return split_members(node, 0, n_members, count, count);
    }

    // How many of `count` tokens go to the left child; -1 if the weights are no numbers.
    template <class Weight>
    BLOCKLDA_INLINE std::int64_t draw_left(std::int64_t count, Weight weight) {
        double running[kSmallBlock + 1];
        ++steps;
        if (count <= kSmallBlock) {
            double total = weight(0);
            running[0] = total;
            for (std::int64_t n = 1; n <= count; ++n) running[n] = total += weight(n);
            if (!is_positive_number(total)) return -1;
            const double point = uniform(rng_) * total;
            std::int64_t n_left = 0;
            for (std::int64_t n = 0; n < count; ++n) n_left += running[n] <= point;
            return n_left;
        }
        double total = 0.0;
        for (std::int64_t n = 0; n <= count; ++n) total += weight(n);
        if (!is_positive_number(total)) return -1;
        const double point = uniform(rng_) * total;
        std::int64_t n = 0;
        double sum = weight(0);
        while (n < count && sum <= point) sum += weight(++n);
        return n;
    }

    // The leaves of a group, up to the degree that its tokens need; returns how many there are.
    std::int64_t fill_members(std::int64_t group, std::int64_t degree) {
        std::int64_t n_members = 0;
        for (std::int64_t k = group; k < n_topics_; k += group_stride_, ++n_members) {
            double* leaf = members_.data() + n_members * (degree + 1);
            if (monic_) {
                leaf[0] = 1.0;
                source_->topic(k, degree, leaf, 1);
            } else {
                double* whole = members_.data() + (kGroupSize + 2) * (size_ + 1);
                tilted_.topic(k, whole, 1);
                for (std::int64_t n = 0; n <= degree; ++n) leaf[n] = whole[n];
            }
        }
        return n_members;
    }

    // The running product of the members first..last-1 of a group, up to a degree.
    const double* member_product(std::int64_t first, std::int64_t last, std::int64_t degree,
                                 std::int64_t leaf_degree, double* product) {
        const std::int64_t row = leaf_degree + 1;
        const double* leaves = members_.data();
        if (last - first == 1) return leaves + first * row;
        for (std::int64_t c = 0; c <= degree; ++c) product[c] = leaves[first * row + c];
        for (std::int64_t j = first + 1; j < last; ++j) {
            const double* leaf = leaves + j * row;
            // The highest coefficient first, while the lower ones are still there.
            for (std::int64_t c = degree; c >= 1; --c) {
                product[c] = coefficient<double>(product, leaf, 1, c, monic_);
            }
            product[0] = product[0] * leaf[0];
        }
        return product;
    }

    bool split_members(std::int64_t group, std::int64_t first, std::int64_t last,
                       std::int64_t count, std::int64_t leaf_degree) {
        if (last - first == 1) {
            allocation_->put(group + first * group_stride_, count);
            return true;
        }
        if (count == 1) return place_among_members(group, first, last, leaf_degree, -1.0);
        const std::int64_t middle = first + (last - first + 1) / 2;
        const double* left = member_product(first, middle, count, leaf_degree, side(0));
        const double* right = member_product(middle, last, count, leaf_degree, side(1));
        const std::int64_t n_left =
            draw_left(count, [=](std::int64_t n) { return left[n] * right[count - n]; });
        if (n_left < 0) return false;
        return (n_left == 0 || split_members(group, first, middle, n_left, leaf_degree)) &&
               (n_left == count || split_members(group, middle, last, count - n_left, leaf_degree));
    }

    double* side(int which) { return members_.data() + (kGroupSize + which) * (size_ + 1); }

    // One token sinks to a leaf with a single uniform: the odds h(1) / h(0) of a node are the sum
    // of its children's, so what is left of the point stays uniform below the branch taken.
    bool place_token(int level, std::int64_t node) {
        double point = -1.0;
        while (level > 0) {
            const Level& below = levels_[--level];
            const std::int64_t right = node + below.half;
            if (right >= below.nodes) continue;
            const int branch = take_branch(odds(h(below, node, 1), h(below, node, 0)),
                                           odds(h(below, right, 1), h(below, right, 0)), point);
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
        allocation_->put(group + first * group_stride_, 1);
        return true;
    }

    BLOCKLDA_INLINE double odds(double first, double constant) const {
        return monic_ ? first : first / constant;
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
    std::int64_t group_stride_;
    int halvings_ = 0;  // ceil(log2 K)
    int depth_ = 0;
    Level levels_[64] = {};
    std::int64_t size_ = 0;
    std::int64_t chunk_stride_ = 0;
    bool monic_ = true;  // constant terms are 1 and not stored
    const Source* source_ = nullptr;
    Allocation* allocation_ = nullptr;
    Buffer<double> storage_;
    Buffer<double> scratch_;
    Buffer<double> members_;  // the leaves of a group, then two sides and a whole leaf
    Buffer<double> gathered_;
    Buffer<double> prefix_;
    TopicTable table_;
    TiltedLeaves<Source> tilted_;
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
