// Random draws shared by the samplers: one topic by inversion, and a shuffle.
#pragma once

#include <cstdint>
#include <limits>

#include "shared/simd.hpp"
#include "shared/views.hpp"

namespace blocklda::BLOCKLDA_ISA {

inline double uniform(const Rng& rng) { return rng.next_double(rng.state); }

// Whether a sum of weights can be drawn from. Below the normal range a product of it with a uniform
// may round up to the sum itself.
inline bool is_positive_number(double x) {
    return x >= std::numeric_limits<double>::min() && x < std::numeric_limits<double>::infinity();
}

// A uniformly random order of a block's tokens. Nothing is drawn when all are alike: every order is
// then the same. A block is stored without an order of its own, so whatever treats its tokens one
// by one shuffles them first; scanning them as stored would let the state choose who moves first.
inline void shuffle_tokens(std::int32_t* block, std::int64_t n, const Rng& rng) {
    std::int64_t same = 1;
    while (same < n && block[same] == block[0]) ++same;
    if (same >= n) return;
    for (std::int64_t i = n - 1; i > 0; --i) {
        const auto j = static_cast<std::int64_t>(uniform(rng) * static_cast<double>(i + 1));
        const std::int32_t token = block[i];
        block[i] = block[j];
        block[j] = token;
    }
}

// A distribution over topics as running sums, one per column: prefix[j * kColumns + l] is the
// weight of the topics l, l + kColumns, ..., l + j * kColumns. Topics are inverted column by
// column, so that the sums are vertical additions and a column can be searched by halving.
template <int kColumns>
class ColumnTable {
  public:
    // weight(i) is the vector of weights of the topics i, i+1, ...; padding weighs nothing.
    // `prefix` has whole rows, though `padded` topics may end within the last one.
    template <class Weight>
    bool fill(double* prefix, std::int64_t padded, Weight weight) {
        Vec sum[kColumns / kWidth] = {};
        std::int64_t i = 0;
        for (; i + kColumns <= padded; i += kColumns) {
            for (int v = 0; v < kColumns / kWidth; ++v) {
                sum[v] += weight(i + v * kWidth);
                store(prefix + i + v * kWidth, sum[v]);
            }
        }
        if (kColumns > kLanes && i < padded) {
            for (int v = 0; v < kColumns / kWidth; ++v) {
                if (i + v * kWidth < padded) sum[v] += weight(i + v * kWidth);
                store(prefix + i + v * kWidth, sum[v]);
            }
            i += kColumns;
        }
        adopt(prefix, i);
        return is_positive_number(total());
    }

    // Take running sums that are there already.
    void adopt(const double* prefix, std::int64_t padded) {
        prefix_ = prefix;
        rows_ = padded / kColumns;
        // Running sums over the lanes, in pairs: half as many additions wait for each other.
        const double* last = prefix + padded - kColumns;
        double end = 0.0;
        for (int l = 0; l < kColumns; l += 2) {
            ends_[l] = end + last[l];
            end += last[l] + last[l + 1];
            ends_[l + 1] = end;
        }
    }

    double total() const { return ends_[kColumns - 1]; }

    // The topic at the point u of the distribution function, 0 <= u < 1.
    std::int32_t draw(double u) const { return at(u * total()); }

    // The topic at a point between 0 and the total.
    std::int32_t at(double point) const {
        int lane = 0;
        for (int l = 0; l < kColumns; ++l) lane += (ends_[l] <= point);
        // Rounding may leave a point at the end: it belongs to the last topic with weight.
        if (lane == kColumns) lane = last_lane();
        const double rest = lane == 0 ? point : point - ends_[lane - 1];
        std::int64_t row = rows_above(lane, [rest](double sum) { return sum <= rest; });
        if (row == rows_) {
            const double total = prefix_[(rows_ - 1) * kColumns + lane];
            row = rows_above(lane, [total](double sum) { return sum < total; });
        }
        return static_cast<std::int32_t>(row * kColumns + lane);
    }

  private:
    int last_lane() const {
        int lane = kColumns - 1;
        while (lane > 0 && !(prefix_[(rows_ - 1) * kColumns + lane] > 0.0)) --lane;
        return lane;
    }

    // Rows that are looked at one by one. That takes less time than halving, whose steps wait for
    // each other, or are foreseen wrongly.
    static constexpr std::int64_t kFewRows = 16;

    // How many of a lane's running sums satisfy `below`, which holds for the first ones only.
    template <class Below>
    std::int64_t rows_above(int lane, Below below) const {
        const double* sums = prefix_ + lane;
        std::int64_t first = 0;
        std::int64_t end = rows_;
        // The last row of each group first, where there are several groups.
        if (rows_ > kFewRows) {
            std::int64_t group = 0;
            for (std::int64_t j = kFewRows - 1; j < rows_; j += kFewRows) {
                group += below(sums[j * kColumns]);
            }
            first = group * kFewRows;
            end = first + kFewRows < rows_ ? first + kFewRows : rows_;
        }
        std::int64_t n_below = first;
        for (std::int64_t j = first; j < end; ++j) n_below += below(sums[j * kColumns]);
        return n_below;
    }

    const double* prefix_ = nullptr;
    std::int64_t rows_ = 0;
    double ends_[kColumns] = {};
};

using TopicTable = ColumnTable<kLanes>;

}  // namespace blocklda::BLOCKLDA_ISA
