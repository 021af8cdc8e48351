// Which corpus and topics the tables of a workspace belong to.
#pragma once

#include <cstdint>

#include "bindings/corpus.hpp"

namespace blocklda {

// Tables are used again only for the same rows and assignments. A checksum tells these, since
// anyone may change topics between two calls, or free them and have others in their place.
class MadeFor {
  public:
    bool is(const Rows& rows, std::int64_t n_topics, const std::int32_t* topics) const {
        return is_known_ && n_topics == n_topics_ && rows.number() == rows_number_ &&
               checksum(topics, rows.n_tokens()) == topics_checksum_;
    }
    void set(const Rows& rows, std::int64_t n_topics, const std::int32_t* topics) {
        rows_number_ = rows.number();
        n_topics_ = n_topics;
        topics_checksum_ = checksum(topics, rows.n_tokens());
        is_known_ = true;
    }
    void forget() { is_known_ = false; }

  private:
    // A change of one number always changes the sum of its lane, and the sums of these sums tell
    // where in the lane it was. Additions alone, so that every build of the loop is vectorised.
    static std::uint64_t checksum(const std::int32_t* numbers, std::int64_t n) {
        constexpr int kSums = 16;
        std::uint32_t sums[kSums] = {};
        std::uint32_t sums_of_sums[kSums] = {};
        std::int64_t i = 0;
        for (; i + kSums <= n; i += kSums) {
            for (int l = 0; l < kSums; ++l) {
                sums[l] += static_cast<std::uint32_t>(numbers[i + l]);
                sums_of_sums[l] += sums[l];
            }
        }
        std::uint64_t all = 0;
        const auto mix = [&all](std::uint32_t x) {
            all = (all ^ x) * 0x9E3779B97F4A7C15U;
            all ^= all >> 29;
        };
        for (; i < n; ++i) mix(static_cast<std::uint32_t>(numbers[i]));
        for (const std::uint32_t sum : sums) mix(sum);
        for (const std::uint32_t sum : sums_of_sums) mix(sum);
        return all;
    }

    bool is_known_ = false;
    std::int64_t n_topics_ = 0;
    std::uint64_t rows_number_ = 0;
    std::uint64_t topics_checksum_ = 0;
};

}  // namespace blocklda
