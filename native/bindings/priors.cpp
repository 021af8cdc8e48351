#include "bindings/priors.hpp"

namespace blocklda {
namespace {

template <class Tables, class T>
void bind(nb::module_& m, const char* name, const char* description) {
    using namespace nb::literals;
    nb::class_<Tables>(m, name, nb::is_final(), description)
        .def(nb::init<GivenFlat<T>, GivenTable<T>, GivenFlat<double>, std::int64_t>(),
             "alpha"_a.noconvert(), "beta"_a.noconvert(), "beta_sum"_a.noconvert(), "n_topics"_a);
}

}  // namespace

void bind_priors(nb::module_& m) {
    bind<Priors, double>(m, "Priors", "Dirichlet priors of topics and words.");
    bind<StartPriors, float>(m, "StartPriors", "The same in single precision, for a start.");
}

}  // namespace blocklda
