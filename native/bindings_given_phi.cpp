// The partially collapsed sampler: counts of words, rows of phi, and documents given phi.
#include <vector>

#include "border.hpp"

namespace blocklda {
namespace {

// The largest block that is drawn at once; kLargestGivenPhi of the kernels.
constexpr std::int64_t kLargestBlock = 16;

// Writes n_vk + beta_kv of some words, one row each. Entry i of word v (offsets[v] <= i <
// offsets[v + 1], counted from offsets[0]) has counts[i] tokens from starts[i] on.
void concentrations(Flat<const std::int64_t> offsets, Flat<const std::int32_t> counts,
                    Flat<const std::int32_t> starts, Flat<const std::int32_t> topics,
                    Table<const double> beta, std::int64_t n_topics, Table<double> out) {
    const auto n_words = static_cast<std::int64_t>(out.shape(0));
    const auto padded = static_cast<std::int64_t>(out.shape(1));
    const auto n_entries = static_cast<std::int64_t>(counts.shape(0));
    const auto n_tokens = static_cast<std::int64_t>(topics.shape(0));
    const auto beta_rows = static_cast<std::int64_t>(beta.shape(0));
    require_aligned(offsets, counts, starts, topics, beta, out);
    require_padded(n_topics, out.shape(1), 8);
    require(static_cast<std::int64_t>(beta.shape(1)) == padded &&
                (beta_rows == 1 || beta_rows == n_words),
            "beta must have one row, or one per word");
    require(static_cast<std::int64_t>(offsets.shape(0)) == n_words + 1 &&
                static_cast<std::int64_t>(starts.shape(0)) == n_entries &&
                offsets.data()[n_words] - offsets.data()[0] == n_entries,
            "word offsets must run over all entries");
    require(all_positive(counts.data(), n_entries), "counts must be positive");
    bool is_prior = true;  // or nothing at all, for counts alone
    for (std::int64_t i = 0; i < beta_rows * padded; ++i) is_prior &= beta.data()[i] >= 0.0;
    require(is_prior, "beta must not be negative");
    const std::int64_t* ends = offsets.data();
    const std::int64_t first = ends[0];
    for (std::int64_t v = 0; v < n_words; ++v) {
        require(ends[v] <= ends[v + 1], "word offsets must not fall");
    }
    bool is_good = true;
    {
        nb::gil_scoped_release unlocked;
        std::vector<std::int32_t> n_vk(static_cast<std::size_t>(n_topics), 0);
        for (std::int64_t v = 0; v < n_words && is_good; ++v) {
            for (std::int64_t i = ends[v] - first; i < ends[v + 1] - first && is_good; ++i) {
                const std::int64_t start = starts.data()[i];
                const std::int64_t end = start + counts.data()[i];
                is_good = start >= 0 && end >= start && end <= n_tokens;
                for (std::int64_t t = start; t < end && is_good; ++t) {
                    const auto k = static_cast<std::uint32_t>(topics.data()[t]);
                    is_good = k < static_cast<std::uint64_t>(n_topics);
                    if (is_good) ++n_vk[k];
                }
            }
            double* row = out.data() + v * padded;
            const double* prior = beta.data() + (beta_rows == 1 ? 0 : v * padded);
            for (std::int64_t k = 0; k < n_topics; ++k) {
                row[k] = static_cast<double>(n_vk[static_cast<std::size_t>(k)]) + prior[k];
                n_vk[static_cast<std::size_t>(k)] = 0;
            }
        }
    }
    require(is_good, "token or topic out of range");
}

// Divides rows of gamma draws by the totals of their topics, in place, and adds up alpha_k
// phi_kv^j.
void phi_rows(Table<double> rows, Flat<const double> inverse_totals, Flat<const double> alpha,
              std::int64_t n_topics, Flat<const std::int32_t> sizes, Table<double> alpha_powers) {
    const auto n_rows = static_cast<std::int64_t>(rows.shape(0));
    const auto padded = static_cast<std::int64_t>(rows.shape(1));
    require_aligned(rows, inverse_totals, alpha, sizes, alpha_powers);
    require_padded(n_topics, alpha.shape(0), 8);
    require_topic_prior(alpha, n_topics);
    require(static_cast<std::int64_t>(alpha.shape(0)) == padded &&
                static_cast<std::int64_t>(inverse_totals.shape(0)) == padded,
            "rows, totals and alpha must be padded to lanes alike");
    require(static_cast<std::int64_t>(sizes.shape(0)) == n_rows &&
                static_cast<std::int64_t>(alpha_powers.shape(0)) == n_rows,
            "sizes and alpha_powers need one row a word");
    const auto stride = static_cast<std::int64_t>(alpha_powers.shape(1));
    bool are_small = stride <= kLargestBlock;
    for (std::int64_t v = 0; v < n_rows; ++v) {
        are_small &= sizes.data()[v] >= 0 && sizes.data()[v] <= stride;
    }
    require(are_small, "sizes out of range");
    const KernelTable* kernels = active_kernels();
    nb::gil_scoped_release unlocked;
    kernels->phi_rows(inverse_totals.data(), alpha.data(), sizes.data(), n_rows, padded, stride,
                      rows.data(), alpha_powers.data());
}

// Every entry once, with the document and the tokens that it has in the corpus.
ByWordView checked_by_word(const CorpusView& corpus, const Flat<const std::int32_t>& entries,
                           const Flat<const std::int32_t>& docs,
                           const Flat<const std::int32_t>& starts) {
    const std::int64_t n_entries = corpus.doc_offsets[corpus.n_docs];
    for (const auto* column : {&entries, &docs, &starts}) {
        require(static_cast<std::int64_t>(column->shape(0)) == n_entries,
                "the columns of the corpus by word differ in length");
    }
    std::vector<std::int32_t> places(static_cast<std::size_t>(n_entries), -1);
    bool is_good = all_below(entries.data(), n_entries, n_entries);
    for (std::int64_t i = 0; i < n_entries && is_good; ++i) {
        std::int32_t& place = places[static_cast<std::size_t>(entries.data()[i])];
        is_good = place < 0;
        place = static_cast<std::int32_t>(i);
    }
    std::int64_t start = 0;
    for (std::int64_t d = 0; d < corpus.n_docs && is_good; ++d) {
        for (std::int64_t e = corpus.doc_offsets[d]; e < corpus.doc_offsets[d + 1]; ++e) {
            const auto i = static_cast<std::size_t>(places[static_cast<std::size_t>(e)]);
            is_good &= docs.data()[i] == d && starts.data()[i] == start;
            start += corpus.counts[e];
        }
    }
    require(is_good, "the corpus by word is not that of the corpus");
    return {entries.data(), docs.data(), starts.data()};
}

// Sweeps documents once.
Result given_phi(Flat<const std::int64_t> doc_offsets, Flat<const std::int32_t> word_ids,
                 Flat<const std::int32_t> counts, Flat<const std::int32_t> entries,
                 Flat<const std::int32_t> docs, Flat<const std::int32_t> starts,
                 Table<const double> phi, Table<const double> alpha_powers,
                 Flat<const double> alpha, std::int64_t n_topics, std::int64_t max_block,
                 Flat<std::int32_t> topics, nb::capsule bit_generator) {
    const auto n_words = static_cast<std::int64_t>(phi.shape(0));
    const auto padded = static_cast<std::int64_t>(phi.shape(1));
    const auto stride = static_cast<std::int64_t>(alpha_powers.shape(1));
    const CorpusView corpus =
        checked_corpus(doc_offsets, word_ids, counts, n_words, topics, n_topics);
    require_aligned(entries, docs, starts, phi, alpha_powers, alpha);
    require_padded(n_topics, alpha.shape(0), 8);
    require_topic_prior(alpha, n_topics);
    require(static_cast<std::int64_t>(alpha.shape(0)) == padded, "alpha and phi differ in length");
    require(static_cast<std::int64_t>(alpha_powers.shape(0)) == n_words,
            "alpha_powers needs one row a word");
    require(max_block >= 1 && max_block <= kLargestBlock, "max_block out of range");
    bool are_weighed = true;
    const auto n_entries = static_cast<std::int64_t>(word_ids.shape(0));
    for (std::int64_t e = 0; e < n_entries; ++e) {
        const std::int64_t count = counts.data()[e];
        are_weighed &= (count < max_block ? count : max_block) <= stride;
    }
    require(are_weighed, "alpha_powers has too few columns");
    const ByWordView by_word = checked_by_word(corpus, entries, docs, starts);
    const Rng rng = rng_of(bit_generator);
    const PhiView given{phi.data(), alpha.data(), alpha_powers.data(), stride, padded};
    const KernelTable* kernels = active_kernels();
    nb::gil_scoped_release unlocked;
    return result_of(kernels->given_phi(corpus, by_word, given, max_block, rng, topics.data()));
}

}  // namespace

void bind_given_phi(nb::module_& m) {
    using namespace nb::literals;
    m.def("concentrations", &concentrations, "word_offsets"_a.noconvert(),
          "entry_counts"_a.noconvert(), "starts"_a.noconvert(), "token_topics"_a.noconvert(),
          "beta"_a.noconvert(), "n_topics"_a, "out"_a.noconvert());
    m.def("phi_rows", &phi_rows, "rows"_a.noconvert(), "inverse_totals"_a.noconvert(),
          "alpha"_a.noconvert(), "n_topics"_a, "sizes"_a.noconvert(), "alpha_powers"_a.noconvert());
    m.def("given_phi", &given_phi, "doc_offsets"_a.noconvert(), "word_ids"_a.noconvert(),
          "counts"_a.noconvert(), "entries"_a.noconvert(), "docs"_a.noconvert(),
          "starts"_a.noconvert(), "phi"_a.noconvert(), "alpha_powers"_a.noconvert(),
          "alpha"_a.noconvert(), "n_topics"_a, "max_block"_a, "topics"_a.noconvert(),
          "bit_generator"_a);
}

}  // namespace blocklda
