// A block of tokens drawn one after another, with a Metropolis-Hastings step for what that leaves
// out.
//
// With the block out of the counts, token j goes to topic k with the weight
//     w_k = (n_vk + r_k) g_k,
// the tokens before it in the counts, as if none came after it. The product of these weights is the
// block's conditional, and the product of w_k / W_j, W_j the sum of the weights, is what has been
// drawn from. So a draw z' replaces the block z with the probability
//     min(1, W_2(z') ... W_C(z') / (W_2(z) ... W_C(z))),
// W_1 being the same for both. The tokens' order is drawn anew before: as they are stored it may
// depend on the state. Nothing is restricted, and a block costs what its tokens cost one by one.
//
// Topics that the block leaves or enters are in slots with weights of their own; then come the
// other topics of the list, n_vk g_k, and r_k g_k of all that are not in slots, of which a bound is
// known. A token that ends above the true weights is drawn again with those. The bound also stands
// for the sum where z' is accepted or not, unless what it may be above the sum could decide.
//
// Where topics are born, topics that nobody has weigh N_1 together. A token that goes there finds
// its topic in proportion to the parts of the stick, and the part that is cut is revealed: from
// then on the topic has a slot, and both sums W count it, with no tokens before it was entered.
// What is left and what was revealed weigh N_1 together as before, so W(z) is the same. A topic
// stays revealed if z' is not accepted: to forget it would make its part depend on that.
#pragma once

#include <cstdint>
#include <limits>

#include "shared/buffer.hpp"
#include "shared/draw.hpp"
#include "sparse/background.hpp"
#include "sparse/list_weights.hpp"
#include "sparse/major_row.hpp"
#include "sparse/topic_lists.hpp"

namespace blocklda::BLOCKLDA_ISA {

template <bool kGrouped, class NewTopics = NoNewTopics>
class SequentialBlock {
  public:
    SequentialBlock(MajorRow<kGrouped>& row, TopicLists& lists, ListWeights& weights,
                    const Rng& rng, NewTopics* new_topics = nullptr)
        : row_(row),
          lists_(lists),
          weights_(weights),
          new_topics_(new_topics),
          rng_(rng),
          prefix_(row.padded()) {}

    // Update a block whose tokens are in random order. False if the weights are no numbers, or if
    // no slot was left for a new topic.
    bool update(std::int64_t minor, std::int32_t* block, int size) {
        list_ = lists_.row(minor);
        start(block, size);
        first_moved_ = size;
        for (int t = 0; t < size; ++t) {
            chosen_[t] = draw(old_slots_[t]);
            if (chosen_[t] < 0) return false;
            if (chosen_[t] != old_slots_[t] && first_moved_ == size) first_moved_ = t;
            put(chosen_[t]);
        }
        if (first_moved_ == size) return true;
        if (first_moved_ + 1 < size && !accept(size)) return true;
        apply(minor, block, size);
        return true;
    }

    std::int64_t steps = 0;

  private:
    static constexpr int kMostSlots = 2 * kLargestPart;
    static constexpr std::int32_t kNoPlace = -1;

    struct Slot {
        std::int32_t topic;
        std::int32_t at;     // its place in the list, or kNoPlace
        std::int32_t count;  // in the list, with the block as it was
        std::int32_t old;    // tokens of the block before, and now
        std::int32_t now;
    };

    double weight_of(const Slot& slot, std::int32_t n_of_block) const {
        const std::int32_t by = n_of_block - slot.old;
        return (static_cast<double>(slot.count + by) + of_list(row_.other()[slot.topic])) *
               row_.g_with(slot.topic, by);
    }

    void start(const std::int32_t* block, int size) {
        n_slots_ = 0;
        for (int t = 0; t < size; ++t) {
            int i = 0;
            while (i < n_slots_ && slots_[i].topic != block[t]) ++i;
            if (i == n_slots_) {
                const auto at = static_cast<std::int32_t>(TopicLists::position(list_, block[t]));
                slots_[n_slots_++] = {block[t], at, list_.counts[at], 0, 0};
            }
            ++slots_[i].old;
            old_slots_[t] = i;
        }
        n_old_ = n_slots_;
        in_list_ = others_ = weights_.fill(list_, row_.g());
        double sum = of_list(row_.sum());
        for (int i = 0; i < n_slots_; ++i) {
            others_ -= weights_[slots_[i].at];
            sum -= share_of_rest(slots_[i].topic);
            slot_weights_[i] = weight_of(slots_[i], 0);
        }
        are_out_ = false;
        if (others_ < kFewDigits * in_list_) sum_others();
        const double slack = of_list(row_.slack());
        rest_ = sum + slack;
        slack_ = 2.0 * slack;
    }

