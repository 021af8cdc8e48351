// The second kind of block: all tokens of a document that sit at one table.
//
// Given topics and sticks, the tokens of a document that have one topic are seated by a Chinese
// restaurant process with the concentration alpha0 tau_k. Then each table in turn, x_v tokens of
// word v and N in all, is taken out of its topic and draws one again, with the weights
//     tau_k prod_v b_kv^(x_v) / c_k^(N),     new: tau_u prod_v beta^(x_v) / B^(N),
// in the notation of rising factorials. All are divided here by what a new topic has beside tau_u,
//     tau_k prod_v prod_{i < x_v} (b_kv + i) / (beta + i) / prod_{i < N} (c_k + i) / (B + i),
// so that a word matters only for the topics of its list.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "hdp/stick.hpp"
#include "shared/buffer.hpp"
#include "shared/draw.hpp"
#include "shared/simd.hpp"
#include "shared/views.hpp"
#include "sparse/sparse_tables.hpp"
#include "sparse/topic_lists.hpp"

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

class TableMoves {
  public:
    TableMoves(const MajorView& corpus, StickView& view, const Rng& rng, SparseTables& tables,
               std::int32_t* topics)
        : corpus_(corpus),
          view_(view),
          stick_(view, 1, rng),
          rng_(rng),
          lists_(tables.lists),
          totals_(tables.totals.data()),
          topics_(topics),
          seating_(view.n_slots),
          weights_(view.n_slots + kLanes),
          exponents_(view.n_slots) {}

    // False at the first table whose weights are no numbers, or if no slot was left.
    bool run(const EveryNth& docs) {
        std::int64_t first_token = 0;
        std::int64_t wanted = docs.first;
        for (std::int64_t d = 0; d < corpus_.n_rows; ++d) {
            const std::int64_t n = fill_words(d, d == wanted);
            if (d == wanted) {
                wanted += docs.every;
                if (!move_tables(topics_ + first_token, n)) {
                    failed_entry = corpus_.offsets[d];
                    return false;
                }
            }
            first_token += n;
        }
        return true;
    }

    std::int64_t steps = 0;
    std::int64_t failed_entry = -1;

  private:
    // Products of so many factors are within the range of doubles.
    static constexpr int kFactors = 8;
    // A topic this many powers of two below the largest weighs nothing.
    static constexpr std::int64_t kLowest = -1000;
    static constexpr int kMantissaBits = 52;
    // What stands in a double for the exponent of 1/2.
    static constexpr std::int64_t kHalf = 1022;
    typedef std::int64_t LongVec __attribute__((vector_size(kWidth * sizeof(std::int64_t))));

    // The number of tokens of a document, and their words if it is to be moved.
    std::int64_t fill_words(std::int64_t d, bool is_wanted) {
        std::int64_t n = 0;
        for (std::int64_t e = corpus_.offsets[d]; e < corpus_.offsets[d + 1]; ++e) {
            n += corpus_.counts[e];
        }
        if (!is_wanted) return n;
        words_.reserve(n);
        std::int64_t t = 0;
        for (std::int64_t e = corpus_.offsets[d]; e < corpus_.offsets[d + 1]; ++e) {
            for (std::int32_t i = 0; i < corpus_.counts[e]; ++i) words_[t++] = corpus_.minor_ids[e];
        }
        return n;
    }

    bool move_tables(std::int32_t* document, std::int64_t n) {
        seating_.seat(document, n, view_, rng_);
        for (std::int64_t i = 0; i < seating_.n_tables(); ++i) {
            const Seating::TableOfTokens table = seating_.table(i);
            weigh(table);
            double rest = view_.rest;
            if (table.end - table.begin > kFactors) rest = use_common_exponent(rest);
            const double* weights = weights_.data();
            choice_.fill(weights_.data(), view_.n_slots,
                         [weights](std::int64_t k) { return load<Vec>(weights + k); });
            const double total = rest + choice_.total();
            if (!is_positive_number(total)) return false;
            ++steps;
            const double point = uniform(rng_) * total;
            const std::int32_t topic = point < rest ? stick_.born(1) : choice_.at(point - rest);
            if (topic < 0) return false;
            if (topic != table.topic) move(table, topic, document);
        }
        return true;
    }

