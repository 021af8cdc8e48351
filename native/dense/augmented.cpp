// Data augmentation (the paper's equation for z given theta and phi): every token of a block is an
// independent draw from weights theta_dk phi_kv. Python draws theta and phi with NumPy's own code.
#include "builds/entry_points.hpp"
#include "dense/blocks.hpp"

namespace blocklda::BLOCKLDA_ISA {

Outcome augmented(const CorpusView& corpus, const double* theta, const double* phi,
                  std::int64_t padded, const Rng& rng, std::int32_t* topics) {
    Outcome outcome;
    Buffer<double> prefix(padded);
    TopicTable table;
    for (std::int64_t d = 0; d < corpus.n_docs; ++d) {
        const double* theta_d = theta + d * padded;
        for (std::int64_t e = corpus.doc_offsets[d]; e < corpus.doc_offsets[d + 1]; ++e) {
            const double* phi_v = phi + corpus.word_ids[e] * padded;
            const bool usable = table.fill(prefix.data(), padded, [=](std::int64_t i) {
                return load<Vec>(theta_d + i) * load<Vec>(phi_v + i);
            });
            if (!usable) {
                outcome.failed_entry = e;
                return outcome;
            }
            for (std::int32_t i = 0; i < corpus.counts[e]; ++i) {
                *topics++ = table.draw(uniform(rng));
                ++outcome.steps;
            }
        }
    }
    return outcome;
}

}  // namespace blocklda::BLOCKLDA_ISA
