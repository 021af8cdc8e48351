// Sweeps whose cost per token does not grow with the number of topics.
//
// One axis of the corpus is visited row by row with dense counts (MajorRow), the other is kept as
// short lists of topics (TopicLists). With documents as rows the weight of a topic for one token is
//     (n_dk + alpha_k) (n_vk + beta) / c_k  =  n_vk g_k + beta g_k,     g_k = (n_dk + alpha_k) /
//     c_k:
// the first part is a sum over the word's list, the second a running sum over all topics. With
// words as rows the two axes and their priors change places; nothing else does.
//
// kGrouped: a sweep of one group of words, with the mass mu_k of each topic in it, weighs by
//     (n_dk + alpha_k) mu_k (n_vk + beta) / c_k,     c_k over the words of the group alone.
// With masses of 1 and all words in one group it is the same to the bit, and a little slower.
#pragma once

#include <cstdint>
#include <utility>

#include "shared/buffer.hpp"
#include "shared/draw.hpp"
#include "shared/simd.hpp"
#include "shared/views.hpp"
#include "sparse/background.hpp"
#include "sparse/list_block.hpp"
#include "sparse/list_weights.hpp"
#include "sparse/major_row.hpp"
#include "sparse/sequential_block.hpp"
#include "sparse/sparse_tables.hpp"
#include "sparse/topic_lists.hpp"

namespace blocklda::BLOCKLDA_ISA {

// The entries of a row, or some neighbouring ones of them, in the order in which they are visited:
// the largest blocks first, those of one size as in the corpus, or all as in the corpus. Blocks
// above `largest` are cut into parts of that size.
class Visits {
  public:
    struct Visit {
        std::int32_t minor;
        std::int32_t count;
        std::int64_t start;
        std::int64_t entry;
    };

    explicit Visits(std::int64_t largest)
        : largest_(largest), in_order_(largest == 1), ends_(largest + 1) {}

    void keep_order() { in_order_ = true; }

    // `first_token` is the first token of the first entry, unless the corpus tells them.
    void fill(const MajorView& corpus, std::int64_t begin, std::int64_t end,
              std::int64_t first_token) {
        n_ = end - begin;
        visits_.reserve(n_);
        if (in_order_) return fill_in_order(corpus, begin, first_token);
        for (std::int64_t size = 0; size <= largest_; ++size) ends_[size] = 0;
        for (std::int64_t i = begin; i < end; ++i) ++ends_[part(corpus.counts[i])];
        std::int64_t place = 0;
        for (std::int64_t size = largest_; size >= 1; --size) {
            const std::int64_t n = ends_[size];
            ends_[size] = place;
            place += n;
        }
        n_tokens = 0;
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int32_t count = corpus.counts[i];
            const std::int64_t start =
                corpus.starts == nullptr ? first_token + n_tokens : corpus.starts[i];
            visits_[ends_[part(count)]++] = {corpus.minor_ids[i], count, start, i};
            n_tokens += count;
        }
    }

    std::int64_t size() const { return n_; }
    const Visit& operator[](std::int64_t i) const { return visits_[i]; }

    std::int64_t n_tokens = 0;

  private:
    void fill_in_order(const MajorView& corpus, std::int64_t begin, std::int64_t first_token) {
        n_tokens = 0;
        for (std::int64_t i = 0; i < n_; ++i) {
            const std::int32_t count = corpus.counts[begin + i];
            const std::int64_t start =
                corpus.starts == nullptr ? first_token + n_tokens : corpus.starts[begin + i];
            visits_[i] = {corpus.minor_ids[begin + i], count, start, begin + i};
            n_tokens += count;
        }
    }

    std::int64_t part(std::int64_t count) const { return count < largest_ ? count : largest_; }

    std::int64_t largest_;
    bool in_order_;
    std::int64_t n_ = 0;
    Buffer<std::int64_t> ends_;
    Buffer<Visit> visits_;
};

