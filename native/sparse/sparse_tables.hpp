// What a sparse sweep keeps from one call to the next: the topic lists and the totals n_k.
#pragma once

#include <cstdint>

#include "shared/buffer.hpp"
#include "shared/views.hpp"
#include "sparse/cell_histogram.hpp"
#include "sparse/topic_lists.hpp"

namespace blocklda::BLOCKLDA_ISA {

// All are functions of the assignments, so keeping them changes nothing but the time.
struct SparseTables {
    TopicLists lists;
    Buffer<std::int32_t> totals;
    CellHistogram row_cells;   // as the last sweep left them, a sweep over a grid apart
    CellHistogram list_cells;  // made when they are asked for
    std::int64_t n_tokens = 0;

    SparseTables(const MajorView& corpus, const std::int32_t* topics, std::int64_t n_topics)
        : lists(round_up_to_lanes(n_topics)), totals(round_up_to_lanes(n_topics)) {
        const std::int64_t n_entries = corpus.offsets[corpus.n_rows];
        Buffer<std::int64_t> offsets(corpus.n_minor + 1);
        for (std::int64_t e = 0; e < n_entries; ++e) {
            offsets[corpus.minor_ids[e] + 1] += corpus.counts[e];
        }
        for (std::int64_t j = 0; j < corpus.n_minor; ++j) offsets[j + 1] += offsets[j];
        n_tokens = offsets[corpus.n_minor];
        if (n_topics <= 1 << 16) {
            group_by_minor<std::uint16_t>(corpus, topics, offsets, n_topics);
        } else {
            group_by_minor<std::int32_t>(corpus, topics, offsets, n_topics);
        }
    }

    // Tables of a part of the minor rows whose tokens may lie outside of this corpus.
    SparseTables(const ListedRows& rows, std::int64_t n_minor, std::int64_t n_topics)
        : lists(round_up_to_lanes(n_topics)), totals(round_up_to_lanes(n_topics)) {
        lists.build(rows, n_minor, n_topics);
        const std::int64_t n_cells = rows.offsets[rows.end - rows.first];
        for (std::int64_t i = 0; i < n_cells; ++i) {
            totals[rows.topics[i]] += rows.counts[i];
            n_tokens += rows.counts[i];
        }
    }

  private:
    // The tokens of each minor row together, in the smallest type: there may be many.
    template <class Topic>
    void group_by_minor(const MajorView& corpus, const std::int32_t* topics,
                        Buffer<std::int64_t>& offsets, std::int64_t n_topics) {
        const std::int64_t n_entries = corpus.offsets[corpus.n_rows];
        Buffer<Topic> grouped(offsets[corpus.n_minor]);
        Buffer<std::int64_t> next(corpus.n_minor);
        for (std::int64_t j = 0; j < corpus.n_minor; ++j) next[j] = offsets[j];
        std::int64_t token = 0;
        for (std::int64_t e = 0; e < n_entries; ++e) {
            if (corpus.starts != nullptr) token = corpus.starts[e];
            std::int64_t& place = next[corpus.minor_ids[e]];
            for (std::int32_t i = 0; i < corpus.counts[e]; ++i, ++token) {
                grouped[place++] = static_cast<Topic>(topics[token]);
                ++totals[topics[token]];
            }
        }
        lists.build(offsets.data(), grouped.data(), corpus.n_minor, n_topics);
    }
};

}  // namespace blocklda::BLOCKLDA_ISA
