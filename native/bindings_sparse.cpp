// The sparse samplers, and the tables they keep between their sweeps.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include "sparse_border.hpp"

namespace blocklda {
namespace {

Result sparse(Flat<const std::int64_t> doc_offsets, Flat<const std::int32_t> word_ids,
              Flat<const std::int32_t> counts, std::int64_t n_words, Flat<const double> alpha,
              Table<const double> beta, Flat<const double> beta_sum, std::int64_t n_topics,
              Flat<std::int32_t> topics, nb::capsule bit_generator, std::int64_t n_sweeps,
              SparseWorkspace& workspace, std::optional<ByWord> by_word, std::int64_t max_block,
              Flat<const double> one_by_one) {
    const CorpusView corpus =
        checked_corpus(doc_offsets, word_ids, counts, n_words, topics, n_topics);
    const PriorsView priors = checked_priors(alpha, beta, beta_sum, n_topics, n_words);
    const Rng rng = rng_of(bit_generator);
    require(max_block >= 1, "max_block must be at least 1");
    require(static_cast<std::int64_t>(one_by_one.shape(0)) == n_sweeps,
            "one_by_one needs a number for every sweep");
    require_aligned(one_by_one);
    for (std::int64_t i = 0; i < n_sweeps; ++i) {
        require(one_by_one.data()[i] >= 0.0 && one_by_one.data()[i] <= 1.0,
                "one_by_one must be from 0 to 1");
    }
    const auto n_tokens = static_cast<std::int64_t>(topics.shape(0));
    const Axis axis = checked_axis(corpus, priors, by_word);
    const SparseOptions options{max_block, one_by_one.data()};
    const KernelTable* kernels = active_kernels();
    const auto in_use = workspace.reserve();
    nb::gil_scoped_release unlocked;
    // Until the sweeps have ended well the tables count as lost; memory may run out on the way.
    workspace.borrow(kernels, corpus, axis.corpus, n_topics, topics.data(), n_tokens);
    const Outcome outcome = kernels->sparse(axis.corpus, axis.priors, options, rng,
                                            workspace.tables(), topics.data(), n_sweeps);
    if (outcome.failed_entry < 0) workspace.give_back(topics.data(), n_tokens);
    return result_of(outcome);
}

}  // namespace

void bind_sparse(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<SparseWorkspace>(m, "SparseWorkspace",
                                "Tables that a sparse sampler keeps between its sweeps.")
        .def(nb::init<>());
    m.def("sparse", &sparse, "doc_offsets"_a.noconvert(), "word_ids"_a.noconvert(),
          "counts"_a.noconvert(), "n_words"_a, "alpha"_a.noconvert(), "beta"_a.noconvert(),
          "beta_sum"_a.noconvert(), "n_topics"_a, "topics"_a.noconvert(), "bit_generator"_a,
          "n_sweeps"_a, "workspace"_a, "by_word"_a.noconvert().none(), "max_block"_a,
          "one_by_one"_a.noconvert());
}

}  // namespace blocklda
