// What is known of new documents when phi is known.
#include "bindings/border.hpp"

namespace blocklda {
namespace {

// phi is one table (words, padded topics) or the first of several.
NewDocument checked_document(const Flat<const std::int32_t>& words,
                             const Flat<const std::int32_t>& counts, const double* phi,
                             std::int64_t n_rows, const Flat<const double>& alpha,
                             std::int64_t n_topics) {
    require_aligned(words, counts, alpha);
    const std::int64_t n_entries = length(words);
    const std::int64_t padded = length(alpha);
    require(length(counts) == n_entries, "counts and words differ in length");
    require_padded(n_topics, padded, 8);
    require_topic_prior(alpha.data(), n_topics, padded);
    require(all_below(words.data(), n_entries, n_rows), "word out of range");
    const std::int64_t n_tokens = checked_n_tokens(counts.data(), n_entries);
    return {words.data(), counts.data(), n_entries, n_tokens, phi, padded};
}

Result fold_in(Flat<const std::int32_t> words, Flat<const std::int32_t> counts,
               Tables<const double> phi, Flat<const double> alpha, std::int64_t n_topics,
               std::int64_t n_sweeps, std::int64_t burn_in, std::int64_t most_states,
               nb::capsule bit_generator, Table<double> theta) {
    const std::int64_t n_phi = length(phi);
    const std::int64_t n_rows = length(phi, 1);
    require(phi.shape(2) == alpha.shape(0), "alpha and phi differ in length");
    const NewDocument document =
        checked_document(words, counts, phi.data(), n_rows, alpha, n_topics);
    require_aligned(phi, theta);
    require(burn_in >= 0 && burn_in < n_sweeps, "n_sweeps must be more than burn_in");
    require(n_sweeps < kLimit, "n_sweeps out of range");
    require(most_states >= 0 && most_states < kLimit, "most_states out of range");
    require(length(theta) == n_phi && length(theta, 1) == n_topics,
            "theta needs one number a topic for each phi");
    const Rng rng = rng_of(bit_generator);
    const FoldInOptions options{n_phi, n_rows, n_sweeps, burn_in, most_states};
    const KernelTable* kernels = active_kernels();
    nb::gil_scoped_release unlocked;
    return result_of(
        kernels->fold_in(document, alpha.data(), n_topics, options, rng, theta.data()));
}

Result left_to_right(Flat<const std::int32_t> words, Flat<const std::int32_t> counts,
                     Table<const double> phi, Flat<const double> alpha, std::int64_t n_topics,
                     std::int64_t n_particles, nb::capsule bit_generator, Flat<double> products,
                     Flat<std::int64_t> n_small) {
    require(phi.shape(1) == alpha.shape(0), "alpha and phi differ in length");
    const NewDocument document =
        checked_document(words, counts, phi.data(), length(phi), alpha, n_topics);
    require_aligned(phi, products, n_small);
    require(n_particles >= 1 && n_particles < kLimit, "n_particles out of range");
    require(products.shape(0) == n_small.shape(0), "products and n_small differ in length");
    const std::int64_t n_batches = length(products);
    const Rng rng = rng_of(bit_generator);
    const KernelTable* kernels = active_kernels();
    nb::gil_scoped_release unlocked;
    return result_of(kernels->left_to_right(document, alpha.data(), n_particles, n_batches, rng,
                                            products.data(), n_small.data()));
}

}  // namespace

void bind_new_documents(nb::module_& m) {
    using namespace nb::literals;
    m.def("fold_in", &fold_in, "words"_a.noconvert(), "counts"_a.noconvert(), "phi"_a.noconvert(),
          "alpha"_a.noconvert(), "n_topics"_a, "n_sweeps"_a, "burn_in"_a, "most_states"_a,
          "bit_generator"_a, "theta"_a.noconvert());
    m.def("left_to_right", &left_to_right, "words"_a.noconvert(), "counts"_a.noconvert(),
          "phi"_a.noconvert(), "alpha"_a.noconvert(), "n_topics"_a, "n_particles"_a,
          "bit_generator"_a, "products"_a.noconvert(), "n_small"_a.noconvert());
}

}  // namespace blocklda
