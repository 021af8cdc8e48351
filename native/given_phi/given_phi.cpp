// The partially collapsed sampler: phi is drawn once a sweep, theta stays integrated out. Given phi
// the documents are independent, so any part of them can be swept by itself.
#include "builds/entry_points.hpp"
#include "given_phi/document_blocks.hpp"
#include "given_phi/token_given_phi.hpp"

namespace blocklda::BLOCKLDA_ISA {

// Rows of gamma draws become rows of phi, and their sums of alpha_k phi_kv^j, j = 1..sizes[row].
void phi_rows(const double* inverse_totals, const double* alpha, const std::int32_t* sizes,
              std::int64_t n_rows, std::int64_t padded, std::int64_t powers_stride, double* rows,
              double* alpha_powers) {
    for (std::int64_t v = 0; v < n_rows; ++v, rows += padded, alpha_powers += powers_stride) {
        const std::int32_t size = sizes[v];
        Vec sums[kLargestGivenPhi][kVecs] = {};
        for (std::int64_t k = 0; k < padded; k += kLanes) {
            for (int w = 0; w < kVecs; ++w) {
                const std::int64_t i = k + w * kWidth;
                const Vec phi = load<Vec>(rows + i) * load<Vec>(inverse_totals + i);
                store(rows + i, phi);
                Vec weight = load<Vec>(alpha + i) * phi;
                for (std::int32_t j = 0; j < size; ++j) {
                    sums[j][w] += weight;
                    weight = weight * phi;
                }
            }
        }
        for (std::int32_t j = 0; j < size; ++j) {
            // The last row of the table that a draw would fill, and its total.
            double last[kLanes];
            for (int w = 0; w < kVecs; ++w) store(last + w * kWidth, sums[j][w]);
            TopicTable table;
            table.adopt(last, kLanes);
            alpha_powers[j] = table.total();
        }
    }
}

namespace {

// Calls update(block, size) for a block, or for its random parts; false as soon as that is.
template <class Update>
bool each_part(std::int32_t* block, std::int64_t count, std::int64_t max_block, const Rng& rng,
               Update update) {
    if (count > max_block) shuffle_tokens(block, count, rng);
    for (std::int64_t first = 0; first < count; first += max_block) {
        const std::int64_t left = count - first;
        if (!update(block + first, static_cast<int>(left < max_block ? left : max_block))) {
            return false;
        }
    }
    return true;
}

// Over all topics: tokens one by one, word by word, so that phi of a word is read once for all
// documents that have it. A document's own tokens still come in the order of its words, and the
// others do not matter to it.
Outcome sweep_tokens(const CorpusView& corpus, const ByWordView& by_word, const PhiView& given,
                     const Rng& rng, std::int32_t* topics) {
    Outcome outcome;
    TokenGivenPhi token(given.alpha, given.padded, corpus.n_docs);
    const std::int64_t n_entries = corpus.doc_offsets[corpus.n_docs];
    for (std::int64_t i = 0; i < n_entries; ++i) {
        std::int32_t* n_d = token.n_d(by_word.docs[i]);
        const std::int32_t* block = topics + by_word.starts[i];
        const std::int32_t count = corpus.counts[by_word.entries[i]];
        for (std::int32_t j = 0; j < count; ++j) ++n_d[block[j]];
    }
    token.start(corpus.n_docs);
    std::int64_t of_word = -1;
    WordGivenPhi word{};
    for (std::int64_t i = 0; i < n_entries; ++i) {
        const std::int32_t e = by_word.entries[i];
        if (i + kAhead < n_entries) {
            const std::int64_t next = corpus.word_ids[by_word.entries[i + kAhead]];
            if (next != corpus.word_ids[by_word.entries[i + kAhead - 1]]) {
                prefetch_row(given.phi + next * given.padded, given.padded);
            }
            token.prefetch(by_word.docs[i + kAhead]);
        }
        if (corpus.word_ids[e] != of_word) {
            of_word = corpus.word_ids[e];
            word = token.word(given.phi + of_word * given.padded);
        }
        token.use_document(by_word.docs[i]);
        std::int32_t* block = topics + by_word.starts[i];
        const std::int32_t count = corpus.counts[e];
        if (count > 1) shuffle_tokens(block, count, rng);
        if (!draw_tokens(token, word, rng, block, count)) {
            outcome.failed_entry = e;
            break;
        }
        outcome.steps += count;
    }
    outcome.n_undecided = token.n_undecided;
    return outcome;
}

// Document by document, over the topics that each uses.
Outcome sweep_listed(const CorpusView& corpus, const PhiView& given, std::int64_t max_block,
                     const Rng& rng, std::int32_t* topics) {
    Outcome outcome;
    ListedBlocks document(given.alpha, given.padded);
    for (std::int64_t d = 0; d < corpus.n_docs && outcome.failed_entry < 0; ++d) {
        std::int64_t n_tokens = 0;
        const std::int64_t end = corpus.doc_offsets[d + 1];
        for (std::int64_t e = corpus.doc_offsets[d]; e < end; ++e) n_tokens += corpus.counts[e];
        document.start(topics, n_tokens);
        for (std::int64_t e = corpus.doc_offsets[d]; e < end; ++e) {
            const std::int64_t word = corpus.word_ids[e];
            const double* phi_v = given.phi + word * given.padded;
            const double* powers = given.alpha_powers + word * given.powers_stride;
            const auto update = [&](std::int32_t* block, int size) {
                return size == 1 ? document.update_token(phi_v, powers, rng, block)
                                 : document.update_block(phi_v, powers, size, rng, block);
            };
            if (!each_part(topics, corpus.counts[e], max_block, rng, update)) {
                outcome.failed_entry = e;
                break;
            }
            topics += corpus.counts[e];
        }
    }
    outcome.steps = document.steps;
    return outcome;
}

}  // namespace

Outcome given_phi(const CorpusView& corpus, const ByWordView& by_word, const PhiView& given,
                  std::int64_t max_block, bool on_lists, const Rng& rng, std::int32_t* topics) {
    return on_lists ? sweep_listed(corpus, given, max_block, rng, topics)
                    : sweep_tokens(corpus, by_word, given, rng, topics);
}

TokenTopics draw_token_given_phi(const PriorsView& priors, const TokenView& given,
                                 const double* phi, double u, double bound_share) {
    TokenGivenPhi token(priors.alpha, priors.padded, 1, bound_share);
    Buffer<double> phi_v(priors.padded);
    for (std::int64_t k = 0; k < priors.n_topics; ++k) {
        phi_v[k] = phi[k];
        token.n_d(0)[k] = given.n_d[k];
    }
    token.start(1);
    const WordGivenPhi word = token.word(phi_v.data());
    return {token.filtered(token.add_up(word), word, given.old, u),
            token.in_doubles(word, given.old, u)};
}

}  // namespace blocklda::BLOCKLDA_ISA
