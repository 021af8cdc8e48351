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
// known. A token that ends above the true weights is drawn again with those. The sums that
// the tokens were drawn with, of that bound, also tell whether z' is accepted, unless what they may
// be away from the true sums could decide: then those are computed.
//
// Where topics are born, topics that nobody has weigh N_1 together. A token that goes there finds
// its topic in proportion to the parts of the stick, and the part that is cut is revealed: from
// then on the topic has a slot, and both sums W count it, with no tokens before it was entered.
// What is left and what was revealed weigh N_1 together as before, so W(z) is the same. A topic
// stays revealed if z' is not accepted: to forget it would make its part depend on that.
#pragma once

#include <cstdint>

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
        for (int t = 0;;) {
            const int old = old_slots_[t];
            const double total = outside() + sum_of(slot_weights_);
            if (!is_positive_number(total)) return false;
            ++steps;
            totals_[t] = total;
            const double point = uniform(rng_) * total;
            int slot = old;
            if (point >= slot_weights_[old]) {
                slot = leave(old, point - slot_weights_[old], totals_[t]);
                if (slot < 0) return false;
                if (slot != old && first_moved_ == size) {
                    first_moved_ = t;
                    for (int i = 0; i < n_old_; ++i) before_[i] = slot_weights_[i];
                }
            }
            chosen_[t] = slot;
            const std::int32_t now = ++slots_[slot].now;
            if (++t == size) break;
            slot_weights_[slot] = weight_of(slots_[slot], now);
        }
        if (first_moved_ == size) return true;
        if (first_moved_ + 1 < size && !accept(size)) return true;
        apply(minor, block, size);
        return true;
    }

    std::int64_t steps = 0;

  private:
    static constexpr int kMostSlots = 2 * kLargestPart;
    static constexpr int kSummed = 3;
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
        in_list_ = others_ = weights_.fill(list_, row_.g());
        double sum = of_list(row_.sum());
        n_slots_ = 0;
        for (int t = 0; t < size; ++t) {
            const std::int32_t topic = block[t];
            int i = 0;
            while (i < n_slots_ && slots_[i].topic != topic) ++i;
            if (i == n_slots_) {
                const auto at = static_cast<std::int32_t>(TopicLists::position(list_, topic));
                slots_[n_slots_++] = {topic, at, list_.counts[at], 0, 0};
                others_ -= weights_[at];
                sum -= share_of_rest(topic);
            }
            ++slots_[i].old;
            old_slots_[t] = i;
        }
        n_old_ = n_slots_;
        for (int i = 0; i < kSummed; ++i) slot_weights_[i] = 0.0;
        for (int i = 0; i < n_slots_; ++i) slot_weights_[i] = weight_of(slots_[i], 0);
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

    // The first few are added without a look at how many there are: slots without a topic weigh 0.
    double sum_of(const double* slot_weights) const {
        double sum = slot_weights[0];
        for (int i = 1; i < kSummed; ++i) sum += slot_weights[i];
        for (int i = kSummed; i < n_slots_; ++i) sum += slot_weights[i];
        return sum;
    }

    // The slot of a token's new topic, at a point among what all but its old topic weigh; -1 if
    // the weights are no numbers.
    [[gnu::noinline]] int leave(int old, double point, double& total) {
        for (;;) {
            for (int i = 0; i < n_slots_; ++i) {
                if (i == old) continue;
                if (point < slot_weights_[i]) return i;
                point -= slot_weights_[i];
            }
            if (point < others_) {
                take_out();
                const std::int64_t place = weights_.place_at(list_.padded(), point);
                return open(list_.topics[place], place);
            }
            point -= others_;
            if constexpr (NewTopics::kAny) {
                if (point < new_topics_->weight(1)) return reveal();
                point -= new_topics_->weight(1);
            }
            fill_rest();
            if (point < rest_) {
                const std::int32_t topic = table_.at(point);
                return open(topic, TopicLists::position(list_, topic));
            }
            total = outside() + sum_of(slot_weights_);
            if (!is_positive_number(total)) return -1;
            ++steps;
            point = uniform(rng_) * total;
            if (point < slot_weights_[old]) return old;
            point -= slot_weights_[old];
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
    }

    // A slot for a topic that the block has not been in, whose place in the list it is if the list
    // has it.
    int open(std::int32_t topic, std::int64_t place) {
        const bool is_listed = place < list_.length && list_.topics[place] == topic;
        Slot& slot = slots_[n_slots_];
        slot = {topic, kNoPlace, 0, 0, 0};
        if (is_listed) slot = {topic, static_cast<std::int32_t>(place), list_.counts[place], 0, 0};
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

    // --- the step

    // W_2(z') ... W_C(z') / (W_2(z) ... W_C(z)); up to the first token that moves, they are the
    // same.
    double ratio_of_sums(int size) const {
        double after[kMostSlots] = {};
        double before[kMostSlots] = {};
        std::int32_t n_after[kMostSlots] = {};
        std::int32_t n_before[kMostSlots];
        for (int t = 0; t < first_moved_; ++t) ++n_after[chosen_[t]];
        for (int i = 0; i < n_slots_; ++i) {
            after[i] = before[i] = weight_of(slots_[i], n_after[i]);
            n_before[i] = n_after[i];
        }
        const double others = outside();
        double ratio = 1.0;
        for (int t = first_moved_; t + 1 < size; ++t) {
            const int to = chosen_[t];
            const int from = old_slots_[t];
            after[to] = weight_of(slots_[to], ++n_after[to]);
            before[from] = weight_of(slots_[from], ++n_before[from]);
            ratio *= (others + sum_of(after)) / (others + sum_of(before));
        }
        return ratio;
    }

    // About the same, from the sums that the tokens were drawn with: W(z') is there, and W(z) goes
    // on from the first token that moves. `error` is the most that the ratio may be away from the
    // true one, as a share of it; from 1/4 on it says nothing.
    //
    // The bound of the rest is at most `slack_` above the true sum, and rounding takes much less
    // than 1e-11 of the largest number that the sums are made of. Together they change each sum by
    // `apart` at most, the ratio of two by no more than 4 apart / smallest if that is small, and
    // the product of all by no more than the share `error` of it.
    double nearly_ratio_of_sums(int size, double& error) const {
        double sum = totals_[first_moved_];
        double smallest = sum;
        double largest = sum > in_list_ ? sum : in_list_;
        double ratio = 1.0;
        std::int32_t n[kLargestPart] = {};
        double weights[kLargestPart];
        for (int t = 0; t < first_moved_; ++t) ++n[chosen_[t]];
        for (int i = 0; i < n_old_; ++i) weights[i] = before_[i];
        for (int t = first_moved_; t + 1 < size; ++t) {
            const int from = old_slots_[t];
            const double weight = weight_of(slots_[from], ++n[from]);
            sum += weight - weights[from];
            weights[from] = weight;
            const double after = totals_[t + 1];
            ratio *= after / sum;
            smallest = sum < smallest ? sum : smallest;
            smallest = after < smallest ? after : smallest;
            largest = sum > largest ? sum : largest;
            largest = after > largest ? after : largest;
        }
        const double apart = slack_ + 1e-11 * largest;
        error = (8.0 * size) * (apart / smallest);
        return ratio;
    }

    bool accept(int size) {
        const double u = uniform(rng_);
        double error;
        const double ratio = nearly_ratio_of_sums(size, error);
        const double distance = u < ratio ? ratio - u : u - ratio;
        if (error >= 0.0 && error < 0.25 && distance > error * ratio) return u < ratio;
        fill_rest();
        return u < ratio_of_sums(size);
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
    double totals_[kLargestPart];  // of all weights when a token was drawn
    double before_[kLargestPart];  // the slots' weights when the first token moved
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
