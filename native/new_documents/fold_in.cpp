// The topics of a new document when phi is known: Gibbs sampling over its tokens from
//     p(z = k | rest) proportional to (n_dk + alpha_k) phi_kv,
// the token itself taken out of n_dk, and the mean of theta over the sweeps.
#include <cstring>

#include "builds/entry_points.hpp"
#include "given_phi/document_topics.hpp"
#include "new_documents/short_document.hpp"

namespace blocklda::BLOCKLDA_ISA {

namespace {

// Independent chains that are moved on together, token by token: while one waits for its sums the
// other has work to do.
constexpr int kChains = 2;

// Passes of expectation maximisation before the first draw. They cost less than as many sweeps;
// short documents need fewer of them than long ones.
constexpr int kStartPasses = 8;

class Folding {
  public:
    Folding(const NewDocument& document, const double* alpha, const Rng& rng)
        : document_(document),
          alpha_(alpha),
          padded_(document.padded),
          rng_(rng),
          chains_{{alpha, document}, {alpha, document}},
          prior_weights_(document.n_entries),
          inverses_(document.n_entries),
          sums_(document.padded),
          start_(document.padded),
          prefix_(document.padded) {}

    // Use another phi; the chains go on from where they are. The tables are larger than the cache,
    // so the rows of the `next` one are fetched during the last sweep of this one.
    void set_phi(const double* phi, const double* next) {
        next_phi_ = next;
        document_.phi = phi;
        for (std::int64_t e = 0; e < document_.n_entries; ++e) {
            prior_weights_[e] = chains_[0].state.prior_weight(document_.phi_of(e));
        }
        std::memset(inverses_.data(), 0,
                    static_cast<std::size_t>(document_.n_entries) * sizeof(double));
        std::memset(sums_.data(), 0, static_cast<std::size_t>(padded_) * sizeof(double));
    }

    // Where the chains begin: every token is drawn from a_k phi_kv, where a is what expectation
    // maximisation finds for n_dk + alpha_k, a_k = alpha_k + sum_v C_v a_k phi_kv / (a . phi_v).
    // What the chains tend to does not depend on it.
    bool start() {
        for (std::int64_t k = 0; k < padded_; ++k) start_[k] = 1.0;
        for (int pass = 0; pass < kStartPasses; ++pass) {
            std::memset(sums_.data(), 0, static_cast<std::size_t>(padded_) * sizeof(double));
            for (std::int64_t e = 0; e < document_.n_entries; ++e) {
                const double total = weight_at_start(e);
                if (!is_positive_number(total)) return fail(e);
                const double times = document_.counts[e] / total;
                const double* phi_v = document_.phi_of(e);
                for (std::int64_t k = 0; k < padded_; k += kWidth) {
                    store(sums_.data() + k,
                          load<Vec>(sums_.data() + k) + load<Vec>(phi_v + k) * times);
                }
            }
            for (std::int64_t k = 0; k < padded_; k += kWidth) {
                store(start_.data() + k, load<Vec>(alpha_ + k) + load<Vec>(start_.data() + k) *
                                                                     load<Vec>(sums_.data() + k));
            }
        }
        std::memset(sums_.data(), 0, static_cast<std::size_t>(padded_) * sizeof(double));
        return draw_at_start();
    }

    // One sweep over the tokens, in the order in which they are stored: each has its own topic and
    // keeps its place, so the state does not choose who moves first.
    template <bool is_kept>
    bool sweep(bool is_last = false) {
        for (Chain& chain : chains_) chain.state.drop_empty();
        std::int64_t token = 0;
        for (std::int64_t e = 0; e < document_.n_entries; ++e) {
            const double* phi_v = document_.phi_of(e);
            const double prior_weight = prior_weights_[e];
            if (is_last && next_phi_ != nullptr) {
                const double* next = next_phi_ + document_.words[e] * padded_;
                for (std::int64_t k = 0; k < padded_; k += kLanes) __builtin_prefetch(next + k);
            }
            for (std::int32_t i = 0; i < document_.counts[e]; ++i, ++token) {
                double u[kChains];
                double total[kChains];
                for (double& each : u) each = uniform(rng_);
                for (int c = 0; c < kChains; ++c) {
                    DocumentTopics& state = chains_[c].state;
                    state.remove(chains_[c].topics[token]);
                    total[c] = state.weigh(phi_v, prior_weight);
                    if (!is_positive_number(total[c])) return fail(e);
                }
                for (int c = 0; c < kChains; ++c) {
                    Chain& chain = chains_[c];
                    if constexpr (is_kept) {
                        const double inverse = 1.0 / total[c];
                        inverses_[e] += inverse;
                        chain.state.add_weights(inverse, chain.listed_sums.data());
                    }
                    chain.state.add(chain.topics[token] = chain.state.draw(u[c]));
                }
            }
        }
        if constexpr (is_kept) collect();
        return true;
    }