// NewTopics: topics that nobody has yet, one of which a block or a token may enter, and which then
// takes a slot among the others.
template <bool kGrouped, class NewTopics = NoNewTopics>
class SparseSweep {
  public:
    // Blocks of more than `largest` tokens are cut into random parts; 1 goes token by token.
    SparseSweep(const MajorView& corpus, const AxisPriors& priors, const Rng& rng,
                std::int32_t* topics, int largest, TopicLists& lists, std::int32_t* totals,
                NewTopics* new_topics = nullptr)
        : corpus_(corpus),
          largest_(largest),
          rng_(rng),
          topics_(topics),
          new_topics_(new_topics),
          row_(priors, totals, largest > 1),
          background_(row_, new_topics),
          lists_(lists),
          block_(row_, background_, equal_numbers(priors.other, priors.n_topics),
                 lists_.all_listed(), largest, rng),
          visits_(largest),
          weights_(priors.padded),
          sequential_(row_, lists_, weights_, rng, new_topics),
          row_prefix_(priors.padded) {}

    // Draw the blocks of lists with `from` other tokens or more token after token, in parts of at
    // most `largest`.
    void draw_sequentially(std::int64_t largest, std::int64_t from) {
        sequential_block_ = static_cast<int>(largest < kLargestPart ? largest : kLargestPart);
        sequential_from_ = from;
        if (sequential_block_ > 1) visits_.keep_order();
    }

    // One sweep. A block of several tokens goes token by token with the probability `one_by_one`.
    // False at the first one whose weights are no numbers, with its entry in `failed_entry`. The
    // cells of the rows, which a sweep leaves as it passes them, are noted in `cells` if given, but
    // for some rows.
    bool run(double one_by_one, CellHistogram* cells = nullptr, const EveryNth& but = {0, 0}) {
        std::int64_t first_token = 0;
        for (std::int64_t row = 0; row < corpus_.n_rows; ++row) {
            visits_.fill(corpus_, corpus_.offsets[row], corpus_.offsets[row + 1], first_token);
            if (visits_.size() == 0) continue;
            start_row(row, first_token, visits_.n_tokens);
            if (!visit_all(one_by_one)) return false;
            if (cells != nullptr && !but.has(row)) note_cells(first_token, *cells);
            first_token += visits_.n_tokens;
        }
        return true;
    }

    // The same for the entries of one cell. Rows are weighed with all their tokens.
    bool run_cell(const CellView& cell, double one_by_one) {
        for (std::int64_t row = cell.first_row; row < cell.end_row; ++row) {
            const std::int64_t begin = entry_from(row, cell.first_minor);
            const std::int64_t end = entry_from(row, cell.end_minor);
            if (begin == end) continue;
            std::int64_t row_token = 0;
            std::int64_t first_token = 0;
            std::int64_t n_tokens = 0;
            if (corpus_.starts == nullptr) {
                first_token = row_token = cell.row_tokens[row];
                n_tokens = cell.row_tokens[row + 1] - row_token;
                for (std::int64_t e = corpus_.offsets[row]; e < begin; ++e) {
                    first_token += corpus_.counts[e];
                }
            }
            visits_.fill(corpus_, begin, end, first_token);
            start_row(row, row_token, n_tokens);
            if (!visit_all(one_by_one)) return false;
        }
        return true;
    }

    std::int64_t steps() const { return steps_ + block_.steps + sequential_.steps; }
    std::int64_t failed_entry = -1;

  private:
    static bool equal_numbers(const double* numbers, std::int64_t n) {
        bool equal = true;
        for (std::int64_t i = 1; i < n; ++i) equal &= numbers[i] == numbers[0];
        return equal;
    }

    // Unless the corpus tells where tokens lie, those of the row are `n_tokens` from `first_token`.
    void start_row(std::int64_t row, std::int64_t first_token, std::int64_t n_tokens) {
        row_.clear_row();
        if (corpus_.starts == nullptr) {
            row_.count(topics_ + first_token, n_tokens);
        } else {
            for (std::int64_t e = corpus_.offsets[row]; e < corpus_.offsets[row + 1]; ++e) {
                row_.count(topics_ + corpus_.starts[e], corpus_.counts[e]);
            }
        }
        row_.start(row);
    }

