// What is known of new documents when phi is known.
#include "border.hpp"

namespace blocklda {
namespace {

NewDocument checked_document(const Flat<const std::int32_t>& words,
                             const Flat<const std::int32_t>& counts, const Table<const double>& phi,
                             const Flat<const double>& alpha, std::int64_t n_topics) {
    const auto n_entries = static_cast<std::int64_t>(words.shape(0));
    const auto padded = static_cast<std::int64_t>(phi.shape(1));
    require(static_cast<std::int64_t>(counts.shape(0)) == n_entries,
            "counts and words differ in length");
    require(n_topics >= 1 && padded == (n_topics + 7) / 8 * 8 &&
                static_cast<std::int64_t>(alpha.shape(0)) == padded,
            "alpha and phi must be padded to lanes");
    require(all_below(words.data(), n_entries, static_cast<std::int64_t>(phi.shape(0))),
            "word out of range");
    std::int64_t n_tokens = 0;
    bool are_positive = true;
    for (std::int64_t e = 0; e < n_entries; ++e) {
        are_positive &= counts.data()[e] > 0;
        n_tokens += counts.data()[e];
    }
    require(are_positive, "counts must be positive");
    return {words.data(), counts.data(), n_entries, n_tokens, phi.data(), padded};
}

Result fold_in(Flat<const std::int32_t> words, Flat<const std::int32_t> counts,
               Table<const double> phi, Flat<const double> alpha, std::int64_t n_topics,
               std::int64_t n_sweeps, std::int64_t burn_in, nb::capsule bit_generator,
               Flat<std::int32_t> topics, bool has_topics, Flat<double> theta) {
    const NewDocument document = checked_document(words, counts, phi, alpha, n_topics);
    require(burn_in >= 0 && burn_in < n_sweeps, "n_sweeps must be more than burn_in");
    require(static_cast<std::int64_t>(theta.shape(0)) == n_topics,
            "theta needs one number a topic");
    require(static_cast<std::int64_t>(topics.shape(0)) == document.n_tokens,
            "one topic per token is needed");
    require(!has_topics || all_below(topics.data(), document.n_tokens, n_topics),
            "topic out of range");
    const Rng rng = rng_of(bit_generator);
    const KernelTable* kernels = active_kernels();
    nb::gil_scoped_release unlocked;
    return result_of(kernels->fold_in(document, alpha.data(), n_topics,
                                      {n_sweeps, burn_in, has_topics}, rng, topics.data(),
                                      theta.data()));
}

}  // namespace

void bind_new_documents(nb::module_& m) {
    using namespace nb::literals;
    m.def("fold_in", &fold_in, "words"_a, "counts"_a, "phi"_a, "alpha"_a, "n_topics"_a,
          "n_sweeps"_a, "burn_in"_a, "bit_generator"_a, "topics"_a.noconvert(), "has_topics"_a,
          "theta"_a.noconvert());
}

}  // namespace blocklda
