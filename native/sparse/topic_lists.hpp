// Which topics each row of one axis of the corpus uses, and how often: short sorted lists.
#pragma once

#include <cstdint>
#include <cstring>

#include "shared/buffer.hpp"
#include "shared/simd.hpp"
#include "shared/views.hpp"
#include "sparse/cell_histogram.hpp"

namespace blocklda::BLOCKLDA_ISA {

// With this many topics or fewer every list holds all of them: one or two vectors cost less than
// to know which topics are absent, and no block is ever restricted in where it may go.
inline constexpr std::int64_t kAllListed = 16;

// One row's list: `topics` ascending, `counts` positive (zero only while a block is being drawn, or
// in a list of all topics). Both go on to the end of a whole group of lanes with the topic
// `nowhere` and the count 0.
struct TopicList {
    std::int32_t* topics;
    std::int32_t* counts;
    std::int64_t length;

    std::int64_t padded() const { return round_up_to_lanes(length); }
};

// The lists of all rows. They are a function of the assignments alone, whatever moves led to them,
// so a chain that is saved and loaded goes on from the same lists.
class TopicLists {
  public:
    // `nowhere` is a number above all topics, at which dense rows hold a weight of zero: vector
    // loops read it for the padding.
    explicit TopicLists(std::int64_t nowhere) : nowhere_(static_cast<std::int32_t>(nowhere)) {}

    // `offsets[j]` is the number of tokens in the rows before row j, and `topics` are the tokens'
    // topics row by row. A row never needs more places than it has tokens or there are topics.
    template <class Topic>
    void build(const std::int64_t* offsets, const Topic* topics, std::int64_t n_rows,
               std::int64_t n_topics) {
        all_listed_ = n_topics <= kAllListed;
        place_.reserve(n_rows + 1);
        length_.reserve(n_rows);
        std::int64_t end = 0;
        for (std::int64_t j = 0; j < n_rows; ++j) {
            const std::int64_t n_tokens = offsets[j + 1] - offsets[j];
            place_[j] = end;
            const bool is_short = n_tokens < n_topics && !all_listed_;
            end += 2 * round_up_to_lanes(is_short ? n_tokens : n_topics);
        }
        place_[n_rows] = end;
        numbers_.reserve(end);
        Buffer<std::int32_t> counts(n_topics);
        Buffer<std::uint64_t> used((n_topics + 63) / 64);
        for (std::int64_t j = 0; j < n_rows; ++j) {
            for (std::int64_t i = offsets[j]; i < offsets[j + 1]; ++i) {
                const auto k = static_cast<std::int64_t>(topics[i]);
                ++counts[k];
                used[k / 64] |= std::uint64_t{1} << (k % 64);
            }
            if (all_listed_) used[0] = (std::uint64_t{1} << n_topics) - 1;
            length_[j] = 0;
            TopicList list = row(j);
            for (std::int64_t word = 0; word < (n_topics + 63) / 64; ++word) {
                for (std::uint64_t bits = used[word]; bits != 0; bits &= bits - 1) {
                    const std::int64_t k = word * 64 + __builtin_ctzll(bits);
                    list.topics[list.length] = static_cast<std::int32_t>(k);
                    list.counts[list.length++] = counts[k];
                    counts[k] = 0;
                }
                used[word] = 0;
            }
            for (std::int64_t i = list.length; i < (place_[j + 1] - place_[j]) / 2; ++i) {
                list.topics[i] = nowhere_;
                list.counts[i] = 0;
            }
            length_[j] = static_cast<std::int32_t>(list.length);
        }
    }

    // The lists of some neighbouring rows, from their counts; the others have no places.
    void build(const ListedRows& rows, std::int64_t n_rows, std::int64_t n_topics) {
        all_listed_ = n_topics <= kAllListed;
        place_.reserve(n_rows + 1);
        length_.reserve(n_rows);
        std::int64_t end = 0;
        for (std::int64_t j = 0; j < n_rows; ++j) {
            place_[j] = end;
            if (j < rows.first || j >= rows.end) continue;
            std::int64_t n_places = n_topics;
            if (!all_listed_) n_places = rows.n_tokens_up_to(j, n_topics);
            end += 2 * round_up_to_lanes(n_places);
        }
        place_[n_rows] = end;
        numbers_.reserve(end);
        for (std::int64_t j = rows.first; j < rows.end; ++j) fill(j, rows, n_topics);
    }

    bool all_listed() const { return all_listed_; }