    bool visit_all(double one_by_one) {
        for (std::int64_t i = 0; i < visits_.size(); ++i) {
            const Visits::Visit visit = movable(visits_[i]);
            if (i + 1 < visits_.size()) lists_.prefetch(visits_[i + 1].minor);
            if (!update(visit, one_by_one)) {
                failed_entry = visit.entry;
                return false;
            }
        }
        return true;
    }

    void note_cells(std::int64_t first_token, CellHistogram& cells) {
        if (corpus_.starts == nullptr && visits_.n_tokens < row_.padded()) {
            row_.take_cells(topics_ + first_token, visits_.n_tokens, cells);
        } else {
            row_.note_cells(cells);
        }
    }

    // An entry with the tokens that may move, which come first then. Where topics are born in
    // several cells at once, a cell gives no mass to topics of the others, and their tokens stay.
    Visits::Visit movable(Visits::Visit visit) {
        if constexpr (kGrouped && NewTopics::kAny) {
            std::int32_t* block = topics_ + visit.start;
            std::int32_t n = 0;
            for (std::int32_t t = 0; t < visit.count; ++t) {
                if (row_.masses()[block[t]] > 0.0) std::swap(block[n++], block[t]);
            }
            visit.count = n;
        }
        return visit;
    }

    // The first entry of a row, in which the numbers of the other axis ascend, from `minor` on.
    std::int64_t entry_from(std::int64_t row, std::int64_t minor) const {
        std::int64_t first = corpus_.offsets[row];
        std::int64_t end = corpus_.offsets[row + 1];
        while (first < end) {
            const std::int64_t middle = first + (end - first) / 2;
            if (corpus_.minor_ids[middle] < minor) {
                first = middle + 1;
            } else {
                end = middle;
            }
        }
        return first;
    }

    int part_of(std::int32_t count) const {
        return count < largest_ ? static_cast<int>(count) : largest_;
    }

    bool update(const Visits::Visit& visit, double one_by_one) {
        std::int32_t* block = topics_ + visit.start;
        if constexpr (NewTopics::kAny) new_topics_->use_word(visit.minor, part_of(visit.count));
        if (is_sequential(visit)) return update_sequentially(visit.minor, block, visit.count);
        const int part = part_of(visit.count);
        if (part == 1) return update_each(visit.minor, block, visit.count);
        if (visit.count > part) shuffle_tokens(block, visit.count, rng_);
        // In 64 bits: behind the last part of the largest block lies no number of 32.
        for (std::int64_t first = 0; first < visit.count; first += part) {
            const std::int64_t left = visit.count - first;
            const int size = left < part ? static_cast<int>(left) : part;
            if (!update_part(visit.minor, block + first, size, one_by_one)) return false;
        }
        return true;
    }

    // By nothing that a sweep changes. Where a list has few tokens but the block's, where these
    // went matters much for the next: what is drawn one after another would often not be accepted.
    bool is_sequential(const Visits::Visit& visit) {
        return sequential_block_ > 1 && visit.count > 1 &&
               lists_.has_tokens(visit.minor, visit.count + sequential_from_);
    }

    bool update_sequentially(std::int64_t minor, std::int32_t* block, std::int64_t n) {
        shuffle_tokens(block, n, rng_);
        for (std::int64_t first = 0; first < n; first += sequential_block_) {
            const std::int64_t left = n - first;
            const auto size = left < sequential_block_ ? static_cast<int>(left) : sequential_block_;
            const bool is_right = size == 1 ? update_tokens(minor, block + first, 1)
                                            : sequential_.update(minor, block + first, size);
            if (!is_right) return false;
        }
        return true;
    }

    bool update_each(std::int64_t minor, std::int32_t* block, std::int64_t n) {
        if (n > 1) shuffle_tokens(block, n, rng_);
        return update_tokens(minor, block, n);
    }

