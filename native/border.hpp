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

// A view into bytes may begin anywhere, and vector loops trust that numbers do not.
template <class... Arrays>
void require_aligned(const Arrays&... arrays) {
    require(
        ((reinterpret_cast<std::uintptr_t>(arrays.data()) % sizeof(*arrays.data()) == 0) && ...),
        "arrays must be aligned");
}

// Rows of topics are padded to whole groups of `lanes`.
void require_padded(std::int64_t n_topics, std::size_t padded, std::int64_t lanes);

// Whether all numbers are above 0, and so none is NaN; one may be infinite, which kernels find.
template <class T>
bool all_positive(const T* numbers, std::int64_t n) {
    bool are_positive = true;
    for (std::int64_t i = 0; i < n; ++i) are_positive &= numbers[i] > 0;
    return are_positive;
}

// A prior over topics is positive, and its padding is 0: no token may end there.
template <class T>
void require_topic_prior(const Flat<const T>& prior, std::int64_t n_topics) {
    bool is_empty_behind = true;
    for (auto k = static_cast<std::size_t>(n_topics); k < prior.shape(0); ++k) {
        is_empty_behind &= prior.data()[k] == 0;
    }
    require(all_positive(prior.data(), n_topics) && is_empty_behind,
            "alpha must be positive, and 0 behind the last topic");
}

// The stride from one word's row of beta to the next: 0 if all words share one number.
template <class T>
std::int64_t checked_beta_stride(const Table<const T>& beta, std::int64_t n_topics,
                                 std::int64_t n_words) {
    const auto rows = static_cast<std::int64_t>(beta.shape(0));
    const auto padded = static_cast<std::int64_t>(beta.shape(1));
    require(rows == 1 || rows == n_words, "beta must have one row, or one per word");
    bool are_positive = true;
    for (std::int64_t v = 0; v < rows; ++v) {
        are_positive &= all_positive(beta.data() + v * padded, n_topics);
    }
    require(are_positive, "beta must be positive");
    bool is_equal = rows == 1;
    for (std::int64_t k = 1; is_equal && k < n_topics; ++k) {
        is_equal = beta.data()[k] == beta.data()[0];
    }
    require(is_equal || rows == n_words, "a row of beta that all words share must be one number");
    return is_equal ? 0 : padded;
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
// The sum of positive counts.
std::int64_t checked_n_tokens(const Flat<const std::int32_t>& counts);
PriorsView checked_priors(const Flat<const double>& alpha, const Table<const double>& beta,
                          const Flat<const double>& beta_sum, std::int64_t n_topics,
                          std::int64_t n_words);

// What each bindings_*.cpp adds to the module.
void bind_dense(nb::module_& m);
void bind_sparse(nb::module_& m);
void bind_grid(nb::module_& m);
void bind_given_phi(nb::module_& m);
void bind_start(nb::module_& m);
void bind_new_documents(nb::module_& m);

}  // namespace blocklda
