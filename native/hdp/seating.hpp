// The tokens of a document at tables: a Chinese restaurant process for each topic.
#pragma once

#include <cstdint>

#include "shared/buffer.hpp"
#include "shared/draw.hpp"
#include "shared/views.hpp"

namespace blocklda::BLOCKLDA_ISA {

// The tokens of one document, by topic and seated at tables.
class Seating {
  public:
    // A table and its tokens, members(begin) to members(end).
    struct TableOfTokens {
        std::int32_t topic;
        std::int64_t begin;
        std::int64_t end;
    };

    explicit Seating(std::int64_t n_slots) : starts_(n_slots + 1) {}

    // Seats the `n` tokens of a document, whose topics are `topics`.
    void seat(const std::int32_t* topics, std::int64_t n, const StickView& stick, const Rng& rng) {
        by_topic_.reserve(n);
        table_of_.reserve(n);
        members_.reserve(n);
        tables_.reserve(n);
        sort_by_topic(topics, n, stick.n_slots);
        n_tables_ = 0;
        for (std::int64_t first = 0, end = 0; first < n; first = end) {
            const std::int32_t topic = topics[by_topic_[first]];
            const double a = stick.alpha[topic];
            for (end = first; end < n && topics[by_topic_[end]] == topic; ++end) {
                table_of_[end] = table_for(end - first, first, a, topic, rng);
            }
        }
        collect_members(n);
    }

    std::int64_t n_tables() const { return n_tables_; }
    const TableOfTokens& table(std::int64_t i) const { return tables_[i]; }
    // The place of a token in its document; those of a table ascend.
    std::int64_t member(std::int64_t i) const { return members_[i]; }

  private:
    void sort_by_topic(const std::int32_t* topics, std::int64_t n, std::int64_t n_slots) {
        for (std::int64_t k = 0; k <= n_slots; ++k) starts_[k] = 0;
        for (std::int64_t t = 0; t < n; ++t) ++starts_[topics[t] + 1];
        for (std::int64_t k = 0; k < n_slots; ++k) starts_[k + 1] += starts_[k];
        for (std::int64_t t = 0; t < n; ++t) by_topic_[starts_[topics[t]]++] = t;
    }

    // The table of the i-th token of a topic: a new one, or that of an earlier token.
    std::int64_t table_for(std::int64_t i, std::int64_t first, double a, std::int32_t topic,
                           const Rng& rng) {
        if (i > 0) {
            const double point = uniform(rng) * (a + static_cast<double>(i));
            if (point >= a) {
                const auto other = static_cast<std::int64_t>(point - a);
                return table_of_[first + (other < i ? other : i - 1)];
            }
        }
        tables_[n_tables_] = {topic, 0, 0};
        return n_tables_++;
    }

    void collect_members(std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) ++tables_[table_of_[i]].end;
        std::int64_t begin = 0;
        for (std::int64_t i = 0; i < n_tables_; ++i) {
            const std::int64_t size = tables_[i].end;
            tables_[i].begin = tables_[i].end = begin;
            begin += size;
        }
        for (std::int64_t i = 0; i < n; ++i) members_[tables_[table_of_[i]].end++] = by_topic_[i];
    }

    Buffer<std::int64_t> starts_;
    Buffer<std::int64_t> by_topic_;
    Buffer<std::int64_t> table_of_;
    Buffer<std::int64_t> members_;
    Buffer<TableOfTokens> tables_;
    std::int64_t n_tables_ = 0;
};

}  // namespace blocklda::BLOCKLDA_ISA
