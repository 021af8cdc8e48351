// The second kind of block: all tokens of a document that sit at one table.
//
// Given topics and sticks, the tokens of a document that have one topic are seated by a Chinese
// restaurant process with the concentration alpha0 tau_k. Then each table in turn, x_v tokens of
// word v and N in all, is taken out of its topic and draws one again, with the weights
//     tau_k prod_v b_kv^(x_v) / c_k^(N),     new: tau_u prod_v beta_v^(x_v) / B^(N),
// in the notation of rising factorials. All are divided here by what a new topic has beside tau_u,
//     tau_k prod_v prod_{i < x_v} (b_kv + i) / (beta_v + i) / prod_{i < N} (c_k + i) / (B + i),
// so that a word matters only for the topics of its list. The topics of the lists of the table's
// words are weighed one by one. All others form the background: since c_k >= B, they weigh together
// at most the sum over all topics of tau_k prod_{i < n} (B + i) / (c_k + i), n <= N, which is kept
// as a running sum for the first n. A draw that ends there adds up the true weights; if it lies
// above them it is repeated with these in the place of the bound, so the law is the exact one.
#pragma once

#include <cmath>
#include <cstdint>

#include "hdp/scaled_weights.hpp"
#include "hdp/seating.hpp"
#include "hdp/stick.hpp"
#include "shared/buffer.hpp"
#include "shared/draw.hpp"
#include "shared/simd.hpp"
#include "shared/views.hpp"
#include "sparse/sparse_tables.hpp"
#include "sparse/topic_lists.hpp"

namespace blocklda::BLOCKLDA_ISA {

class TableMoves {
  public:
    TableMoves(const MajorView& corpus, StickView& view, const Rng& rng, SparseTables& tables,
               std::int32_t* topics)
        : corpus_(corpus),
          view_(view),
          stick_(view, 1, rng),
          rng_(rng),
          lists_(tables.lists),
          cells_(tables.row_cells),
          totals_(tables.totals.data()),
          topics_(topics),
          factors_(ScaledWeights::factors_for(smallest_beta(corpus, view), tables.n_tokens)),
          seating_(view.n_slots),
          n_dk_(view.n_slots),
          place_(view.n_slots),
          listed_(view.n_slots + kLanes),
          c_(view.n_slots + kLanes),
          weights_(view.n_slots + kLanes),
          all_weights_(view.n_slots),
          all_c_(view.n_slots),
          shares_(view.n_slots * kOrders) {
        for (std::int64_t k = 0; k < view.n_slots; ++k) {
            place_[k] = kNowhere;
            add_shares(k);
        }
        for (int j = 0; j < kOrders; ++j) tops_[j] = sums_[j];
    }

