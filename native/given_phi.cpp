// The partially collapsed sampler: phi is drawn once a sweep, theta stays integrated out. Given phi
// the documents are independent, so any part of them can be swept by itself.
#include "document_blocks.hpp"
#include "entry_points.hpp"

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

// Where a document's words stand in phi is known in advance: the row after the next is fetched.
void prefetch_row(const double* row, std::int64_t padded) {
    for (std::int64_t k = 0; k < padded; k += kLanes) __builtin_prefetch(row + k);
}

}  // namespace

Outcome given_phi(const CorpusView& corpus, const PhiView& given, std::int64_t max_block,
                  const Rng& rng, std::int32_t* topics) {
    Outcome outcome;
    DocumentBlocks document(given.alpha, given.padded);
    const auto fail = [&outcome](std::int64_t entry) {
        outcome.failed_entry = entry;
        return outcome;
    };
    for (std::int64_t d = 0; d < corpus.n_docs; ++d) {
        const std::int64_t begin = corpus.doc_offsets[d];
        const std::int64_t end = corpus.doc_offsets[d + 1];
        document.clear();
        const std::int32_t* token = topics;
        for (std::int64_t e = begin; e < end; ++e) {
            for (std::int32_t i = 0; i < corpus.counts[e]; ++i) document.add(*token++);
        }
        for (std::int64_t e = begin; e < end; ++e) {
            const std::int64_t word = corpus.word_ids[e];
            const double* phi_v = given.phi + word * given.padded;
            const double* powers = given.alpha_powers + word * given.powers_stride;
            const std::int64_t count = corpus.counts[e];
            if (e + 1 < end) {
                prefetch_row(given.phi + corpus.word_ids[e + 1] * given.padded, given.padded);
            }
            if (count == 1) {
                document.remove(*topics);
                if (!is_positive_number(document.weigh(phi_v, powers[0]))) return fail(e);
                *topics = document.draw(uniform(rng));
                document.add(*topics++);
                ++outcome.steps;
                continue;
            }
            if (count > max_block) shuffle_tokens(topics, count, rng);
            for (std::int64_t first = 0; first < count; first += max_block) {
                const std::int64_t left = count - first;
                const int size = static_cast<int>(left < max_block ? left : max_block);
                document.remove_all(topics, size);
                if (!document.weigh_block(phi_v, powers, size)) return fail(e);
                outcome.steps += document.draw_block(size, rng, topics);
                topics += size;
            }
        }
    }
    return outcome;
}

}  // namespace blocklda::BLOCKLDA_ISA
