// The partially collapsed sampler: phi is drawn once a sweep, theta stays integrated out. Given phi
// the documents are independent, so any part of them can be swept by itself.
#include "builds/entry_points.hpp"
#include "given_phi/document_blocks.hpp"

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

// Documents that on average use at least one topic in this many are swept over all topics.
constexpr std::int64_t kDenseFrom = 6;

// How many topics documents use.
class TopicCounter {
  public:
    explicit TopicCounter(std::int64_t n_topics) : seen_(n_topics) {}

    std::int64_t count(const std::int32_t* tokens, std::int64_t n) {
        ++mark_;
        std::int64_t used = 0;
        for (std::int64_t i = 0; i < n; ++i) {
            used += seen_[tokens[i]] != mark_;
            seen_[tokens[i]] = mark_;
        }
        return used;
    }

  private:
    Buffer<std::int64_t> seen_;
    std::int64_t mark_ = 0;
};

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

// Word by word: phi of a word is read once for all documents that have it. A document's own blocks
// still come in the order of its words, and the others do not matter to it.
Outcome sweep_dense(const CorpusView& corpus, const ByWordView& by_word, const PhiView& given,
                    std::int64_t max_block, const Rng& rng, std::int32_t* topics) {
    Outcome outcome;
    DenseBlocks documents(given.alpha, given.padded, corpus.n_docs);
    const std::int64_t n_entries = corpus.doc_offsets[corpus.n_docs];
    for (std::int64_t i = 0; i < n_entries; ++i) {
        const std::int32_t e = by_word.entries[i];
        documents.add(by_word.docs[i], topics + by_word.starts[i], corpus.counts[e]);
    }
    documents.start(corpus.n_docs);
    for (std::int64_t i = 0; i < n_entries; ++i) {
        const std::int32_t e = by_word.entries[i];
        const double* phi_v = given.phi + corpus.word_ids[e] * given.padded;
        const auto update = [&](std::int32_t* block, int size) {
            return documents.update_block(by_word.docs[i], phi_v, size, rng, block);
        };
        if (!each_part(topics + by_word.starts[i], corpus.counts[e], max_block, rng, update)) {
            outcome.failed_entry = e;
            break;
        }
    }
    outcome.steps = documents.steps;
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
                  std::int64_t max_block, const Rng& rng, std::int32_t* topics) {
    TopicCounter used(given.padded);
    std::int64_t n_used = 0;
    const std::int32_t* first = topics;
    for (std::int64_t d = 0; d < corpus.n_docs; ++d) {
        std::int64_t n_tokens = 0;
        for (std::int64_t e = corpus.doc_offsets[d]; e < corpus.doc_offsets[d + 1]; ++e) {
            n_tokens += corpus.counts[e];
        }
        n_used += used.count(first, n_tokens);
        first += n_tokens;
    }
    return n_used * kDenseFrom >= corpus.n_docs * given.padded
               ? sweep_dense(corpus, by_word, given, max_block, rng, topics)
               : sweep_listed(corpus, given, max_block, rng, topics);
}

}  // namespace blocklda::BLOCKLDA_ISA