    // What is in proportion to the prior of the other axis, for the list in use.
    template <class T>
    T of_list(T x) const {
        if constexpr (NewTopics::kAny) return x * new_topics_->scale();
        return x;
    }

    double share_of_rest(std::int32_t k) const { return of_list(row_.other()[k]) * row_.g()[k]; }

    // What all topics outside of the slots weigh, those that nobody has included.
    double outside() const {
        const double old = others_ + rest_;
        if constexpr (NewTopics::kAny) return old + new_topics_->weight(1);
        return old;
    }

    // Take the slots' topics out of the list's weights.
    void take_out() {
        if (are_out_) return;
        for (int i = 0; i < n_slots_; ++i) {
            if (slots_[i].at != kNoPlace) weights_.set(slots_[i].at, 0.0);
        }
        are_out_ = true;
    }
    void sum_others() {
        take_out();
        others_ = weights_.sum(list_.padded());
    }

    double sum_of(const double* slot_weights) const {
        double sum = slot_weights[0];
        for (int i = 1; i < n_slots_; ++i) sum += slot_weights[i];
        return sum;
    }

    // The slot of a token's new topic, -1 if the weights are no numbers.
    int draw(int old) {
        for (;;) {
            const double total = outside() + sum_of(slot_weights_);
            if (!is_positive_number(total)) return -1;
            ++steps;
            double point = uniform(rng_) * total;
            if (point < slot_weights_[old]) return old;
            point -= slot_weights_[old];
            for (int i = 0; i < n_slots_; ++i) {
                if (i == old) continue;
                if (point < slot_weights_[i]) return i;
                point -= slot_weights_[i];
            }
            if (point < others_) {
                take_out();
                return open(list_.topics[weights_.place_at(list_.padded(), point)]);
            }
            point -= others_;
            if constexpr (NewTopics::kAny) {
                if (point < new_topics_->weight(1)) return reveal();
                point -= new_topics_->weight(1);
            }
            fill_rest();
            if (point < rest_) return open(table_.at(point));
        }
    }

    // What all topics outside of the slots weigh by their prior.
    void fill_rest() {
        double before[kMostSlots];
        for (int i = 0; i < n_slots_; ++i) before[i] = row_.set_g(slots_[i].topic, 0.0);
        const double* g = row_.g();
        const double* r = row_.other();
        table_.fill(prefix_.data(), row_.padded(), [g, r, this](std::int64_t i) {
            return of_list(load<Vec>(r + i)) * load<Vec>(g + i);
        });
        for (int i = 0; i < n_slots_; ++i) row_.set_g(slots_[i].topic, before[i]);
        rest_ = table_.total();
        slack_ = 0.0;
    }

    // A slot for a topic that the block has not been in.
    int open(std::int32_t topic) {
        const auto place = static_cast<std::int32_t>(TopicLists::position(list_, topic));
        const bool is_listed = place < list_.length && list_.topics[place] == topic;
        Slot& slot = slots_[n_slots_];
        slot = {topic, is_listed ? place : kNoPlace, is_listed ? list_.counts[place] : 0, 0, 0};
        slot_weights_[n_slots_] = weight_of(slot, 0);
        rest_ -= share_of_rest(topic);
        ++n_slots_;
        if (is_listed) {
            others_ -= weights_[place];
            if (are_out_) weights_.set(place, 0.0);
            if (others_ < kFewDigits * in_list_) sum_others();
        }
        return n_slots_ - 1;
    }

    // A slot for a topic that nobody has had, -1 if there is none left.
    int reveal() {
        const std::int32_t topic = new_topics_->born(1);
        if (topic < 0) return -1;
        row_.reveal(topic, new_topics_->beta_sum());
        Slot& slot = slots_[n_slots_];
        slot = {topic, kNoPlace, 0, 0, 0};
        slot_weights_[n_slots_] = weight_of(slot, 0);
        return n_slots_++;
    }

