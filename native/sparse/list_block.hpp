// A block of tokens drawn at once over the topics of a list, with the background as one more leaf.
//
// With m_k the list's count of topic k (the block taken out) and a_k = m_k + r_k, the leaf of k is
//     q_k(n) = q_k(n - 1) (a_k + n - 1) (b_k + n - 1) / (n (c_k + n - 1)),     q_k(0) = 1,
// the same as for the dense samplers; in a group of words with the factor mu_k for every token. The
// list lies in rows of kLanes topics; each lane multiplies its leaves row by row, then the lanes
// are multiplied in pairs: lane l and lane l + 4, of those i and i + 2, and the last two. Tokens
// are drawn back along the same tree.
#pragma once

#include <cstdint>
#include <utility>

#include "shared/buffer.hpp"
#include "shared/convolve.hpp"
#include "shared/draw.hpp"
#include "sparse/background.hpp"
#include "sparse/major_row.hpp"
#include "sparse/topic_lists.hpp"

namespace blocklda::BLOCKLDA_ISA {

// Where the tokens of a block went: places in the list, and at most one topic of the background,
// which may be a new one.
struct Placement {
    static constexpr std::int32_t kNone = -1;

    int n = 0;
    std::int32_t at[kLargestPart];
    std::int32_t count[kLargestPart];
    std::int32_t background_topic = kNone;
    std::int32_t background_count = 0;

    void put(std::int64_t place, int tokens) {
        at[n] = static_cast<std::int32_t>(place);
        count[n++] = tokens;
    }
};

template <bool kGrouped, class NewTopics = NoNewTopics>
class ListBlock {
  public:
    ListBlock(const MajorRow<kGrouped>& row, Background<kGrouped, NewTopics>& background,
              bool equal_other, bool all_listed, int largest, const Rng& rng)
        : row_(row),
          background_(background),
          equal_other_(equal_other),
          all_listed_(all_listed),
          rng_(rng),
          b_(row.padded()),
          c_(row.padded()),
          leaves_(row.padded() * largest),
          products_(row.padded() * largest) {}

    // Draw from the conditional restricted to at most one background topic; `u` is uniform. False
    // if the weights are no numbers.
    bool draw(const TopicList& list, int size, double u, Placement& placement) {
        return draw_of_size(list, size, u, placement,
                            std::make_integer_sequence<int, kLargestPart - 1>());
    }

    std::int64_t steps = 0;

  private:
    // The loops over a block's tokens are unrolled, one version for every size from 2 on.
    template <int... kSizes>
    bool draw_of_size(const TopicList& list, int size, double u, Placement& placement,
                      std::integer_sequence<int, kSizes...>) {
        using Draw = bool (ListBlock::*)(const TopicList&, double, Placement&);
        static constexpr Draw kDraws[] = {&ListBlock::draw_sized<kSizes + 2>...};
        return (this->*kDraws[size - 2])(list, u, placement);
    }

    static constexpr int kNodes = 7;  // four pairs of lanes, two pairs of those, and the root

    template <int kSize>
    bool draw_sized(const TopicList& list, double u, Placement& placement) {
        multiply_rows<kSize>(list);
        multiply_lanes<kSize>();
        // All tokens in one lane; tokens on both sides of a node; some in the background.
        const double in_one_lane = lane_ends_[kLanes - 1];
        const double mixed = ((mixed_[0] + mixed_[1]) + (mixed_[2] + mixed_[3])) +
                             ((mixed_[4] + mixed_[5]) + mixed_[6]);
        double total = (in_one_lane + mixed) + outside<kSize>();
        if (!is_positive_number(total)) return false;
        for (;; u = uniform(rng_)) {
            placement.n = 0;
            placement.background_topic = Placement::kNone;
            ++steps;
            double point = u * total;
            if (point < in_one_lane) {
                int lane = 0;
                for (int l = 0; l < kLanes - 1; ++l) lane += lane_ends_[l] <= point;
                place_in_lane(lane, kSize, lane == 0 ? point : point - lane_ends_[lane - 1],
                              placement);
                return true;
            }
            point -= in_one_lane;
            if (point < mixed) {
                place_mixed(point, kSize, placement);
                return true;
            }
            point -= mixed;
            int count = kSize;  // of the tokens that go into the background
            double weight = background_.bound(kSize);
            for (int j = 1; j < kSize && point >= weight; ++j) {
                point -= weight;
                count = j;
                weight = background_.bound(j) * root_[kSize - j];
            }
            const double below_bound = uniform(rng_) * background_.bound(count);
            const std::int32_t topic = background_.topic_at(list, count, below_bound);
            if (topic != background_.kRepeat) {
                placement.background_topic = topic;
                placement.background_count = count;
                place_anew(kRoot, 0, kSize - count, placement);
                return true;
            }
            total = (in_one_lane + mixed) + outside<kSize>();
            if (!is_positive_number(total)) return false;
        }
    }