    // A uniform decides before the state is looked at whether the tokens go one by one; what is
    // left of it draws the block.
    bool update_part(std::int64_t minor, std::int32_t* block, int size, double one_by_one) {
        if (size == 1) return update_tokens(minor, block, 1);
        const double u = uniform(rng_);
        if (u < one_by_one) return update_each(minor, block, size);
        return update_block(minor, block, size, (u - one_by_one) / (1.0 - one_by_one));
    }

    // Draw a block from its conditional, restricted to at most one topic of the background: the
    // topics that this row of the other axis has no other token of. A block that is spread over
    // more of them stays as it is until its tokens go one by one.
    bool update_block(std::int64_t minor, std::int32_t* block, int size, double u) {
        collect(block, size);
        TopicList list = lists_.row(minor);
        int n_emptied = 0;
        std::int32_t emptied = -1;
        for (int i = 0; i < n_old_; ++i) {
            old_at_[i] = static_cast<std::int32_t>(TopicLists::position(list, old_[i]));
            if ((list.counts[old_at_[i]] -= old_count_[i]) == 0 && !lists_.all_listed()) {
                emptied = old_[i];
                ++n_emptied;
            }
        }
        if (n_emptied > 1) {
            for (int i = 0; i < n_old_; ++i) list.counts[old_at_[i]] += old_count_[i];
            return true;
        }
        for (int i = 0; i < n_old_; ++i) row_.lift(old_[i], old_count_[i]);
        if (lists_.all_listed()) {
            background_.leave_out(size);
        } else {
            background_.start_block(size, emptied);
        }
        if (!block_.draw(list, size, u, placement_)) return false;
        for (int i = 0; i < n_old_; ++i) row_.lift(old_[i], -old_count_[i]);
        if (is_unchanged()) {
            for (int i = 0; i < n_old_; ++i) list.counts[old_at_[i]] += old_count_[i];
            return true;
        }
        for (int i = 0; i < n_old_; ++i) row_.change(old_[i], -old_count_[i]);
        for (int i = 0; i < placement_.n; ++i) {
            const std::int32_t topic = list.topics[placement_.at[i]];
            list.counts[placement_.at[i]] += placement_.count[i];
            row_.change(topic, placement_.count[i]);
            for (std::int32_t t = 0; t < placement_.count[i]; ++t) *block++ = topic;
        }
        for (int i = 0; i < n_old_; ++i) {
            if (list.counts[old_at_[i]] == 0) {
                lists_.drop(minor, old_at_[i]);  // at most one
                break;
            }
        }
        if (placement_.background_topic != Placement::kNone) {
            std::int32_t topic = placement_.background_topic;
            if constexpr (NewTopics::kAny) {
                if (topic == background_.kNew) topic = born(placement_.background_count);
                if (topic < 0) return false;
            }
            lists_.add(minor, topic, placement_.background_count);
            row_.change(topic, placement_.background_count);
            for (std::int32_t t = 0; t < placement_.background_count; ++t) *block++ = topic;
        }
        return true;
    }

    // The slot of a new topic with some tokens, -1 if there is none left.
    std::int32_t born(int count) {
        const std::int32_t slot = new_topics_->born(count);
        if (slot >= 0) row_.reveal(slot, new_topics_->beta_sum());
        return slot;
    }

    // The topics of a block and how many tokens each has.
    void collect(const std::int32_t* block, int size) {
        n_old_ = 0;
        for (int t = 0; t < size; ++t) {
            int i = 0;
            while (i < n_old_ && old_[i] != block[t]) ++i;
            if (i == n_old_) {
                old_[n_old_] = block[t];
                old_count_[n_old_++] = 0;
            }
            ++old_count_[i];
        }
    }

    bool is_unchanged() const {
        const bool enters = placement_.background_topic != Placement::kNone;
        if (placement_.n + static_cast<int>(enters) != n_old_) return false;
        int same = 0;
        for (int i = 0; i < n_old_; ++i) {
            for (int j = 0; j < placement_.n; ++j) {
                same += placement_.at[j] == old_at_[i] && placement_.count[j] == old_count_[i];
            }
            same += enters && placement_.background_topic == old_[i] &&
                    placement_.background_count == old_count_[i];
        }
        return same == n_old_;
    }

