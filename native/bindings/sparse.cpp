// The sparse samplers.
#include "bindings/sparse_workspace.hpp"

namespace blocklda {
namespace {

Result sparse(const Rows& rows, const Priors& priors, Flat<std::int32_t> topics,
              nb::capsule bit_generator, std::int64_t n_sweeps, SparseWorkspace& workspace,
              std::int64_t max_block, Flat<const double> one_by_one) {
    rows.require_topics(topics, priors.n_topics());
    const AxisPriors view = axis_priors(rows, priors);
    const Rng rng = rng_of(bit_generator);
    require(max_block >= 1, "max_block must be at least 1");
    require(length(one_by_one) == n_sweeps, "one_by_one needs a number for every sweep");
    require_aligned(one_by_one);
    for (std::int64_t i = 0; i < n_sweeps; ++i) {
        require(one_by_one.data()[i] >= 0.0 && one_by_one.data()[i] <= 1.0,
                "one_by_one must be from 0 to 1");
    }
    const SparseOptions options{max_block, one_by_one.data()};
    const KernelTable* kernels = active_kernels();
    const auto in_use = workspace.reserve();
    nb::gil_scoped_release unlocked;
    // Until the sweeps have ended well the tables count as lost; memory may run out on the way.
    workspace.borrow(kernels, rows, priors.n_topics(), topics.data());
    const Outcome outcome = kernels->sparse(rows.rows(), view, options, rng, workspace.tables(),
                                            topics.data(), n_sweeps);
    if (outcome.failed_entry < 0) workspace.give_back(rows, topics.data());
    return result_of(outcome);
}

}  // namespace

void bind_sparse(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<SparseWorkspace>(m, "SparseWorkspace",
                                "Tables that a sparse sampler keeps between its sweeps.")
        .def(nb::init<>());
    m.def("sparse", &sparse, "rows"_a, "priors"_a, "topics"_a.noconvert(), "bit_generator"_a,
          "n_sweeps"_a, "workspace"_a, "max_block"_a, "one_by_one"_a.noconvert());
}

}  // namespace blocklda
