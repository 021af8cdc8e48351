// The border between Python and the kernels: shapes and bounds are checked here, once per call.
// Each group of kernels has its own bindings_*.cpp, which checks what only it takes.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>

#include <cstdint>
#include <utility>

#include "kernels.hpp"

namespace blocklda {

namespace nb = nanobind;

template <class T>
using Flat = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Table = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Counts are 32-bit signed integers.
inline constexpr std::int64_t kLimit = std::int64_t{1} << 31;

// Simulation steps, and the entry at which a kernel failed or -1.
using Result = std::pair<std::int64_t, std::int64_t>;
inline Result result_of(const Outcome& outcome) { return {outcome.steps, outcome.failed_entry}; }

// The build of the kernels that is in use.
const KernelTable* active_kernels();

inline void require(bool holds, const char* message) {
    if (!holds) throw nb::value_error(message);
}

// Whether all numbers are from 0 to bound - 1. Without a way out of the loop it is vectorised; at a
// few million tokens a second that matters.
bool all_below(const std::int32_t* numbers, std::int64_t n, std::int64_t bound);

Rng rng_of(const nb::capsule& capsule);

// Python's `Corpus` and `Priors` hand over arrays that are right by construction. They are checked
// again because a kernel that trusts a wrong index writes outside its tables.
CorpusView checked_entries(const Flat<const std::int64_t>& doc_offsets,
                           const Flat<const std::int32_t>& word_ids,
                           const Flat<const std::int32_t>& counts, std::int64_t n_words);
CorpusView checked_corpus(const Flat<const std::int64_t>& doc_offsets,
                          const Flat<const std::int32_t>& word_ids,
                          const Flat<const std::int32_t>& counts, std::int64_t n_words,
                          const Flat<std::int32_t>& topics, std::int64_t n_topics);
PriorsView checked_priors(const Flat<const double>& alpha, const Table<const double>& beta,
                          const Flat<const double>& beta_sum, std::int64_t n_topics,
                          std::int64_t n_words);

// What each bindings_*.cpp adds to the module.
void bind_dense(nb::module_& m);
void bind_sparse(nb::module_& m);
void bind_given_phi(nb::module_& m);
void bind_start(nb::module_& m);
void bind_new_documents(nb::module_& m);

}  // namespace blocklda