    // Weights of all topics without the table's tokens. Of a table of more than kFactors tokens
    // they are mantissas, with exponents of their own.
    void weigh(const Seating::TableOfTokens& table) {
        const std::int64_t size = table.end - table.begin;
        if (size > kFactors) {
            for (std::int64_t k = 0; k < view_.n_slots; ++k) exponents_[k] = 0;
        }
        totals_[table.topic] -= static_cast<std::int32_t>(size);
        std::int64_t of_word = 0;  // tokens at the table of the present word
        std::int64_t earlier = 0;  // those of them before the present one
        for (std::int64_t first = 0; first < size; first += kFactors) {
            const std::int64_t end = first + kFactors < size ? first + kFactors : size;
            for (std::int64_t i = first; i < end; ++i) lists_.prefetch(word_at(table, i));
            divide_by_losses(first == 0 ? view_.tau : weights_.data(), first, end);
            for (std::int64_t i = first; i < end; ++i) {
                const std::int32_t word = word_at(table, i);
                if (++earlier >= of_word) {
                    of_word = tokens_from(table, i, word);
                    earlier = 0;
                }
                multiply_gains(table.topic, word, of_word, earlier);
            }
            if (size > kFactors) split_exponents();
        }
        totals_[table.topic] += static_cast<std::int32_t>(size);
    }

    std::int32_t word_at(const Seating::TableOfTokens& table, std::int64_t i) const {
        return words_[seating_.member(table.begin + i)];
    }

    // How many tokens of a word there are at the table from token i on.
    std::int64_t tokens_from(const Seating::TableOfTokens& table, std::int64_t i,
                             std::int32_t word) const {
        std::int64_t n = 1;
        while (table.begin + i + n < table.end && word_at(table, i + n) == word) ++n;
        return n;
    }

    // (c_k + i) / (B + i) of all topics.
    void divide_by_losses(const double* weights, std::int64_t first, std::int64_t end) {
        double inverse[kFactors];
        for (std::int64_t i = first; i < end; ++i) {
            inverse[i - first] = 1.0 / (view_.beta_sum + static_cast<double>(i));
        }
        for (std::int64_t k = 0; k < view_.n_slots; k += kWidth) {
            const Vec c = load_counts(totals_ + k) + view_.beta_sum;
            Vec loss = (c + static_cast<double>(first)) * inverse[0];
            for (std::int64_t i = first + 1; i < end; ++i) {
                loss = loss * ((c + static_cast<double>(i)) * inverse[i - first]);
            }
            store(weights_.data() + k, load<Vec>(weights + k) / loss);
        }
    }

    // (b_kv + i) / (beta + i) of the topics in the list of a word, of which the table has `of_word`
    // tokens, `earlier` of them before the present one.
    void multiply_gains(std::int32_t own, std::int32_t word, std::int64_t of_word,
                        std::int64_t earlier) {
        const double inverse = 1.0 / (view_.beta + static_cast<double>(earlier));
        const TopicList list = lists_.row(word);
        const std::int64_t own_at = TopicLists::position(list, own);
        const double own_weight = weights_[own];
        double* weights = weights_.data();
        for (std::int64_t i = 0; i < list.padded(); i += kWidth) {
            const Vec b = load_counts(list.counts + i) + view_.beta;
            const Vec gain = (b + static_cast<double>(earlier)) * inverse;
            scatter(weights, list.topics + i, gather(weights, list.topics + i) * gain);
        }
        // Its own topic, without the table: a count of zero leaves the weight as it is.
        const double left = static_cast<double>(list.counts[own_at] - of_word);
        const double gain = ((left + view_.beta) + static_cast<double>(earlier)) * inverse;
        weights_[own] = left > 0.0 ? own_weight * gain : own_weight;
    }

