// The border between Python and the kernels: shapes and bounds are checked here. What lasts, a
// corpus or priors, is checked once, when its object is made; the rest at every call. Each group of
// kernels has a file of its own, which checks what only it takes.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>

#include <cstdint>
#include <utility>

#include "bindings/arrays.hpp"
#include "builds/kernels.hpp"

namespace blocklda {

// Counts are 32-bit signed integers.
inline constexpr std::int64_t kLimit = std::int64_t{1} << 31;

// Simulation steps, and the entry at which a kernel failed or -1.
using Result = std::pair<std::int64_t, std::int64_t>;
inline Result result_of(const Outcome& outcome) { return {outcome.steps, outcome.failed_entry}; }

// The build of the kernels that is in use.
const KernelTable* active_kernels();

void require_n_topics(std::int64_t n_topics);

// Rows of topics are padded to whole groups of `lanes`.
void require_padded(std::int64_t n_topics, std::int64_t padded, std::int64_t lanes);

// Whether all numbers are above 0, and so none is NaN; one may be infinite, which kernels find.
template <class T>
bool all_positive(const T* numbers, std::int64_t n) {
    bool are_positive = true;
    for (std::int64_t i = 0; i < n; ++i) are_positive &= numbers[i] > 0;
    return are_positive;
}

// A prior over topics is positive, and its padding is 0: no token may end there.
template <class T>
void require_topic_prior(const T* prior, std::int64_t n_topics, std::int64_t padded) {
    bool is_empty_behind = true;
    for (std::int64_t k = n_topics; k < padded; ++k) is_empty_behind &= prior[k] == 0;
    require(all_positive(prior, n_topics) && is_empty_behind,
            "alpha must be positive, and 0 behind the last topic");
}

// Whether all numbers are from 0 to bound - 1. Without a way out of the loop it is vectorised; at a
// few million tokens a second that matters.
bool all_below(const std::int32_t* numbers, std::int64_t n, std::int64_t bound);

// The sum of positive counts.
std::int64_t checked_n_tokens(const std::int32_t* counts, std::int64_t n_entries);

// Offsets that rise from 0 to the number of entries.
void require_offsets(const std::int64_t* offsets, std::int64_t n_offsets, std::int64_t n_entries,
                     const char* out_of_range, const char* falling);

Rng rng_of(const nb::capsule& capsule);

// What each file adds to the module.
void bind_corpus(nb::module_& m);
void bind_priors(nb::module_& m);
void bind_counts(nb::module_& m);
void bind_dense(nb::module_& m);
void bind_dense_grid(nb::module_& m);
void bind_sparse(nb::module_& m);
void bind_grid(nb::module_& m);
void bind_cell(nb::module_& m);
void bind_given_phi(nb::module_& m);
void bind_hdp(nb::module_& m);
void bind_starts(nb::module_& m);
void bind_mixture(nb::module_& m);
void bind_moves(nb::module_& m);
void bind_new_documents(nb::module_& m);

}  // namespace blocklda