    // Whether a row has at least so many tokens, whatever their topics: mostly a few numbers tell.
    bool has_tokens(std::int64_t j, std::int64_t at_least) {
        const TopicList list = row(j);
        std::int64_t n = 0;
        for (std::int64_t i = 0; i < list.length && n < at_least; i += kLanes) {
            for (int l = 0; l < kLanes; ++l) n += list.counts[i + l];
        }
        return n >= at_least;
    }

    TopicList row(std::int64_t j) {
        std::int32_t* topics = numbers_.data() + place_[j];
        return {topics, topics + (place_[j + 1] - place_[j]) / 2, length_[j]};
    }

    // All cells of all lists.
    void note_cells(std::int64_t n_rows, CellHistogram& cells) {
        for (std::int64_t j = 0; j < n_rows; ++j) {
            const TopicList list = row(j);
            for (std::int64_t i = 0; i < list.length; ++i) {
                if (list.counts[i] != 0) cells.note(list.topics[i], list.counts[i]);
            }
        }
    }

    void prefetch(std::int64_t j) {
        const TopicList list = row(j);
        __builtin_prefetch(list.topics);
        __builtin_prefetch(list.counts);
    }

    // How many topics of the list lie below `topic`: where it stands if it is there.
    static std::int64_t position(const TopicList& list, std::int32_t topic) {
        std::int64_t below = 0;
        for (std::int64_t i = 0; i < list.length; i += kLanes) {
            below += count_below(list.topics + i, topic);
        }
        return below;
    }

    void add(std::int64_t j, std::int32_t topic, std::int32_t count) {
        TopicList list = row(j);
        const std::int64_t at = position(list, topic);
        if (at < list.length && list.topics[at] == topic) {
            list.counts[at] += count;
            return;
        }
        for (std::int64_t i = list.length; i > at; --i) {
            list.topics[i] = list.topics[i - 1];
            list.counts[i] = list.counts[i - 1];
        }
        list.topics[at] = topic;
        list.counts[at] = count;
        ++length_[j];
    }

    // Strike a topic without tokens off a list, if the list is not to hold all topics.
    void drop(std::int64_t j, std::int64_t at) {
        if (all_listed_) return;
        const TopicList list = row(j);
        close_gap(list.topics, at, list.padded(), nowhere_);
        close_gap(list.counts, at, list.padded(), 0);
        --length_[j];
    }

  private:
    void fill(std::int64_t j, const ListedRows& rows, std::int64_t n_topics) {
        TopicList list = row(j);
        list.length = 0;
        std::int64_t i = rows.offsets[j - rows.first];
        const std::int64_t end = rows.offsets[j - rows.first + 1];
        for (std::int64_t k = 0; all_listed_ && k < n_topics; ++k) {
            const bool has_tokens = i < end && rows.topics[i] == k;
            list.topics[list.length] = static_cast<std::int32_t>(k);
            list.counts[list.length++] = has_tokens ? rows.counts[i++] : 0;
        }
        for (; i < end; ++i) {
            list.topics[list.length] = rows.topics[i];
            list.counts[list.length++] = rows.counts[i];
        }
        for (std::int64_t at = list.length; at < (place_[j + 1] - place_[j]) / 2; ++at) {
            list.topics[at] = nowhere_;
            list.counts[at] = 0;
        }
        length_[j] = static_cast<std::int32_t>(list.length);
    }

    // Move what follows a place back by one, whole groups of lanes at a time. Nothing behind the
    // list is read: another thread may be at work there.
    static void close_gap(std::int32_t* numbers, std::int64_t at, std::int64_t padded,
                          std::int32_t last) {
        std::int32_t end[kLanes + 1];
        std::memcpy(end, numbers + padded - kLanes, kLanes * sizeof(std::int32_t));
        end[kLanes] = last;
        for (std::int64_t i = at / kLanes * kLanes; i < padded; i += kLanes) {
            const LaneInts next = load_lanes(i + kLanes < padded ? numbers + i + 1 : end + 1);
            const LaneInts here = load_lanes(numbers + i);
            const LaneInts place = kLaneNumbers + static_cast<std::int32_t>(i);
            store_lanes(numbers + i, place >= static_cast<std::int32_t>(at) ? next : here);
        }
    }

    std::int32_t nowhere_;
    bool all_listed_ = false;
    Buffer<std::int64_t> place_;
    Buffer<std::int32_t> length_;
    Buffer<std::int32_t> numbers_;
};

}  // namespace blocklda::BLOCKLDA_ISA