    // The padding of a list names a place behind all topics, whose weight is 0.
    BLOCKLDA_INLINE static void scatter(double* base, const std::int32_t* index, Vec values) {
#if defined(__AVX512F__)
        const __m256i at = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(index));
        _mm512_i32scatter_pd(base, at, values, sizeof(double));
#else
        for (int i = 0; i < kWidth; ++i) base[index[i]] = values[i];
#endif
    }

    // Mantissas from 1/2 to 1 and exponents, as `frexp` has them, by their bits.
    void split_exponents() {
        for (std::int64_t k = 0; k < view_.n_slots; k += kWidth) {
            LongVec bits;
            std::memcpy(&bits, weights_.data() + k, sizeof bits);
            const LongVec field = (bits >> kMantissaBits) & 0x7ff;
            bool are_normal = true;
            for (int i = 0; i < kWidth; ++i) are_normal &= field[i] != 0 || bits[i] == 0;
            if (!are_normal) {
                split_one_by_one(k);
                continue;
            }
            LongVec exponent;
            std::memcpy(&exponent, exponents_.data() + k, sizeof exponent);
            const LongVec mantissa =
                (bits & ((std::int64_t{1} << kMantissaBits) - 1)) | (kHalf << kMantissaBits);
            exponent += bits == 0 ? LongVec{} : field - kHalf;
            bits = bits == 0 ? bits : mantissa;
            std::memcpy(weights_.data() + k, &bits, sizeof bits);
            std::memcpy(exponents_.data() + k, &exponent, sizeof exponent);
        }
    }

    void split_one_by_one(std::int64_t first) {
        for (std::int64_t k = first; k < first + kWidth; ++k) {
            int exponent = 0;
            weights_[k] = std::frexp(weights_[k], &exponent);
            exponents_[k] += exponent;
        }
    }

    // Weights with one exponent, that of the largest; returns the rest of the stick with the same.
    double use_common_exponent(double rest) {
        int of_rest = 0;
        const double mantissa = std::frexp(rest, &of_rest);
        std::int64_t largest = of_rest;
        for (std::int64_t k = 0; k < view_.n_slots; ++k) {
            if (weights_[k] > 0.0 && exponents_[k] > largest) largest = exponents_[k];
        }
        for (std::int64_t k = 0; k < view_.n_slots; ++k) {
            weights_[k] = scaled(weights_[k], exponents_[k] - largest);
        }
        return scaled(mantissa, of_rest - largest);
    }

    // A mantissa from 1/2 to 1, or 0, times a power of two, by its bits.
    static double scaled(double mantissa, std::int64_t exponent) {
        if (exponent < kLowest) return 0.0;
        const std::int64_t bits = (exponent + 1023) << kMantissaBits;
        double power = 0.0;
        std::memcpy(&power, &bits, sizeof power);
        return mantissa * power;
    }

    void move(const Seating::TableOfTokens& table, std::int32_t topic, std::int32_t* document) {
        for (std::int64_t i = table.begin; i < table.end; ++i) {
            const std::int64_t t = seating_.member(i);
            const TopicList list = lists_.row(words_[t]);
            const std::int64_t at = TopicLists::position(list, table.topic);
            if (--list.counts[at] == 0) lists_.drop(words_[t], at);
            lists_.add(words_[t], topic, 1);
            document[t] = topic;
        }
        totals_[table.topic] -= static_cast<std::int32_t>(table.end - table.begin);
        totals_[topic] += static_cast<std::int32_t>(table.end - table.begin);
    }

    MajorView corpus_;
    StickView& view_;
    Stick stick_;
    Rng rng_;
    TopicLists& lists_;
    std::int32_t* totals_;
    std::int32_t* topics_;
    Seating seating_;
    Buffer<std::int32_t> words_;
    Buffer<double> weights_;
    Buffer<std::int64_t> exponents_;
    TopicTable choice_;
};

}  // namespace blocklda::BLOCKLDA_ISA
