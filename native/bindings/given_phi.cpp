// The partially collapsed sampler: rows of phi, and documents given phi.
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <utility>

#include "bindings/border.hpp"
#include "bindings/corpus.hpp"
#include "bindings/priors.hpp"
#include "bindings/token.hpp"

namespace blocklda {
namespace {

// The largest block that is drawn at once; kLargestGivenPhi of the kernels.
constexpr std::int64_t kLargestBlock = 16;

// Divides rows of gamma draws by the totals of their topics, in place, and adds up alpha_k
// phi_kv^j.
void phi_rows(Table<double> rows, Flat<const double> inverse_totals, const Priors& priors,
              Flat<const std::int32_t> sizes, Table<double> alpha_powers) {
    const std::int64_t n_rows = length(rows);
    const std::int64_t padded = length(rows, 1);
    require_aligned(rows, inverse_totals, sizes, alpha_powers);
    require(priors.padded() == padded && length(inverse_totals) == padded,
            "rows, totals and alpha must be padded to lanes alike");
    require(length(sizes) == n_rows && length(alpha_powers) == n_rows,
            "sizes and alpha_powers need one row a word");
    const std::int64_t stride = length(alpha_powers, 1);
    bool are_small = stride <= kLargestBlock;
    for (std::int64_t v = 0; v < n_rows; ++v) {
        are_small &= sizes.data()[v] >= 0 && sizes.data()[v] <= stride;
    }
    require(are_small, "sizes out of range");
    const KernelTable* kernels = active_kernels();
    nb::gil_scoped_release unlocked;
    kernels->phi_rows(inverse_totals.data(), priors.alpha(), sizes.data(), n_rows, padded, stride,
                      rows.data(), alpha_powers.data());
}

// Sweeps documents once: tokens one by one, or, on lists of topics, blocks of up to `max_block`.
Result given_phi(const Corpus& corpus, const WordOrder& order, Table<const double> phi,
                 Table<const double> alpha_powers, const Priors& priors, std::int64_t max_block,
                 bool on_lists, Flat<std::int32_t> topics, nb::capsule bit_generator) {
    const std::int64_t stride = length(alpha_powers, 1);
    corpus.require_topics(topics, priors.n_topics());
    const ByWordView by_word = order.view_of(corpus);
    require_aligned(phi, alpha_powers);
    require(length(phi) == corpus.n_words() && length(phi, 1) == priors.padded(),
            "phi needs one row a word, padded as alpha is");
    require(length(alpha_powers) == corpus.n_words(), "alpha_powers needs one row a word");
    require(max_block >= 1 && max_block <= kLargestBlock, "max_block out of range");
    require(std::min(corpus.largest_count(), max_block) <= stride,
            "alpha_powers has too few columns");
    const Rng rng = rng_of(bit_generator);
    const PhiView given{phi.data(), priors.alpha(), alpha_powers.data(), stride, priors.padded()};
    const KernelTable* kernels = active_kernels();
    nb::gil_scoped_release unlocked;
    const Result result = result_of(
        kernels->given_phi(corpus.view(), by_word, given, max_block, on_lists, rng, topics.data()));
    // With a negative phi a draw may fall behind the last topic. To look at the topics afterwards
    // takes far less time than to look at phi before.
    corpus.require_topics(topics, priors.n_topics());
    return result;
}

// One token of a word with these numbers phi.
std::pair<std::int32_t, std::int32_t> draw_token_given_phi(const Priors& priors,
                                                           Flat<std::int32_t> n_d,
                                                           Flat<const double> phi, std::int32_t old,
                                                           double u, double bound_share) {
    // No counts but those of the document matter.
    const TokenView token = checked_token(priors.n_topics(), n_d, n_d, n_d, old, u, bound_share);
    require_aligned(phi);
    require(length(phi) == priors.n_topics(), "there must be one phi per topic");
    const TokenTopics topics = active_kernels()->draw_token_given_phi(
        priors.view_of_one_word(), token, phi.data(), u, bound_share);
    return {topics.certified, topics.defined};
}

}  // namespace

void bind_given_phi(nb::module_& m) {
    using namespace nb::literals;
    m.def("phi_rows", &phi_rows, "rows"_a.noconvert(), "inverse_totals"_a.noconvert(), "priors"_a,
          "sizes"_a.noconvert(), "alpha_powers"_a.noconvert());
    m.def("given_phi", &given_phi, "corpus"_a, "order"_a, "phi"_a.noconvert(),
          "alpha_powers"_a.noconvert(), "priors"_a, "max_block"_a, "on_lists"_a,
          "topics"_a.noconvert(), "bit_generator"_a);
    m.def("draw_token_given_phi", &draw_token_given_phi, "priors"_a, "n_d"_a.noconvert(),
          "phi"_a.noconvert(), "old"_a, "u"_a, "bound_share"_a);
}

}  // namespace blocklda
