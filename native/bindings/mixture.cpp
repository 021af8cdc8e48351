// The sweep of a mixture.
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <tuple>
#include <vector>

#include "bindings/border.hpp"
#include "bindings/corpus.hpp"

namespace blocklda {
namespace {

// Simulation steps, the document at which it failed or -1, and how many components were born.
using MixtureResult = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

// Every document exactly once: a sweep takes each out of the counts once.
void require_every_document(const Flat<const std::int32_t>& docs, std::int64_t n_docs) {
    require(length(docs) == n_docs && all_below(docs.data(), n_docs, n_docs),
            "docs must be the documents of the corpus");
    std::vector<bool> is_there(static_cast<std::size_t>(n_docs));
    for (std::int64_t i = 0; i < n_docs; ++i) {
        is_there[static_cast<std::size_t>(docs.data()[i])] = true;
    }
    for (const bool there : is_there) require(there, "docs must have every document");
}

// One slot per document, or -1 for none yet.
void require_labels(const Flat<std::int32_t>& labels, std::int64_t n_docs, std::int64_t n_slots) {
    require(length(labels) == n_docs, "labels must have one slot per document");
    bool are_slots = true;
    for (std::int64_t d = 0; d < n_docs; ++d) {
        are_slots &= labels.data()[d] >= -1 && labels.data()[d] < n_slots;
    }
    require(are_slots, "labels out of range");
}

// n_components is 0 for a Dirichlet process, which needs a slot for every document.
MixtureResult mixture(const Corpus& corpus, Flat<const double> beta, double beta_sum, double alpha,
                      std::int64_t n_components, Flat<const std::int32_t> docs,
                      Flat<const std::int64_t> kind_offsets, std::int64_t max_block,
                      std::int64_t n_born, Flat<std::int32_t> labels, Flat<std::int64_t> births,
                      nb::capsule bit_generator) {
    require_aligned(beta, docs, kind_offsets, labels, births);
    const std::int64_t n_docs = corpus.n_docs(), n_slots = length(births);
    require(length(beta) == corpus.n_words() && all_positive(beta.data(), length(beta)),
            "beta must have one positive number per word");
    require(beta_sum > 0 && std::isfinite(beta_sum), "beta_sum must be positive and finite");
    require(alpha > 0 && std::isfinite(alpha), "alpha must be positive and finite");
    require(n_components >= 0 && n_components < kLimit, "n_components out of range");
    require(n_slots == (n_components > 0 ? n_components
                        : n_docs > 1     ? n_docs
                                         : 1),
            "births must have one slot per component, or per document without n_components");
    require(max_block >= 1, "max_block must be at least 1");
    require(n_born >= 0 && n_born < (std::int64_t{1} << 62), "n_born out of range");
    require_every_document(docs, n_docs);
    require_offsets(kind_offsets.data(), length(kind_offsets), n_docs,
                    "kind_offsets must run from 0 to the number of documents",
                    "kind_offsets must not fall");
    require_labels(labels, n_docs, n_slots);
    const MixtureView view{.beta = beta.data(),
                           .beta_sum = beta_sum,
                           .alpha = alpha,
                           .is_finite = n_components > 0,
                           .n_slots = n_slots,
                           .docs = docs.data(),
                           .kind_offsets = kind_offsets.data(),
                           .n_kinds = length(kind_offsets) - 1,
                           .max_block = max_block,
                           .n_born = n_born};
    const Rng rng = rng_of(bit_generator);
    const KernelTable* kernels = active_kernels();
    nb::gil_scoped_release unlocked;
    const MixtureOutcome outcome =
        kernels->mixture(corpus.view(), view, rng, labels.data(), births.data());
    return {outcome.steps, outcome.failed_doc, outcome.n_born};
}

}  // namespace

void bind_mixture(nb::module_& m) {
    using namespace nb::literals;
    m.def("mixture", &mixture, "corpus"_a, "beta"_a.noconvert(), "beta_sum"_a, "alpha"_a,
          "n_components"_a, "docs"_a.noconvert(), "kind_offsets"_a.noconvert(), "max_block"_a,
          "n_born"_a, "labels"_a.noconvert(), "births"_a.noconvert(), "bit_generator"_a);
}

}  // namespace blocklda
