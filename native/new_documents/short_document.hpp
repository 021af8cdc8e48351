// The posterior mean of theta of a short document, phi known: summed exactly, without a draw.
//
// The tokens' topics divide them into groups, one for each topic that occurs. Summed over topics,
//     p(w) proportional to  sum over partitions  prod over groups B  (|B| - 1)! P_B,
//     P_B = sum_k alpha_k prod_{i in B} phi_{k w_i}
// as in a Chinese restaurant: prod_k (1 - sum_v phi_kv x_v)^-alpha_k is the exponential of the sum
// over B of (|B| - 1)! / B! P_B x^B. B runs over the vectors of counts up to the document's, S of
// them; 2^N if no word occurs twice. P takes S K products, and the partitions, which know nothing
// of topics, at most 3^N. Nothing is subtracted.
#pragma once

#include <cstdint>
#include <cstring>

#include "shared/buffer.hpp"
#include "shared/draw.hpp"
#include "shared/simd.hpp"
#include "shared/views.hpp"

namespace blocklda::BLOCKLDA_ISA {

class ShortDocument {
  public:
    // With more tokens 1 / B! may leave the range of doubles.
    static constexpr std::int64_t kMostTokens = 32;

    // Vectors of sums that are added up together: 16 phi, as many as there are draws of a fit.
    static constexpr int kAtOnce = 16 / kWidth;

    // The number S of a document, or more than `most` if that is exceeded.
    static std::int64_t count_states(const NewDocument& document, std::int64_t most) {
        if (document.n_tokens > kMostTokens) return most + 1;
        std::int64_t n_states = 1;
        for (std::int64_t e = 0; e < document.n_entries && n_states <= most; ++e) {
            n_states *= document.counts[e] + 1;
        }
        return n_states;
    }

    ShortDocument(const NewDocument& document, const double* alpha, std::int64_t n_states,
                  const FoldInOptions& options)
        : document_(document),
          alpha_(alpha),
          padded_(document.padded),
          n_states_(n_states),
          n_phi_(options.n_phi),
          phi_size_(options.n_rows * document.padded),
          phi_lanes_(round_up_to_lanes(options.n_phi)),
          strides_(document.n_entries + 1),
          sizes_(n_states),
          shares_(n_states),
          products_(n_states * kWidth),
          lane_sums_(n_states * kLanes),
          inverses_(options.n_phi * document.n_entries),
          groups_(n_states * phi_lanes_),
          partitions_(n_states * phi_lanes_),
          within_(n_states),
          means_(document.padded) {
        count_groups();
    }

    // Writes a row of theta for each phi; false if a sum leaves the range of doubles.
    bool run(std::int64_t n_topics, double* theta) {
        for (std::int64_t r = 0; r < n_phi_; ++r) {
            if (!weigh_groups(r)) return false;
        }
        sum_partitions();
        for (std::int64_t r = 0; r < n_phi_; ++r) {
            if (!is_positive_number(partitions_[(n_states_ - 1) * phi_lanes_ + r])) return false;
            mean_theta(r, n_topics, theta + r * n_topics);
        }
        return true;
    }

  private:
    // State s stands for the counts b_e = s / stride_e mod (C_e + 1). shares_ holds
    // (|B| - 1)! / B!, which grows by (|B| - 1) / b_e with a token of the last word.
    void count_groups() {
        strides_[0] = 1;
        for (std::int64_t e = 0; e < document_.n_entries; ++e) {
            const std::int64_t stride = strides_[e];
            strides_[e + 1] = stride * (document_.counts[e] + 1);
            for (std::int64_t s = stride; s < strides_[e + 1]; ++s) {
                const double size = sizes_[s - stride];
                sizes_[s] = size + 1.0;
                shares_[s] = size == 0.0
                                 ? 1.0
                                 : shares_[s - stride] * size / static_cast<double>(s / stride);
            }
        }
    }

    const double* phi_of(std::int64_t r, std::int64_t e) const {
        return document_.phi_of(e) + r * phi_size_;
    }

    // alpha_k prod_e (phi_ke / w_e)^b_e of all states for kWidth topics. w_e = sum_k alpha_k phi_ke
    // makes every single token a group of weight 1, so that the sum over partitions is at least
    // 1 / C!: whatever falls below the range of doubles is too small to matter.
    template <class Use>
    BLOCKLDA_INLINE void for_products(std::int64_t r, std::int64_t k, const Use& use) {
        double* products = products_.data();
        store(products, load<Vec>(alpha_ + k));
        for (std::int64_t e = 0; e < document_.n_entries; ++e) {
            const Vec f = load<Vec>(phi_of(r, e) + k) * inverses_[r * document_.n_entries + e];
            const std::int64_t stride = strides_[e];
            for (std::int64_t s = stride; s < strides_[e + 1]; ++s) {
                const Vec product = load<Vec>(products + (s - stride) * kWidth) * f;
                store(products + s * kWidth, product);
                use(s, product);
            }
        }
    }

