// The Python module, and the choice between the builds of the kernels.
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <string>
#include <vector>

#include "bindings/border.hpp"
#include "builds/dispatch.hpp"

namespace blocklda {

namespace {

const KernelTable* active = usable_tables().back();

std::vector<std::string> instruction_sets() {
    std::vector<std::string> names;
    for (const KernelTable* table : usable_tables()) names.emplace_back(table->isa);
    return names;
}

void use_instruction_set(const std::string& name) {
    for (const KernelTable* table : usable_tables()) {
        if (name == table->isa) {
            active = table;
            return;
        }
    }
    throw nb::value_error("no kernels for this instruction set on this machine");
}

// The name in the module of what calls each kernel: for the test that none is left out.
std::map<std::string, std::string> kernels() {
    std::map<std::string, std::string> names;
    for (const auto& [kernel, python_name] : kKernelNames) names.emplace(kernel, python_name);
    return names;
}

}  // namespace

const KernelTable* active_kernels() { return active; }

}  // namespace blocklda

NB_MODULE(_native, m) {
    using namespace nanobind::literals;
    m.doc() =
        "Compiled sweeps; see native/ for the sources and blocklda.models.lda.reference for the "
        "twins.";
    // A corpus that a global variable still holds when Python ends is no fault to report to users.
    nanobind::set_leak_warnings(false);
    blocklda::bind_corpus(m);
    blocklda::bind_priors(m);
    blocklda::bind_counts(m);
    blocklda::bind_dense(m);
    blocklda::bind_dense_grid(m);
    blocklda::bind_sparse(m);
    blocklda::bind_grid(m);
    blocklda::bind_cell(m);
    blocklda::bind_given_phi(m);
    blocklda::bind_hdp(m);
    blocklda::bind_starts(m);
    blocklda::bind_mixture(m);
    blocklda::bind_moves(m);
    blocklda::bind_new_documents(m);
    m.def("kernels", &blocklda::kernels);
    m.def("instruction_sets", &blocklda::instruction_sets);
    m.def("use_instruction_set", &blocklda::use_instruction_set, "name"_a);
    m.def("active_instruction_set", [] { return std::string(blocklda::active_kernels()->isa); });
}
