// Single-site collapsed Gibbs sampling (Griffiths & Steyvers): one token at a time from
//     p(z = k | rest) proportional to (n_dk + alpha_k) (n_vk + beta) / (n_k + V beta).
#include "builds/entry_points.hpp"
#include "dense/token_draw.hpp"
#include "shared/cell_notes.hpp"

namespace blocklda::BLOCKLDA_ISA {

namespace {

template <class Prior, class Count>
class SingleSite {
  public:
    SingleSite(const CorpusView& corpus, const PriorsView& priors, const Rng& rng, Count* n_vk,
               std::int32_t* n_k, std::int32_t* topics)
        : corpus_(corpus),
          priors_(priors),
          rng_(rng),
          topics_(topics),
          n_vk_(n_vk),
          n_k_(n_k),
          token_(priors, n_k) {
        if (priors.beta_stride == 0) return;
        for (std::int64_t v = 0; v < corpus.n_words; ++v) {
            token_.check_prior(priors.beta + v * priors.beta_stride);
        }
    }

    // The first sweep shuffles the tokens of each entry if that is asked for: an order that once
    // was random stays so, as each token has been drawn where it stands. The last sweep notes the
    // cells, unless `notes` is null.
    Outcome run(std::int64_t n_sweeps, bool shuffles_first, DenseNotes* notes) {
        Outcome outcome;
        for (std::int64_t sweep = 0; sweep < n_sweeps; ++sweep) {
            std::int32_t* document = topics_;
            shuffles_ = shuffles_first && sweep == 0;
            notes_ = sweep == n_sweeps - 1 ? notes : nullptr;
            for (std::int64_t d = 0; d < corpus_.n_docs; ++d) {
                const std::int64_t failed = update_document(d, document);
                if (failed >= 0) {
                    outcome.failed_entry = failed;
                    return outcome;
                }
            }
            outcome.steps += document - topics_;
        }
        if (notes_ != nullptr) note_words();
        outcome.n_undecided = token_.n_undecided;
        return outcome;
    }

  private:
    using Word = WordCounts<Prior, Count>;

    void note_words() {
        note_table(notes_->words, n_vk_, corpus_.n_words * priors_.padded);
        for (std::int64_t k = 0; k < priors_.n_topics; ++k) notes_->totals[k] = n_k_[k];
    }

    Count* word_row(std::int64_t v) { return n_vk_ + v * priors_.padded; }
    // Returns the entry at which weights were no numbers, or -1, and moves `tokens` to the next
    // document.
    std::int64_t update_document(std::int64_t d, std::int32_t*& tokens) {
        const std::int64_t begin = corpus_.doc_offsets[d];
        const std::int64_t end = corpus_.doc_offsets[d + 1];
        std::int64_t length = 0;
        for (std::int64_t e = begin; e < end; ++e) length += corpus_.counts[e];
        if (length == 0) return -1;
        token_.start_document(tokens, length);
        for (std::int64_t e = begin; e < end; ++e) {
            if (e + kAhead < end) {
                prefetch_row(word_row(corpus_.word_ids[e + kAhead]), priors_.padded);
            }
            const std::int64_t v = corpus_.word_ids[e];
            const Word word{word_row(v), Prior::of_word(priors_, v)};
            if (shuffles_ && corpus_.counts[e] > 1) {
                shuffle_tokens(tokens, corpus_.counts[e], rng_);
            }
            if (!draw_tokens(token_, word, rng_, tokens, corpus_.counts[e])) return e;
            tokens += corpus_.counts[e];
        }
        if (notes_ != nullptr) {
            note_document(notes_->docs, token_.n_d(), priors_.padded, tokens - length, length);
        }
        return -1;
    }

    CorpusView corpus_;
    PriorsView priors_;
    Rng rng_;
    std::int32_t* topics_;
    bool shuffles_ = false;
    DenseNotes* notes_ = nullptr;
    Count* n_vk_;
    std::int32_t* n_k_;
    TokenDraw<Prior, Count> token_;
};

template <class Prior>
TokenTopics draw_one(const PriorsView& priors, const TokenView& given, double u,
                     double bound_share) {
    Buffer<std::int32_t> n_k(priors.padded);
    Buffer<std::int32_t> n_v(priors.padded);
    TokenDraw<Prior, std::int32_t> token(priors, n_k.data(), bound_share);
    for (std::int64_t k = 0; k < priors.n_topics; ++k) {
        n_k[k] = given.n_k[k];
        n_v[k] = given.n_v[k];
        token.n_d()[k] = given.n_d[k];
    }
    token.refresh_all();
    const WordCounts<Prior> word{n_v.data(), Prior::of_word(priors, given.word)};
    if (priors.beta_stride != 0) {
        token.check_prior(priors.beta + given.word * priors.beta_stride);
    }
    return {token.filtered(token.add_up(word), word, given.old, u),
            token.in_doubles(word, given.old, u)};
}

}  // namespace

Outcome single_site(const CorpusView& corpus, const PriorsView& priors, const Rng& rng,
                    const DenseCounts& counts, std::int32_t* topics, std::int64_t n_sweeps,
                    bool shuffles_first, DenseNotes* notes) {
    const auto run = [&]<class Prior, class Count>(Prior, Count* n_vk) {
        return SingleSite<Prior, Count>(corpus, priors, rng, n_vk, counts.n_k, topics)
            .run(n_sweeps, shuffles_first, notes);
    };
    const auto run_with = [&]<class Prior>(Prior prior) {
        return counts.n_vk_16 != nullptr ? run(prior, counts.n_vk_16) : run(prior, counts.n_vk_32);
    };
    return priors.beta_stride == 0 ? run_with(EqualPrior{}) : run_with(RowPrior{});
}

TokenTopics draw_token(const PriorsView& priors, const TokenView& token, double u,
                       double bound_share) {
    if (priors.beta_stride == 0) return draw_one<EqualPrior>(priors, token, u, bound_share);
    return draw_one<RowPrior>(priors, token, u, bound_share);
}

}  // namespace blocklda::BLOCKLDA_ISA