    // All ways to have some tokens in the background.
    template <int kSize>
    double outside() const {
        double weight = background_.bound(kSize);
        for (int j = 1; j < kSize; ++j) weight += background_.bound(j) * root_[kSize - j];
        return weight;
    }

    // --- products

    template <int kSize>
    void multiply_rows(const TopicList& list) {
        degree_ = kSize;
        rows_ = list.padded() / kLanes;
        for (std::int64_t i = 0; i < list.length; ++i) {
            b_[i] = row_.b(list.topics[i]);
            c_[i] = row_.c(list.topics[i]);
        }
        for (std::int64_t i = list.length; i < list.padded(); ++i) {
            b_[i] = 0.0;
            c_[i] = row_.kPaddingTotal;
        }
        for (int v = 0; v < kVecs; ++v) {
            Vec product[kSize + 1];
            for (std::int64_t row = 0; row < rows_; ++row) {
                Vec leaf[kSize + 1];
                fill_leaves<kSize>(list, row * kLanes + v * kWidth, leaf);
                double* leaves = leaves_.data() + row * kSize * kLanes + v * kWidth;
                double* products = products_.data() + row * kSize * kLanes + v * kWidth;
                if (row == 0) {
                    for (int j = 1; j <= kSize; ++j) product[j] = leaf[j];
                } else {
                    convolve_in_place<Vec, kSize>(product, leaf);
                }
                for (int j = 1; j <= kSize; ++j) {
                    store(leaves + (j - 1) * kLanes, leaf[j]);
                    store(products + (j - 1) * kLanes, product[j]);
                }
            }
        }
    }

    // The leaves of kWidth topics. A topic whose count is zero now that the block is out belongs to
    // the background, unless the list holds all topics.
    template <int kSize>
    BLOCKLDA_INLINE void fill_leaves(const TopicList& list, std::int64_t at,
                                     Vec (&leaf)[kSize + 1]) {
        const Vec m = load_counts(list.counts + at);
        const Vec r = background_.of_list(equal_other_ ? Vec{} + row_.other()[0]
                                                       : gather_other(list.topics + at));
        const Vec a = all_listed_ ? m + r : (m > 0.0 ? m + r : Vec{});
        const Vec b = load<Vec>(b_.data() + at);
        const Vec c = load<Vec>(c_.data() + at);
        Vec mass;
        if constexpr (kGrouped) mass = gather(row_.masses(), list.topics + at);
        const auto grouped = [&](Vec rate) {
            if constexpr (kGrouped) return rate * mass;
            return rate;
        };
        leaf[1] = a * grouped(b / c);
#pragma GCC unroll 8
        for (int j = 2; j <= kSize; ++j) {
            const double n = j - 1;
            leaf[j] = leaf[j - 1] * ((a + n) * grouped((b + n) / (j * (c + n))));
        }
    }

    Vec gather_other(const std::int32_t* topics) const { return gather(row_.other(), topics); }

    template <int kSize>
    void multiply_lanes() {
        const double* last = products_.data() + (rows_ - 1) * kSize * kLanes;
        const double* top = last + (kSize - 1) * kLanes;
        double end = 0.0;
        for (int l = 0; l < kLanes; l += 2) {
            lane_ends_[l] = end + top[l];
            end += top[l] + top[l + 1];
            lane_ends_[l + 1] = end;
        }
        Vec4 low[kSize + 1];
        Vec4 high[kSize + 1];
        for (int j = 1; j <= kSize; ++j) {
            low[j] = load<Vec4>(last + (j - 1) * kLanes);
            high[j] = load<Vec4>(last + (j - 1) * kLanes + 4);
        }
        Vec4 four[kSize + 1];
        convolve_registers<Vec4, kSize - 1>(as<kSize>(low), as<kSize>(high), as<kSize>(four));
        store(mixed_, inner<Vec4, kSize>(low, high));
        Vec2 low_pair[kSize + 1];
        Vec2 high_pair[kSize + 1];
        for (int j = 1; j < kSize; ++j) {
            store(four_ + j * 4, four[j]);
            low_pair[j] = load<Vec2>(four_ + j * 4);
            high_pair[j] = load<Vec2>(four_ + j * 4 + 2);
        }
        Vec2 two[kSize + 1];
        convolve_registers<Vec2, kSize - 1>(as<kSize>(low_pair), as<kSize>(high_pair),
                                            as<kSize>(two));
        store(mixed_ + 4, inner<Vec2, kSize>(low_pair, high_pair));
        double left[kSize + 1];
        double right[kSize + 1];
        for (int j = 1; j < kSize; ++j) {
            store(two_ + j * 2, two[j]);
            left[j] = two_[j * 2];
            right[j] = two_[j * 2 + 1];
        }
        double one[kSize + 1];
        convolve_registers<double, kSize - 1>(as<kSize>(left), as<kSize>(right), as<kSize>(one));
        mixed_[6] = inner<double, kSize>(left, right);
        for (int j = 1; j < kSize; ++j) root_[j] = one[j];
    }

