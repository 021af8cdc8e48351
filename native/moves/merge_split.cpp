// Merge-split: a Metropolis-Hastings move that gives all tokens of a topic j to another one i and
// divides the tokens of a third one k among k and j, which is free by then. Its reverse gives the
// tokens of j to k and divides those of i. It is accepted with the probability
//     min(1, exp(G_kj(drawn) - G_ij(present)) s(z'; k, j, i) / s(z; i, j, k)),
// G as in moves/pool.hpp and s as in moves/choice.hpp. docs/explanation/moves.md derives it.
#include <algorithm>
#include <cstdint>

#include "builds/entry_points.hpp"
#include "moves/choice.hpp"
#include "moves/pool.hpp"

namespace blocklda::BLOCKLDA_ISA {

namespace {

class MergeSplit {
  public:
    MergeSplit(const CorpusView& corpus, const PriorsView& priors, const Rng& rng,
               std::int32_t* topics)
        : corpus_(corpus),
          priors_(priors),
          rng_(rng),
          topics_(topics),
          choice_(priors, corpus.n_words, largest_word(corpus)) {}

    MoveOutcome run() {
        count();
        choice_.update_all();
        const Triple drawn = choice_.draw(rng_);
        const auto [i, j, k] = drawn;
        const std::int64_t n_merged = std::int64_t{choice_.n_k()[i]} + choice_.n_k()[j];
        const std::int64_t n_divided = choice_.n_k()[k];
        Pool merged(n_merged, corpus_.n_docs);
        Pool divided(n_divided, corpus_.n_docs);
        gather(drawn, merged, divided);
        merged.shuffle(rng_);
        divided.shuffle(rng_);

        Split present(priors_, corpus_.n_words, i, j);
        const std::int64_t failed_present = present.run(
            merged,
            [&](std::int64_t at, double, double) { return topics_[merged.token(at).place] == j; });
        if (failed_present >= 0) return failed(merged, failed_present);
        Split proposed(priors_, corpus_.n_words, k, j);
        Buffer<std::uint8_t> goes_to_j(n_divided);
        const std::int64_t failed_proposed =
            proposed.run(divided, [&](std::int64_t at, double w_a, double both) {
                goes_to_j[at] = !(uniform(rng_) * both < w_a);
                return goes_to_j[at] != 0;
            });
        if (failed_proposed >= 0) return failed(divided, failed_proposed);

        const double log_forward = choice_.log_probability(drawn);
        propose(drawn, proposed);
        choice_.update(drawn);
        const double log_backward = choice_.log_probability({k, j, i});
        MoveOutcome outcome;
        outcome.steps = n_divided;
        outcome.log_ratio =
            (proposed.log_weight() - present.log_weight()) + (log_backward - log_forward);
        const double u = uniform(rng_);
        outcome.is_accepted = u == 0.0 || elementary_log(u) < outcome.log_ratio;
        if (outcome.is_accepted) {
            for (std::int64_t at = 0; at < n_merged; ++at) {
                topics_[merged.token(at).place] = static_cast<std::int32_t>(i);
            }
            for (std::int64_t at = 0; at < n_divided; ++at) {
                if (goes_to_j[at]) topics_[divided.token(at).place] = static_cast<std::int32_t>(j);
            }
        }
        return outcome;
    }

  private:
    static std::int64_t largest_word(const CorpusView& corpus) {
        Buffer<std::int64_t> n_v(corpus.n_words);
        std::int64_t largest = 0;
        for (std::int64_t e = 0; e < corpus.doc_offsets[corpus.n_docs]; ++e) {
            n_v[corpus.word_ids[e]] += corpus.counts[e];
            largest = std::max(largest, n_v[corpus.word_ids[e]]);
        }
        return largest;
    }

    void count() {
        std::int64_t t = 0;
        for (std::int64_t e = 0; e < corpus_.doc_offsets[corpus_.n_docs]; ++e) {
            std::int32_t* n_vk = choice_.n_vk(corpus_.word_ids[e]);
            for (const std::int64_t end = t + corpus_.counts[e]; t < end; ++t) {
                ++n_vk[topics_[t]];
                ++choice_.n_k()[topics_[t]];
            }
        }
    }

    void gather(const Triple& drawn, Pool& merged, Pool& divided) {
        std::int64_t t = 0;
        for (std::int64_t d = 0; d < corpus_.n_docs; ++d) {
            for (std::int64_t e = corpus_.doc_offsets[d]; e < corpus_.doc_offsets[d + 1]; ++e) {
                const std::int32_t v = corpus_.word_ids[e];
                for (const std::int64_t end = t + corpus_.counts[e]; t < end; ++t) {
                    const std::int64_t topic = topics_[t];
                    merged.add(t, v, (topic == drawn.i) | (topic == drawn.j));
                    divided.add(t, v, topic == drawn.k);
                }
            }
            merged.end_document();
            divided.end_document();
        }
    }

    // Makes the counts those of the proposed state.
    void propose(const Triple& drawn, const Split& proposed) {
        for (std::int64_t v = 0; v < corpus_.n_words; ++v) {
            const auto [n_k, n_j] = proposed.counts(v);
            move(choice_.n_vk(v), drawn, n_k, n_j);
        }
        move(choice_.n_k(), drawn, proposed.n_a(), proposed.n_b());
    }
    static void move(std::int32_t* counts, const Triple& drawn, double n_k, double n_j) {
        counts[drawn.i] += counts[drawn.j];
        counts[drawn.j] = static_cast<std::int32_t>(n_j);
        counts[drawn.k] = static_cast<std::int32_t>(n_k);
    }

    MoveOutcome failed(const Pool& pool, std::int64_t at) const {
        MoveOutcome outcome;
        std::int64_t end = 0;
        while (end <= pool.token(at).place) end += corpus_.counts[++outcome.failed_entry];
        return outcome;
    }

    CorpusView corpus_;
    PriorsView priors_;
    Rng rng_;
    std::int32_t* topics_;
    Choice choice_;
};

}  // namespace

MoveOutcome merge_split(const CorpusView& corpus, const PriorsView& priors, const Rng& rng,
                        std::int32_t* topics) {
    if (priors.n_topics < 3) return {};  // there is no third topic to divide
    return MergeSplit(corpus, priors, rng, topics).run();
}

ElementaryValues elementary(double x) {
    return {elementary_log(x), elementary_exp(-x), elementary_log_gamma(x)};
}

}  // namespace blocklda::BLOCKLDA_ISA