    void put(int i) { slot_weights_[i] = weight_of(slots_[i], ++slots_[i].now); }

    // --- the step

    // W(z') / W(z) of all tokens behind the first one that moves: up to there they are the same.
    // The smallest W on the way is told for the error.
    double ratio_of_sums(int size, double& smallest) {
        double after[kMostSlots];
        double before[kMostSlots];
        std::int32_t n_after[kMostSlots] = {};
        std::int32_t n_before[kMostSlots];
        for (int t = 0; t < first_moved_; ++t) ++n_after[chosen_[t]];
        for (int i = 0; i < n_slots_; ++i) {
            after[i] = before[i] = weight_of(slots_[i], n_after[i]);
            n_before[i] = n_after[i];
        }
        const double others = outside();
        double ratio = 1.0;
        smallest = kInfinity;
        for (int t = first_moved_; t + 1 < size; ++t) {
            const int to = chosen_[t];
            const int from = old_slots_[t];
            after[to] = weight_of(slots_[to], ++n_after[to]);
            before[from] = weight_of(slots_[from], ++n_before[from]);
            const double sum_after = others + sum_of(after);
            const double sum_before = others + sum_of(before);
            ratio *= sum_after / sum_before;
            smallest = sum_after < smallest ? sum_after : smallest;
            smallest = sum_before < smallest ? sum_before : smallest;
        }
        return ratio;
    }

    // `rest` is at most `slack` above the true sum. That changes each of the sums by no more, the
    // ratio of two by no more than 4 slack / smallest if that is small, and their product by no
    // more than the share `error` of it.
    bool accept(int size) {
        const double u = uniform(rng_);
        double smallest;
        double ratio = ratio_of_sums(size, smallest);
        const double error = (8.0 * size) * (slack_ / smallest);
        const double distance = u < ratio ? ratio - u : u - ratio;
        if (!(error < 0.5 && distance > error * ratio)) {
            fill_rest();
            ratio = ratio_of_sums(size, smallest);
        }
        return u < ratio;
    }

    void apply(std::int64_t minor, std::int32_t* block, int size) {
        for (int t = 0; t < size; ++t) block[t] = slots_[chosen_[t]].topic;
        std::int32_t emptied[kMostSlots];
        int n_emptied = 0;
        for (int i = 0; i < n_slots_; ++i) {
            const Slot& slot = slots_[i];
            const std::int32_t by = slot.now - slot.old;
            if (by == 0) continue;
            row_.change(slot.topic, by);
            if (slot.at == kNoPlace) continue;
            list_.counts[slot.at] += by;
            if (list_.counts[slot.at] == 0) emptied[n_emptied++] = slot.at;
        }
        // From the last place on, since all behind a place that is closed move up.
        for (; n_emptied > 0; --n_emptied) {
            int last = 0;
            for (int i = 1; i < n_emptied; ++i) last = emptied[i] > emptied[last] ? i : last;
            lists_.drop(minor, emptied[last]);
            emptied[last] = emptied[n_emptied - 1];
        }
        for (int i = n_old_; i < n_slots_; ++i) {
            const Slot& slot = slots_[i];
            if (slot.at == kNoPlace && slot.now > 0) lists_.add(minor, slot.topic, slot.now);
        }
    }

    static constexpr double kInfinity = std::numeric_limits<double>::infinity();

    MajorRow<kGrouped>& row_;
    TopicLists& lists_;
    ListWeights& weights_;
    NewTopics* new_topics_;
    Rng rng_;
    TopicList list_ = {};
    int n_slots_ = 0;
    int n_old_ = 0;
    Slot slots_[kMostSlots];
    double slot_weights_[kMostSlots];
    int old_slots_[kLargestPart];
    int chosen_[kLargestPart];
    int first_moved_ = 0;
    bool are_out_ = false;
    double in_list_ = 0.0;
    double others_ = 0.0;  // topics of the list outside of the slots
    double rest_ = 0.0;    // r_k g_k of all topics outside of the slots, or a bound
    double slack_ = 0.0;   // of the bound
    Buffer<double> prefix_;
    TopicTable table_;
};

}  // namespace blocklda::BLOCKLDA_ISA
