// One cell of a grid of documents and words: one token at a time on dense counts, with masses.
#include <type_traits>

#include "builds/entry_points.hpp"
#include "dense/cell_draw.hpp"

namespace blocklda::BLOCKLDA_ISA {

namespace {

template <class Prior, class Count>
class DenseCell {
  public:
    DenseCell(const CorpusView& corpus, const PriorsView& priors, const DenseCellView& cell,
              Count* n_vk, const Rng& rng, std::int32_t* topics)
        : corpus_(corpus),
          priors_(priors),
          cell_(cell),
          n_vk_(n_vk),
          rng_(rng),
          topics_(topics),
          token_(priors) {
        for (std::int64_t v = cell.first_word; priors.beta_stride != 0 && v < cell.end_word; ++v) {
            token_.check_prior(priors.beta + v * priors.beta_stride);
        }
        token_.start_group(cell.group);
    }

    Outcome run() {
        Outcome outcome;
        for (std::int64_t d = cell_.first_doc; d < cell_.end_doc; ++d) {
            outcome.failed_entry = update_document(d, outcome.steps);
            if (outcome.failed_entry >= 0) break;
        }
        outcome.n_undecided = token_.n_undecided;
        return outcome;
    }

  private:
    Count* word_row(std::int64_t v) { return n_vk_ + v * priors_.padded; }
    // Returns the entry at which weights were no numbers, or -1.
    std::int64_t update_document(std::int64_t d, std::int64_t& steps) {
        const std::int64_t end = corpus_.doc_offsets[d + 1];
        DocumentCursor& cursor = cell_.cursors[d];
        if (cell_.first_word == 0) cursor = {corpus_.doc_offsets[d], cell_.doc_tokens[d]};
        const std::int64_t begin = cursor.entry;
        if (begin == end || corpus_.word_ids[begin] >= cell_.end_word) return -1;
        if (cell_.n_dk != nullptr) {
            token_.use_document(cell_.n_dk + d * priors_.padded);
        } else {
            const std::int64_t first = cell_.doc_tokens[d];
            token_.count_tokens(topics_ + first, cell_.doc_tokens[d + 1] - first);
        }
        std::int32_t* tokens = topics_ + cursor.token;
        std::int64_t e = begin;
        for (; e < end && corpus_.word_ids[e] < cell_.end_word; ++e) {
            if (e + kAhead < end) {
                prefetch_row(word_row(corpus_.word_ids[e + kAhead]), priors_.padded);
            }
            const std::int64_t v = corpus_.word_ids[e];
            const WordCounts<Prior, Count> word{word_row(v), Prior::of_word(priors_, v)};
            const std::int32_t count = corpus_.counts[e];
            if (cell_.shuffles && count > 1) shuffle_tokens(tokens, count, rng_);
            if (!draw_tokens(token_, word, rng_, tokens, count)) return e;
            tokens += count;
        }
        steps += tokens - (topics_ + cursor.token);
        cursor = {e, tokens - topics_};
        return -1;
    }

    CorpusView corpus_;
    PriorsView priors_;
    DenseCellView cell_;
    Count* n_vk_;
    Rng rng_;
    std::int32_t* topics_;
    CellDraw<Prior, Count> token_;
};

template <class Prior>
TokenTopics draw_one(const PriorsView& priors, const TokenView& given, const double* masses,
                     double u, double bound_share) {
    Buffer<std::int32_t> n_d(priors.padded);
    Buffer<std::int32_t> n_k(priors.padded);
    Buffer<std::int32_t> n_v(priors.padded);
    CellDraw<Prior, std::int32_t> token(priors, bound_share);
    for (std::int64_t k = 0; k < priors.n_topics; ++k) {
        n_d[k] = given.n_d[k];
        n_k[k] = given.n_k[k];
        n_v[k] = given.n_v[k];
    }
    if (priors.beta_stride != 0) {
        token.check_prior(priors.beta + given.word * priors.beta_stride);
    }
    token.start_group({priors.beta_sum, masses, n_k.data()});
    token.use_document(n_d.data());
    const WordCounts<Prior, std::int32_t> word{n_v.data(), Prior::of_word(priors, given.word)};
    return {token.filtered(token.add_up(word), word, given.old, u),
            token.in_doubles(word, given.old, u)};
}

}  // namespace

Outcome dense_cell(const CorpusView& corpus, const PriorsView& priors, const DenseCellView& cell,
                   const Rng& rng, std::int32_t* topics) {
    const auto run = [&]<class Prior>(auto* n_vk) {
        using Count = std::remove_pointer_t<decltype(n_vk)>;
        return DenseCell<Prior, Count>(corpus, priors, cell, n_vk, rng, topics).run();
    };
    const auto run_counts = [&]<class Prior>() {
        return cell.n_vk_16 != nullptr ? run.template operator()<Prior>(cell.n_vk_16)
                                       : run.template operator()<Prior>(cell.n_vk_32);
    };
    return priors.beta_stride == 0 ? run_counts.template operator()<EqualPrior>()
                                   : run_counts.template operator()<RowPrior>();
}

TokenTopics draw_token_of_group(const PriorsView& priors, const TokenView& token,
                                const double* masses, double u, double bound_share) {
    if (priors.beta_stride == 0) {
        return draw_one<EqualPrior>(priors, token, masses, u, bound_share);
    }
    return draw_one<RowPrior>(priors, token, masses, u, bound_share);
}

}  // namespace blocklda::BLOCKLDA_ISA