    // The first coefficients of a polynomial, as one of a degree less.
    template <int kSize, class V>
    static V (&as(V (&h)[kSize + 1])) [kSize] { return reinterpret_cast<V(&)[kSize]>(h); }

    // The terms of a product's highest coefficient that have tokens on both sides.
    template <class V, int kSize>
    static V inner(const V (&left)[kSize + 1], const V (&right)[kSize + 1]) {
        V sum = right[1] * left[kSize - 1];
        for (int n = 2; n < kSize; ++n) sum += right[n] * left[kSize - n];
        return sum;
    }

    // --- draws

    // Levels of the tree: lanes, pairs of lanes, pairs of those, all.
    static constexpr int kLane = 0;
    static constexpr int kRoot = 3;

    // h(n) of a node, n >= 1. Node i of a level has the children i and i + nodes of the level.
    double h(int level, int node, int n) const {
        if (level == kLane) {
            return products_[((rows_ - 1) * degree_ + n - 1) * kLanes + node];
        }
        return level == 1 ? four_[n * 4 + node] : level == 2 ? two_[n * 2 + node] : root_[n];
    }
    static int half(int level) { return level == 1 ? 4 : level == 2 ? 2 : 1; }

    // All tokens in a node, some on either side: 0..3 pairs of lanes, 4..5 above them, 6 the root.
    void place_mixed(double point, int size, Placement& placement) {
        int which = 0;
        for (; which < kNodes - 1 && point >= mixed_[which]; ++which) point -= mixed_[which];
        const int level = which < 4 ? 1 : which < 6 ? 2 : 3;
        split(level, which < 4 ? which : which < 6 ? which - 4 : 0, size, point, placement);
    }

    // Tokens on both sides of a node: n go left with the weight h_left(n) h_right(count - n).
    void split(int level, int node, int count, double point, Placement& placement) {
        const int right = node + half(level);
        int n = 1;
        for (; n < count - 1; ++n) {
            const double weight = h(level - 1, node, n) * h(level - 1, right, count - n);
            if (point < weight) break;
            point -= weight;
        }
        place_anew(level - 1, node, n, placement);
        place_anew(level - 1, right, count - n, placement);
    }

    void place_anew(int level, int node, int count, Placement& placement) {
        if (count == 0) return;
        ++steps;
        place(level, node, count, uniform(rng_) * h(level, node, count), placement);
    }

    // Some tokens in a node, `point` being uniform below its h(count). As long as all go the same
    // way the point stays uniform there.
    void place(int level, int node, int count, double point, Placement& placement) {
        for (; level > kLane; --level) {
            const int right = node + half(level);
            const double all_left = h(level - 1, node, count);
            if (point < all_left) continue;
            point -= all_left;
            const double all_right = h(level - 1, right, count);
            if (count == 1 || point < all_right) {
                node = right;
                continue;
            }
            return split(level, node, count, point - all_right, placement);
        }
        place_in_lane(node, count, point, placement);
    }

    // Back along a lane from its last row, `point` being uniform below the lane's h(count). A leaf
    // that gets nothing leaves the point uniform below the product of the rows before it.
    void place_in_lane(int lane, int count, double point, Placement& placement) {
        const int stride = degree_ * kLanes;
        for (std::int64_t row = rows_ - 1; row > 0; --row) {
            const double* leaf = leaves_.data() + row * stride + lane - kLanes;
            const double* before = products_.data() + (row - 1) * stride + lane - kLanes;
            const bool is_first = !(before[count * kLanes] > 0.0);
            int chosen = 0;
            if (point < leaf[count * kLanes] || is_first) {
                chosen = count;
            } else {
                point -= leaf[count * kLanes];
                for (int n = 1; n < count; ++n) {
                    const double weight = leaf[n * kLanes] * before[(count - n) * kLanes];
                    if (point < weight) {
                        chosen = n;
                        break;
                    }
                    point -= weight;
                }
            }
            if (chosen == 0) continue;
            placement.put(row * kLanes + lane, chosen);
            count -= chosen;
            if (count == 0) return;
            ++steps;
            point = uniform(rng_) * before[count * kLanes];
        }
        placement.put(lane, count);
    }

    const MajorRow<kGrouped>& row_;
    Background<kGrouped, NewTopics>& background_;
    bool equal_other_;
    bool all_listed_;
    Rng rng_;
    std::int64_t rows_ = 0;
    int degree_ = 0;
    Buffer<double> b_;  // of the list's topics
    Buffer<double> c_;
    Buffer<double> leaves_;    // q_k(n) at (row * degree + n - 1) * kLanes + lane
    Buffer<double> products_;  // of the rows up to this one, laid out alike
    double lane_ends_[kLanes] = {};
    double four_[4 * (kLargestPart + 1)] = {};
    double two_[2 * (kLargestPart + 1)] = {};
    double root_[kLargestPart + 1] = {};
    double mixed_[kNodes + 1] = {};
};

}  // namespace blocklda::BLOCKLDA_ISA
