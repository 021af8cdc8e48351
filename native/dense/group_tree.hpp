// The polynomials of a block for nested simulation: groups of topics, and a binary tree above them.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "dense/leaves.hpp"
#include "shared/buffer.hpp"
#include "shared/convolve.hpp"
#include "shared/simd.hpp"
#include "shared/views.hpp"

namespace blocklda::BLOCKLDA_ISA {

// Any fixed binary tree has the paper's law. The lower part of this one are groups of at most eight
// topics g, g + G, g + 2G, ...: on the way up a group is one running product in registers, and only
// where tokens arrive on the way down is it split in halves. G is a whole number of lanes.
inline constexpr std::int64_t kGroupSize = 8;

inline std::int64_t group_stride(std::int64_t n_topics) {
    return kLanes * ((n_topics + kLanes * kGroupSize - 1) / (kLanes * kGroupSize));
}

// Above the groups, node i of a level is paired with node i + half, where half is a whole number of
// chunks or, within the last chunk, 4, 2 or 1, so that a level is one vector operation. A node
// without a partner passes through. Groups and levels together are ceil(log2 K) splits deep.
inline std::int64_t half_of(std::int64_t nodes) {
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
template <int kSmallBlock, class Source>
class GroupTree {
  public:
    explicit GroupTree(std::int64_t n_topics)
        : n_topics_(n_topics), group_stride_(BLOCKLDA_ISA::group_stride(n_topics)) {
        const std::int64_t n_groups = n_topics_ < group_stride_ ? n_topics_ : group_stride_;
        for (std::int64_t nodes = n_groups; nodes > 1; nodes = half_of(nodes)) {
            levels_[depth_++] = {nodes, half_of(nodes), nullptr};
        }
    }

    // The level above the last one would be the root, which is not stored.
    int depth() const { return depth_; }
    const Level& level(int l) const { return levels_[l]; }
    std::int64_t group_stride() const { return group_stride_; }
    bool monic() const { return monic_; }  // constant terms are 1 and not stored

    // Multiply the raw leaves of a block; false if the products left the range of a double, and
    // the leaves must be tilted.
    bool fill_raw(const Source& source, std::int64_t size) {
        set_size(size);
        monic_ = true;
        if (size_ <= kSmallBlock) {
            fill_small_of_size<2>(source);
        } else {
            multiply_groups([&](std::int64_t i, double* rows) { source.chunk(i, size_, rows); });
            combine_levels();
        }
        return size <= kAlwaysInRange || in_range();
    }

    // Multiply tilted leaves, by FFT if one is given and exact enough. False if the FFT failed, or
    // if the block is `too_large`: its normaliser is below the range of a double.
    bool fill_tilted(const Source& source, std::int64_t size, const FftConvolver* fft) {
        set_size(size);
        monic_ = false;
        too_large_ = false;
        tilted_.prepare(source, size);
        if (fft != nullptr) {
            if (!multiply_by_fft(*fft)) return false;
            if (normaliser() >= kSmallestByFft) return true;
        }
        multiply_groups([this](std::int64_t i, double* rows) { tilted_.chunk(i, rows); });
        combine_levels();
        too_large_ = !(normaliser() >= kSmallestShare);
        return !too_large_;
    }
    bool too_large() const { return too_large_; }

    // The coefficients of a node, kLanes apart.
    BLOCKLDA_INLINE const double* row(const Level& level, std::int64_t node) const {
        return level.chunks + node / kLanes * chunk_stride_ + node % kLanes;
    }
    // The coefficient of x^n of a node.
    BLOCKLDA_INLINE double h(const Level& level, std::int64_t node, std::int64_t n) const {
        return n == 0 && monic_ ? 1.0 : row(level, node)[n * kLanes];
    }

    // The leaf of one topic up to a degree, into q[0..degree].
    void leaf(const Source& source, std::int64_t k, std::int64_t degree, double* q) {
        if (monic_) {
            q[0] = 1.0;
            source.topic(k, degree, q, 1);
            return;
        }
        whole_leaf_.reserve(size_ + 1);
        tilted_.topic(k, whole_leaf_.data(), 1);
        for (std::int64_t n = 0; n <= degree; ++n) q[n] = whole_leaf_[n];
    }

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
        double* chunks = storage_.data();
        for (int l = 0; l < depth_; ++l) {
            levels_[l].chunks = chunks;
            chunks += chunks_of(levels_[l]) * chunk_stride_;
        }
    }

    static std::int64_t chunks_of(const Level& level) {
        return round_up_to_lanes(level.nodes) / kLanes;
    }

    // The size as a constant, so that the loops over degrees are unrolled.
    template <int kSize>
    void fill_small_of_size(const Source& source) {
        if (size_ == kSize) {
            fill_small<kSize>(source);
        } else if constexpr (kSize < kSmallBlock) {
            fill_small_of_size<kSize + 1>(source);
        }
    }

    // All groups take their next topic before any takes the one after: the counts are then read in
    // the order in which they lie in memory.
    template <int kSize>
    void fill_small(Source source) {
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
        double* out = levels_[0].chunks;
        const std::int64_t first_row = group_stride_ < padded ? group_stride_ : padded;
        for (std::int64_t i = 0; i < first_row; i += kLanes, out += chunk_stride_) {
            // Two places by turns for the product so far and the next one.
            double* product = out;
            double* next = leaf + chunk_stride_;
            leaves(i, product);
            for (std::int64_t k = i + group_stride_; k < padded; k += group_stride_) {
                leaves(k, leaf);
                for (int v = 0; v < kLanes; v += kWidth) {
                    convolve_lanes<Vec>(product + v, leaf + v, next + v, size_, monic_);
                }
                std::swap(product, next);
            }
            if (product != out) {
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

    bool multiply_by_fft(const FftConvolver& fft) {
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
            if (!fft_product(fft, pairs, groups, groups.nodes)) return false;
        }
        for (int l = 0; l + 1 < depth_; ++l) {
            const Level& from = levels_[l];
            const Level& to = levels_[l + 1];
            const std::int64_t pairs = from.nodes - from.half;
            gather(from, 0, pairs, left);
            gather(from, from.half, pairs, right);
            if (!fft_product(fft, pairs, to, groups.nodes)) return false;
            gather(from, pairs, from.half - pairs, left);
            scatter(to, pairs, from.half - pairs, left);
        }
        return true;
    }

    // The products of the first `pairs` gathered polynomials become the first nodes of a level.
    bool fft_product(const FftConvolver& fft, std::int64_t pairs, const Level& to,
                     std::int64_t capacity) {
        const std::int64_t n_coefs = size_ + 1;
        double* left = gathered_.data();
        double* right = left + capacity * n_coefs;
        double* out = right + capacity * n_coefs;
        if (!fft.convolve(fft.context, left, right, out, pairs, n_coefs)) return false;
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

    // h(C) of the root.
    double normaliser() const {
        const double* top = levels_[depth_ - 1].chunks;
        return coefficient<double>(top, top + 1, kLanes, size_, monic_);
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

    std::int64_t n_topics_;
    std::int64_t group_stride_;
    int depth_ = 0;
    Level levels_[64] = {};
    std::int64_t size_ = 0;
    std::int64_t chunk_stride_ = 0;
    bool monic_ = true;
    bool too_large_ = false;
    Buffer<double> storage_;
    Buffer<double> scratch_;
    Buffer<double> gathered_;
    Buffer<double> whole_leaf_;
    TiltedLeaves<Source> tilted_;
};

}  // namespace blocklda::BLOCKLDA_ISA