    bool weigh_groups(std::int64_t r) {
        for (std::int64_t e = 0; e < document_.n_entries; ++e) {
            Vec lanes[kVecs] = {};
            const double* phi_v = phi_of(r, e);
            for (std::int64_t k = 0; k < padded_; k += kLanes) {
                for (int v = 0; v < kVecs; ++v) {
                    const std::int64_t at = k + v * kWidth;
                    lanes[v] += load<Vec>(alpha_ + at) * load<Vec>(phi_v + at);
                }
            }
            const double total = sum_of_lanes(lanes);
            if (!is_positive_number(total)) return false;
            inverses_[r * document_.n_entries + e] = 1.0 / total;
        }
        double* sums = lane_sums_.data();
        std::memset(sums, 0, static_cast<std::size_t>(n_states_ * kLanes) * sizeof(double));
        for (std::int64_t k = 0; k < padded_; k += kWidth) {
            double* lane = sums + k % kLanes;
            for_products(r, k, [lane](std::int64_t s, Vec product) {
                store(lane + s * kLanes, load<Vec>(lane + s * kLanes) + product);
            });
        }
        for (std::int64_t s = 1; s < n_states_; ++s) {
            Vec lanes[kVecs];
            for (int v = 0; v < kVecs; ++v) lanes[v] = load<Vec>(sums + s * kLanes + v * kWidth);
            groups_[s * phi_lanes_ + r] = sum_of_lanes(lanes) * shares_[s];
        }
        return true;
    }

    // Z_J = 1 / j_e sum over B <= J of b_e G_B Z_{J - B}, e the last word of J: the groups that one
    // of its tokens may be in. All phi at once.
    void sum_partitions() {
        double* sums = partitions_.data();
        for (std::int64_t r = 0; r < phi_lanes_; ++r) sums[r] = 1.0;
        for (std::int64_t e = 0; e < document_.n_entries; ++e) {
            for (std::int64_t j = strides_[e]; j < strides_[e + 1]; ++j) sum_partitions_of(j, e);
        }
    }

    void sum_partitions_of(std::int64_t j, std::int64_t last) {
        const std::int64_t n_within = list_within(j % strides_[last], last);
        std::int64_t r = 0;
        for (; r + kAtOnce * kWidth <= phi_lanes_; r += kAtOnce * kWidth) {
            sum_groups<kAtOnce>(j, strides_[last], n_within, r);
        }
        for (; r < phi_lanes_; r += kWidth) sum_groups<1>(j, strides_[last], n_within, r);
    }

    // The sums of some phi stay in registers: in memory each would wait for the one before it.
    template <int n_vecs>
    BLOCKLDA_INLINE void sum_groups(std::int64_t j, std::int64_t stride, std::int64_t n_within,
                                    std::int64_t r) {
        const std::int64_t most = j / stride;
        Vec sums[n_vecs] = {};
        for (std::int64_t n = 1; n <= most; ++n) {
            const auto times = static_cast<double>(n);
            for (std::int64_t i = 0; i < n_within; ++i) {
                const std::int64_t group = n * stride + within_[i];
                const double* weight = groups_.data() + group * phi_lanes_ + r;
                const double* others = partitions_.data() + (j - group) * phi_lanes_ + r;
                for (int v = 0; v < n_vecs; ++v) {
                    sums[v] +=
                        (load<Vec>(weight + v * kWidth) * times) * load<Vec>(others + v * kWidth);
                }
            }
        }
        double* sum = partitions_.data() + j * phi_lanes_ + r;
        for (int v = 0; v < n_vecs; ++v) {
            store(sum + v * kWidth, sums[v] / static_cast<double>(most));
        }
    }

    // Lists the states with no more of any of the first words than `top` has, in order.
    std::int64_t list_within(std::int64_t top, std::int64_t n_entries) {
        std::int64_t n = 1;
        for (std::int64_t e = 0; e < n_entries; ++e) {
            const std::int64_t have = top / strides_[e] % (document_.counts[e] + 1);
            for (std::int64_t i = n; i < n * (have + 1); ++i) {
                within_[i] = within_[i - n] + static_cast<std::int32_t>(strides_[e]);
            }
            n *= have + 1;
        }
        return n;
    }

    // n_dk is a sum over the groups in topic k of their sizes, and B is one of them with the
    // probability |B|! / B! alpha_k prod phi_ke^b_e Z_{C - B} / Z_C.
    void mean_theta(std::int64_t r, std::int64_t n_topics, double* theta) {
        double* adds = lane_sums_.data();
        const double whole = partitions_[(n_states_ - 1) * phi_lanes_ + r];
        for (std::int64_t s = 1; s < n_states_; ++s) {
            const double rest = partitions_[(n_states_ - 1 - s) * phi_lanes_ + r];
            adds[s] = sizes_[s] * shares_[s] * rest / whole;
        }
        Vec lanes[kVecs] = {};
        for (std::int64_t k = 0; k < padded_; k += kWidth) {
            Vec a = load<Vec>(alpha_ + k);
            for_products(r, k, [&a, adds](std::int64_t s, Vec product) { a += product * adds[s]; });
            store(means_.data() + k, a);
            lanes[k / kWidth % kVecs] += a;
        }
        const double total = sum_of_lanes(lanes);
        for (std::int64_t k = 0; k < n_topics; ++k) theta[k] = means_[k] / total;
    }

    NewDocument document_;
    const double* alpha_;
    std::int64_t padded_;
    std::int64_t n_states_;
    std::int64_t n_phi_;
    std::int64_t phi_size_;
    std::int64_t phi_lanes_;
    Buffer<std::int64_t> strides_;
    Buffer<double> sizes_;
    Buffer<double> shares_;
    Buffer<double> products_;    // of one vector of topics, by state
    Buffer<double> lane_sums_;   // over topics, by state; later what a group adds to n_dk
    Buffer<double> inverses_;    // 1 / w_e, by phi
    Buffer<double> groups_;      // G_B by state and phi
    Buffer<double> partitions_;  // Z_J by state and phi
    Buffer<std::int32_t> within_;
    Buffer<double> means_;
};

}  // namespace blocklda::BLOCKLDA_ISA