    // Tokens of one entry, one by one. The weight of a token's old topic comes first, so that a
    // token that stays, as most do, is known to stay before anything is searched; then the other
    // topics of the list, then the background. The list's weights last until a token moves.
    bool update_tokens(std::int64_t minor, std::int32_t* tokens, std::int64_t n) {
        const double* g = row_.g();
        const double* r = row_.other();
        TopicList list = lists_.row(minor);
        double in_list = weights_.fill(list, g);
        for (std::int64_t t = 0; t < n; ++t) {
            const std::int32_t old = tokens[t];
            const std::int64_t old_at = TopicLists::position(list, old);
            const double others = weights_.sum_without(list, in_list, old_at);
            const double g_without = row_.g_with(old, -1);
            const double stays =
                (static_cast<double>(list.counts[old_at] - 1) + background_.of_list(r[old])) *
                g_without;
            double total = (stays + others) + background_.of_list(row_.bound_without(old));
            if constexpr (NewTopics::kAny) total += new_topics_->weight(1);
            std::int32_t topic = old;
            std::int64_t at = -1;
            for (;;) {
                if (!is_positive_number(total)) return false;
                ++steps_;
                double point = uniform(rng_) * total;
                if (point < stays) break;
                point -= stays;
                if (point < others) {
                    weights_.set(old_at, 0.0);
                    at = weights_.place_at(list.padded(), point);
                    topic = list.topics[at];
                    break;
                }
                point -= others;
                if constexpr (NewTopics::kAny) {
                    if (point < new_topics_->weight(1)) {
                        topic = born(1);
                        if (topic < 0) return false;
                        break;
                    }
                    point -= new_topics_->weight(1);
                }
                // The background without the old topic, which has been dealt with. A bound was
                // drawn from: a point above the true weights is drawn again, from those.
                const double g_old = row_.set_g(old, 0.0);
                row_table_.fill(row_prefix_.data(), row_.padded(), [g, r, this](std::int64_t i) {
                    return background_.of_list(load<Vec>(r + i)) * load<Vec>(g + i);
                });
                row_.set_g(old, g_old);
                if (point < row_table_.total()) {
                    topic = row_table_.at(point);
                    break;
                }
                total = (stays + others) + row_table_.total();
                if constexpr (NewTopics::kAny) total += new_topics_->weight(1);
            }
            if (topic == old) continue;
            tokens[t] = topic;
            row_.change(old, -1, g_without);
            row_.change(topic, +1);
            --list.counts[old_at];
            if (at >= 0 && list.counts[old_at] > 0) {
                ++list.counts[at];
                if (t + 1 == n) return true;
                weights_.set(old_at, static_cast<double>(list.counts[old_at]) * g[old]);
                weights_.set(at, static_cast<double>(list.counts[at]) * g[topic]);
                in_list = weights_.sum(list.padded());
            } else {
                if (list.counts[old_at] == 0) lists_.drop(minor, old_at);
                lists_.add(minor, topic, 1);
                if (t + 1 == n) return true;
                list = lists_.row(minor);
                in_list = weights_.fill(list, g);
            }
        }
        return true;
    }

    MajorView corpus_;
    int largest_;
    int sequential_block_ = 1;
    std::int64_t sequential_from_ = 0;
    Rng rng_;
    std::int32_t* topics_;
    NewTopics* new_topics_;
    MajorRow<kGrouped> row_;
    Background<kGrouped, NewTopics> background_;
    TopicLists& lists_;
    ListBlock<kGrouped, NewTopics> block_;
    Placement placement_;
    int n_old_ = 0;
    std::int32_t old_[kLargestPart];
    std::int32_t old_count_[kLargestPart];
    std::int32_t old_at_[kLargestPart];
    std::int64_t steps_ = 0;
    Visits visits_;
    ListWeights weights_;
    SequentialBlock<kGrouped, NewTopics> sequential_;
    Buffer<double> row_prefix_;
    TopicTable row_table_;
};

}  // namespace blocklda::BLOCKLDA_ISA
