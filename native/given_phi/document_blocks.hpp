// The blocks of a document when phi is known, over the topics that it uses.
#pragma once

#include <cstdint>
#include <utility>

#include "given_phi/block_cycles.hpp"
#include "given_phi/document_topics.hpp"

namespace blocklda::BLOCKLDA_ISA {

// Sums over topics of w_k f_k^(j - 1) for j = 1..size, where w_k = a_k f_k: power sums of a block.
// The running sums of w itself are kept as well, since most cycles have length 1. Sums are added
// lane by lane, as a TopicTable adds them.
class PowerSums {
  public:
    // values(i) is the pair of vectors (a, f) of the topics i, i + 1, ...
    template <class Values>
    void fill(double* prefix, std::int64_t padded, int size, Values values) {
        fill_of_size(prefix, padded, size, values,
                     std::make_integer_sequence<int, kLargestGivenPhi>());
    }

    // The running sums of w_k.
    const TopicTable& first() const { return first_; }
    double total(int j) const { return j == 1 ? first_.total() : totals_[j]; }

  private:
    template <class Values, int... kSizes>
    void fill_of_size(double* prefix, std::int64_t padded, int size, Values values,
                      std::integer_sequence<int, kSizes...>) {
        using Fill = void (PowerSums::*)(double*, std::int64_t, Values);
        static constexpr Fill kFills[] = {&PowerSums::fill_sized<kSizes + 1, Values>...};
        const Fill fill = kFills[size - 1];  // apart: the checks of GCC 12 read the index twice
        (this->*fill)(prefix, padded, values);
    }

    template <int kSize, class Values>
    void fill_sized(double* prefix, std::int64_t padded, Values values) {
        Vec sums[kSize + 1][kVecs] = {};
        for (std::int64_t i = 0; i < padded; i += kLanes) {
            for (int v = 0; v < kVecs; ++v) {
                const auto [a, f] = values(i + v * kWidth);
                Vec weight = a * f;
                sums[1][v] += weight;
                store(prefix + i + v * kWidth, sums[1][v]);
#pragma GCC unroll 16
                for (int j = 2; j <= kSize; ++j) {
                    weight = weight * f;
                    sums[j][v] += weight;
                }
            }
        }
        first_.adopt(prefix, padded);
        for (int j = 2; j <= kSize; ++j) {
            double last[kLanes];
            for (int v = 0; v < kVecs; ++v) store(last + v * kWidth, sums[j][v]);
            TopicTable table;
            table.adopt(last, kLanes);
            totals_[j] = table.total();
        }
    }

    TopicTable first_;
    double totals_[kLargestGivenPhi + 1] = {};
};

// Over the topics that the document uses: n_dk phi_kv^j is summed over those, and the sum over all
// topics of alpha_k phi_kv^j depends on the word alone and is given.
class ListedBlocks : public DocumentTopics {
  public:
    ListedBlocks(const double* alpha, std::int64_t padded)
        : DocumentTopics(alpha, padded), phi_listed_(padded + kLanes) {}

    void start(const std::int32_t* tokens, std::int64_t n) {
        clear();
        for (std::int64_t i = 0; i < n; ++i) add(tokens[i]);
    }

    // Draw one token anew; false if its weights are no numbers.
    bool update_token(const double* phi_v, const double* prior_powers, const Rng& rng,
                      std::int32_t* token) {
        remove(*token);
        if (!is_positive_number(weigh(phi_v, prior_powers[0]))) return false;
        ++steps;
        *token = DocumentTopics::draw(uniform(rng));
        add(*token);
        return true;
    }

    // Draw a block anew. prior_powers[j - 1] is the sum over topics of alpha_k phi_kv^j.
    bool update_block(const double* phi_v, const double* prior_powers, int size, const Rng& rng,
                      std::int32_t* block) {
        settle();
        for (int i = 0; i < size; ++i) n_dk_[place_[block[i]]] -= 1.0;
        const std::int32_t* topics = topics_.data();
        const double* n_dk = n_dk_.data();
        double* f = phi_listed_.data();
        sums_.fill(prefix_.data(), listed_lanes(), size, [=](std::int64_t i) {
            const Vec phi = gather(phi_v, topics + i);
            store(f + i, phi);
            return std::pair(load<Vec>(n_dk + i), phi);
        });
        for (int j = 1; j <= size; ++j) cycles_.set_power(j, sums_.total(j) + prior_powers[j - 1]);
        if (!cycles_.is_good(size)) return false;
        n_weighed_ = listed_lanes();
        std::int32_t* place = block;
        steps += cycles_.draw(
            size, rng,
            [this, phi_v](int power, double point) { return topic_at(phi_v, power, point); },
            [&place](std::int32_t k, int count) {
                for (; count > 0; --count) *place++ = k;
            });
        for (int i = 0; i < size; ++i) n_dk_[place_of(block[i])] += 1.0;
        return true;
    }

    std::int64_t steps = 0;

  private:
    std::int32_t topic_at(const double* phi_v, int power, double point) {
        const double listed = sums_.total(power);
        if (point < listed) {
            if (power == 1) return topics_[sums_.first().at(point)];
            const double* n_dk = n_dk_.data();
            const double* f = phi_listed_.data();
            table_.fill(weights_.data(), n_weighed_, [=](std::int64_t i) {
                return times_power(load<Vec>(n_dk + i), load<Vec>(f + i), power);
            });
            return topics_[table_.at(point)];
        }
        fill_prior(phi_v, power);
        return prior_table_.at(point - listed);
    }

    std::int64_t n_weighed_ = 0;
    Buffer<double> phi_listed_;
    PowerSums sums_;
    BlockCycles cycles_;
};

}  // namespace blocklda::BLOCKLDA_ISA