    // False at the first table whose weights are no numbers, or if no slot was left.
    // `notes_cells`: the cells of these documents, as the moves leave them, are all that is missing
    // among those of the rows.
    bool run(const EveryNth& docs, bool notes_cells) {
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
                if (notes_cells) note_cells(topics_ + first_token, n);
            }
            first_token += n;
        }
        return true;
    }

    std::int64_t steps = 0;
    std::int64_t failed_entry = -1;

  private:
    static constexpr std::int32_t kNowhere = -1;
    // Running sums are kept for tables of up to so many tokens.
    static constexpr int kOrders = 4;
    // What rounding may have taken from a running sum is far below this share of it.
    static constexpr double kMargin = 1e-9;

    static double smallest_beta(const MajorView& corpus, const StickView& view) {
        double smallest = view.beta[0];
        for (std::int64_t v = 1; v < corpus.n_minor; ++v) {
            smallest = view.beta_of(v) < smallest ? view.beta_of(v) : smallest;
        }
        return smallest;
    }

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

    void note_cells(const std::int32_t* document, std::int64_t n) {
        for (std::int64_t t = 0; t < n; ++t) ++n_dk_[document[t]];
        for (std::int64_t t = 0; t < n; ++t) {
            std::int32_t& held = n_dk_[document[t]];
            if (held > 0) cells_.note(document[t], held);
            held = 0;
        }
    }

    bool move_tables(std::int32_t* document, std::int64_t n) {
        seating_.seat(document, n, view_, rng_);
        for (std::int64_t i = 0; i < seating_.n_tables(); ++i) {
            const Seating::TableOfTokens table = seating_.table(i);
            const std::int32_t topic = drawn_topic(table);
            for (std::int64_t p = 0; p < n_listed_; ++p) place_[listed_[p]] = kNowhere;
            if (topic < 0) return false;
            if (topic != table.topic) move(table, topic, document);
        }
        return true;
    }

    // -1 if the weights are no numbers or no slot was left.
    std::int32_t drawn_topic(const Seating::TableOfTokens& table) {
        const std::int64_t size = table.end - table.begin;
        weigh_listed(table);
        const std::int64_t padded = round_up_to_lanes(n_listed_);
        double rest = view_.rest;
        double background = background_bound(size);
        std::int64_t exponent = 0;
        if (size > factors_) exponent = use_common_exponent(rest, background);
        const double* weights = weights_.data();
        choice_.fill(weights_.data(), padded,
                     [weights](std::int64_t i) { return load<Vec>(weights + i); });
        const double in_lists = choice_.total();
        for (bool is_bound = true;; is_bound = false) {
            const double total = (rest + in_lists) + background;
            if (!is_positive_number(total)) return -1;
            ++steps;
            double point = uniform(rng_) * total;
            if (point < rest) return stick_.born(1);
            point -= rest;
            if (point < in_lists) return listed_[choice_.at(point)];
            point -= in_lists;
            if (is_bound) background = weigh_background(size, exponent);
            if (point < background) return background_.at(point);
        }
    }

    // Topics that have a word of the table, in the order in which they are found, and their weights
    // without the table's tokens.
    void weigh_listed(const Seating::TableOfTokens& table) {
        const std::int64_t size = table.end - table.begin;
        for (std::int64_t i = 0; i < size; ++i) lists_.prefetch(word_at(table, i));
        n_listed_ = 0;
        std::int64_t n_split = 0;  // of the listed topics have exponents already
        std::int64_t n_factors = 0;
        for (std::int64_t first = 0; first < size;) {
            const std::int32_t word = word_at(table, first);
            const std::int64_t of_word = tokens_from(table, first, word);
            for (std::int64_t earlier = 0; earlier < of_word;) {
                const std::int64_t room = factors_ - n_factors;
                const std::int64_t left = of_word - earlier;
                const std::int64_t end = earlier + (left < room ? left : room);
                multiply_gains(table.topic, word, of_word, earlier, end);
                n_factors += end - earlier;
                earlier = end;
                if (n_factors < factors_ || size == factors_) continue;
                n_factors = 0;
                weights_.clear_exponents(n_split, round_up_to_lanes(n_listed_));
                n_split = n_listed_;
                pad_weights();
                weights_.split(round_up_to_lanes(n_listed_));
            }
            first += of_word;
        }
        if (size > factors_) {
            weights_.clear_exponents(n_split, round_up_to_lanes(n_listed_));
            pad_weights();
            weights_.split(round_up_to_lanes(n_listed_));
        }
        pad_weights();
        for (std::int64_t p = 0; p < n_listed_; ++p) {
            const std::int32_t k = listed_[p];
            c_[p] = static_cast<double>(totals_[k]) + view_.beta_sum;
            weights_[p] *= view_.tau[k];
        }
        const std::int64_t own = place_[table.topic];
        c_[own] = static_cast<double>(totals_[table.topic] - size) + view_.beta_sum;
        weights_.divide_by_losses(round_up_to_lanes(n_listed_), c_.data(), size, view_.beta_sum,
                                  factors_);
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

    // prod_i (b_kv + i) / (beta + i) of the topics in the list of a word, of which the table has
    // `of_word` tokens, for those from `first` to `end`. A topic that is met for the first time
    // takes the next place, whose weight is 1; by arithmetic, since a branch would be a matter of
    // chance.
    void multiply_gains(std::int32_t own, std::int32_t word, std::int64_t of_word,
                        std::int64_t first, std::int64_t end) {
        const double beta = view_.beta_of(word);
        for (std::int64_t i = first; i < end; ++i) {
            inverse_[i - first] = 1.0 / (beta + static_cast<double>(i));
        }
        const TopicList list = lists_.row(word);
        const auto taken_out = static_cast<std::int32_t>(of_word);
        double* weights = weights_.data();
        std::int32_t* place = place_.data();
        std::int32_t* listed = listed_.data();
        auto n = static_cast<std::int32_t>(n_listed_);
        weights[n] = 1.0;
        for (std::int64_t e = 0; e < list.length; ++e) {
            const std::int32_t k = list.topics[e];
            const std::int32_t count = list.counts[e] - (k == own ? taken_out : 0);
            const double b = static_cast<double>(count) + beta;
            double gain = (b + static_cast<double>(first)) * inverse_[0];
            for (std::int64_t i = first + 1; i < end; ++i) {
                gain *= (b + static_cast<double>(i)) * inverse_[i - first];
            }
            const std::int32_t if_new = place[k] >> 31;  // all bits, or none
            const std::int32_t p = (place[k] & ~if_new) | (n & if_new);
            place[k] = p;
            listed[p] = k;
            weights[p] *= gain;
            n -= if_new;
            weights[n] = 1.0;
        }
        n_listed_ = n;
    }

    // What stands behind the last topic weighs nothing.
    void pad_weights() {
        for (std::int64_t p = n_listed_; p < round_up_to_lanes(n_listed_); ++p) {
            weights_[p] = 0.0;
            c_[p] = 1.0;
        }
    }

    // All weights with one exponent, that of the largest, which is returned.
    std::int64_t use_common_exponent(double& rest, double& background) {
        int of_rest = 0;
        int of_background = 0;
        rest = std::frexp(rest, &of_rest);
        background = std::frexp(background, &of_background);
        const std::int64_t largest =
            weights_.largest_exponent(n_listed_, of_rest > of_background ? of_rest : of_background);
        weights_.use_exponent(n_listed_, largest);
        rest = ScaledWeights::scaled(rest, of_rest - largest);
        background = ScaledWeights::scaled(background, of_background - largest);
        return largest;
    }

    // The weights of all topics that are not listed, and their sum.
    double weigh_background(std::int64_t size, std::int64_t exponent) {
        const std::int64_t n = view_.n_slots;
        for (std::int64_t k = 0; k < n; ++k) {
            all_weights_[k] = place_[k] < 0 ? view_.tau[k] : 0.0;
            all_c_[k] = static_cast<double>(totals_[k]) + view_.beta_sum;
        }
        all_weights_.clear_exponents(0, n);
        all_weights_.divide_by_losses(n, all_c_.data(), size, view_.beta_sum, factors_);
        if (size > factors_) all_weights_.use_exponent(n, exponent);
        const double* weights = all_weights_.data();
        background_.fill(all_weights_.data(), n,
                         [weights](std::int64_t i) { return load<Vec>(weights + i); });
        return background_.total();
    }

    // At least the weight of all topics that have no word of a table.
    double background_bound(std::int64_t size) const {
        const std::int64_t j = (size < kOrders ? size : kOrders) - 1;
        return sums_[j] + kMargin * tops_[j];
    }

    // tau_k prod_{i <= j} (B + i) / (c_k + i) of a topic, added to the running sums.
    void add_shares(std::int64_t k) {
        const double c = static_cast<double>(totals_[k]) + view_.beta_sum;
        double share = view_.tau[k];
        for (int j = 0; j < kOrders; ++j) {
            share *= (view_.beta_sum + j) / (c + j);
            shares_[k * kOrders + j] = share;
            sums_[j] += share;
        }
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
        change_total(table.topic, table.begin - table.end);
        change_total(topic, table.end - table.begin);
    }

    void change_total(std::int32_t topic, std::int64_t by) {
        totals_[topic] += static_cast<std::int32_t>(by);
        for (int j = 0; j < kOrders; ++j) sums_[j] -= shares_[topic * kOrders + j];
        add_shares(topic);
        for (int j = 0; j < kOrders; ++j) tops_[j] = sums_[j] > tops_[j] ? sums_[j] : tops_[j];
    }

    MajorView corpus_;
    StickView& view_;
    Stick stick_;
    Rng rng_;
    TopicLists& lists_;
    CellHistogram& cells_;
    std::int32_t* totals_;
    std::int32_t* topics_;
    std::int64_t factors_;  // that are multiplied at once
    Seating seating_;
    Buffer<std::int32_t> words_;
    std::int64_t n_listed_ = 0;
    Buffer<std::int32_t> n_dk_;    // of one document, while its cells are noted
    Buffer<std::int32_t> place_;   // of each topic among the listed ones
    Buffer<std::int32_t> listed_;  // topics
    double inverse_[ScaledWeights::kMostFactors] = {};
    Buffer<double> c_;
    ScaledWeights weights_;
    TopicTable choice_;
    ScaledWeights all_weights_;
    Buffer<double> all_c_;
    TopicTable background_;
    Buffer<double> shares_;  // of topic k in the sums, from k * kOrders on
    double sums_[kOrders] = {};
    double tops_[kOrders] = {};  // the largest that they have been
};

}  // namespace blocklda::BLOCKLDA_ISA
