// The topics of a new document when phi is known: Gibbs sampling over its tokens from
//     p(z = k | rest) proportional to (n_dk + alpha_k) phi_kv,
// the token itself taken out of n_dk, and the mean of theta over the sweeps.
#include "document_topics.hpp"
#include "entry_points.hpp"

namespace blocklda::BLOCKLDA_ISA {

namespace {

class FoldIn {
  public:
    FoldIn(const NewDocument& document, const double* alpha, std::int64_t padded, const Rng& rng,
           std::int32_t* topics)
        : document_(document),
          alpha_(alpha),
          padded_(padded),
          rng_(rng),
          topics_(topics),
          state_(alpha, padded),
          prior_weights_(document.n_entries),
          inverses_(document.n_entries),
          listed_sums_(padded + kLanes),
          sums_(padded) {
        for (std::int64_t e = 0; e < document.n_entries; ++e) {
            prior_weights_[e] = state_.prior_weight(document.phi_of(e));
        }
    }

    // Go on from topics that the tokens have.
    void resume() {
        for (std::int64_t i = 0; i < document_.n_tokens; ++i) state_.add(topics_[i]);
    }

    // Every token given those before it: where the chain begins.
    bool start() {
        std::int64_t token = 0;
        for (std::int64_t e = 0; e < document_.n_entries; ++e) {
            for (std::int32_t i = 0; i < document_.counts[e]; ++i, ++token) {
                if (!is_positive_number(state_.weigh(document_.phi_of(e), prior_weights_[e]))) {
                    failed_entry = e;
                    return false;
                }
                state_.add(topics_[token] = state_.draw(uniform(rng_)));
            }
        }
        return true;
    }

    // One sweep over the tokens, in the order in which they are stored: each has its own topic and
    // keeps its place, so the state does not choose who moves first.
    template <bool is_kept>
    bool sweep() {
        state_.drop_empty();
        std::int64_t token = 0;
        for (std::int64_t e = 0; e < document_.n_entries; ++e) {
            const double* phi_v = document_.phi_of(e);
            for (std::int32_t i = 0; i < document_.counts[e]; ++i, ++token) {
                state_.remove(topics_[token]);
                const double total = state_.weigh(phi_v, prior_weights_[e]);
                if (!is_positive_number(total)) {
                    failed_entry = e;
                    return false;
                }
                if constexpr (is_kept) {
                    const double inverse = 1.0 / total;
                    inverses_[e] += inverse;
                    state_.add_weights(inverse, listed_sums_.data());
                }
                state_.add(topics_[token] = state_.draw(uniform(rng_)));
            }
        }
        if constexpr (is_kept) collect();
        return true;
    }

    // theta_k = (mean over kept sweeps of sum_i p(z_i = k | rest) + alpha_k) / (the same over all
    // k). The mean of the probabilities, not of the topics drawn with them, has the same
    // expectation and less noise (Rao and Blackwell).
    void theta(std::int64_t n_kept, std::int64_t n_topics, double* theta) {
        for (std::int64_t e = 0; e < document_.n_entries; ++e) {
            const double* phi_v = document_.phi_of(e);
            const double inverse = inverses_[e];
            for (std::int64_t k = 0; k < padded_; k += kWidth) {
                const Vec prior = load<Vec>(alpha_ + k) * load<Vec>(phi_v + k);
                store(sums_.data() + k, load<Vec>(sums_.data() + k) + prior * inverse);
            }
        }
        const auto n = static_cast<double>(n_kept);
        Vec lanes[kVecs] = {};
        for (std::int64_t k = 0; k < padded_; k += kLanes) {
            for (int v = 0; v < kVecs; ++v) {
                double* sum = sums_.data() + k + v * kWidth;
                const Vec a = load<Vec>(sum) / n + load<Vec>(alpha_ + k + v * kWidth);
                store(sum, a);
                lanes[v] += a;
            }
        }
        const double total = sum_of_lanes(lanes);
        for (std::int64_t k = 0; k < n_topics; ++k) theta[k] = sums_[k] / total;
    }

    std::int64_t failed_entry = -1;

  private:
    // The list changes between sweeps; the sums of its topics go to their places before.
    void collect() {
        for (std::int64_t i = 0; i < state_.n_listed(); ++i) {
            sums_[state_.topic(i)] += listed_sums_[i];
            listed_sums_[i] = 0.0;
        }
    }

    NewDocument document_;
    const double* alpha_;
    std::int64_t padded_;
    Rng rng_;
    std::int32_t* topics_;
    DocumentTopics state_;
    Buffer<double> prior_weights_;
    Buffer<double> inverses_;  // of the totals of an entry's tokens, over the kept sweeps
    Buffer<double> listed_sums_;
    Buffer<double> sums_;
};

}  // namespace

Outcome fold_in(const NewDocument& document, const double* alpha, std::int64_t n_topics,
                const FoldInOptions& options, const Rng& rng, std::int32_t* topics, double* theta) {
    Outcome outcome;
    FoldIn chain(document, alpha, document.padded, rng, topics);
    bool is_good = true;
    if (options.has_topics) {
        chain.resume();
    } else {
        is_good = chain.start();
    }
    for (std::int64_t i = 0; is_good && i < options.burn_in; ++i) {
        is_good = chain.sweep<false>();
    }
    for (std::int64_t i = options.burn_in; is_good && i < options.n_sweeps; ++i) {
        is_good = chain.sweep<true>();
    }
    outcome.failed_entry = chain.failed_entry;
    if (is_good) chain.theta(options.n_sweeps - options.burn_in, n_topics, theta);
    outcome.steps = document.n_tokens * (options.n_sweeps + (options.has_topics ? 0 : 1));
    return outcome;
}

}  // namespace blocklda::BLOCKLDA_ISA