    // theta_k = (mean over kept sweeps of sum_i p(z_i = k | rest) + alpha_k) / (the same over all
    // k). The mean of the probabilities, not of the topics drawn with them, has the same
    // expectation and less noise (Rao and Blackwell).
    void theta(std::int64_t n_kept, std::int64_t n_topics, double* theta) {
        const auto n = static_cast<double>(n_kept * kChains);
        double* prior = prefix_.data();
        std::memset(prior, 0, static_cast<std::size_t>(padded_) * sizeof(double));
        for (std::int64_t e = 0; e < document_.n_entries; ++e) {
            const double* phi_v = document_.phi_of(e);
            const double inverse = inverses_[e];
            for (std::int64_t k = 0; k < padded_; k += kWidth) {
                store(prior + k, load<Vec>(prior + k) + load<Vec>(phi_v + k) * inverse);
            }
        }
        Vec lanes[kVecs] = {};
        for (std::int64_t k = 0; k < padded_; k += kLanes) {
            for (int v = 0; v < kVecs; ++v) {
                double* sum = sums_.data() + k + v * kWidth;
                const Vec alpha = load<Vec>(alpha_ + k + v * kWidth);
                const Vec a =
                    (load<Vec>(sum) + alpha * load<Vec>(prior + k + v * kWidth)) / n + alpha;
                store(sum, a);
                lanes[v] += a;
            }
        }
        const double total = sum_of_lanes(lanes);
        for (std::int64_t k = 0; k < n_topics; ++k) theta[k] = sums_[k] / total;
    }

    std::int64_t failed_entry = -1;

  private:
    struct Chain {
        Chain(const double* alpha, const NewDocument& document)
            : state(alpha, document.padded),
              topics(document.n_tokens),
              listed_sums(document.padded + kLanes) {}

        DocumentTopics state;
        Buffer<std::int32_t> topics;
        Buffer<double> listed_sums;
    };

    bool fail(std::int64_t entry) {
        failed_entry = entry;
        return false;
    }

    // The sum over topics of a_k phi_kv.
    double weight_at_start(std::int64_t e) const {
        const double* phi_v = document_.phi_of(e);
        Vec lanes[kVecs] = {};
        for (std::int64_t k = 0; k < padded_; k += kLanes) {
            for (int v = 0; v < kVecs; ++v) {
                lanes[v] +=
                    load<Vec>(start_.data() + k + v * kWidth) * load<Vec>(phi_v + k + v * kWidth);
            }
        }
        return sum_of_lanes(lanes);
    }

    bool draw_at_start() {
        const double* start = start_.data();
        std::int64_t token = 0;
        TopicTable table;
        for (std::int64_t e = 0; e < document_.n_entries; ++e) {
            const double* phi_v = document_.phi_of(e);
            const bool is_good = table.fill(prefix_.data(), padded_, [=](std::int64_t k) {
                return load<Vec>(start + k) * load<Vec>(phi_v + k);
            });
            if (!is_good) return fail(e);
            for (std::int32_t i = 0; i < document_.counts[e]; ++i, ++token) {
                for (Chain& chain : chains_) {
                    chain.state.add(chain.topics[token] = table.draw(uniform(rng_)));
                }
            }
        }
        return true;
    }

    // The lists change between sweeps; the sums of their topics go to their places before.
    void collect() {
        for (Chain& chain : chains_) {
            for (std::int64_t i = 0; i < chain.state.n_listed(); ++i) {
                sums_[chain.state.topic(i)] += chain.listed_sums[i];
                chain.listed_sums[i] = 0.0;
            }
        }
    }

    NewDocument document_;
    const double* next_phi_ = nullptr;
    const double* alpha_;
    std::int64_t padded_;
    Rng rng_;
    Chain chains_[kChains];
    Buffer<double> prior_weights_;
    Buffer<double> inverses_;  // of the totals of an entry's tokens, over the kept sweeps
    Buffer<double> sums_;
    Buffer<double> start_;
    Buffer<double> prefix_;
};

}  // namespace

Outcome fold_in(const NewDocument& document, const double* alpha, std::int64_t n_topics,
                const FoldInOptions& options, const Rng& rng, double* theta) {
    Outcome outcome;
    const std::int64_t n_states = ShortDocument::count_states(document, options.most_states);
    if (n_states <= options.most_states) {
        ShortDocument sums(document, alpha, n_states, options);
        if (sums.run(n_topics, theta)) return outcome;
    }
    Folding chains(document, alpha, rng);
    bool is_good = true;
    for (std::int64_t r = 0; is_good && r < options.n_phi; ++r) {
        const double* phi = document.phi + r * options.n_rows * document.padded;
        chains.set_phi(phi,
                       r + 1 < options.n_phi ? phi + options.n_rows * document.padded : nullptr);
        if (r == 0) is_good = chains.start();
        for (std::int64_t i = 0; is_good && i < options.burn_in; ++i) {
            is_good = chains.sweep<false>();
        }
        for (std::int64_t i = options.burn_in; is_good && i < options.n_sweeps; ++i) {
            is_good = chains.sweep<true>(i + 1 == options.n_sweeps);
        }
        if (is_good) {
            chains.theta(options.n_sweeps - options.burn_in, n_topics, theta + r * n_topics);
        }
    }
    outcome.failed_entry = chains.failed_entry;
    outcome.steps = kChains * document.n_tokens * (1 + options.n_phi * options.n_sweeps);
    return outcome;
}

}  // namespace blocklda::BLOCKLDA_ISA
