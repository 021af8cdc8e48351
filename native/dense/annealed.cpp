// Annealed sweeps, with which a chain may begin: one token at a time from
//     (n_dk + alpha_k) [(n_vk + beta) / (n_k + V beta)]^b,  b = sixteenths / 16.
#include "builds/entry_points.hpp"
#include "dense/annealed_counts.hpp"
#include "dense/single_tokens.hpp"

namespace blocklda::BLOCKLDA_ISA {

namespace {

template <class Prior>
using Annealed = SingleTokens<AnnealedCounts<Prior>>;

}  // namespace

Outcome annealed(const CorpusView& corpus, const PriorsView& priors, const Rng& rng,
                 std::int32_t* topics, std::int64_t n_sweeps, std::int64_t sixteenths) {
    const BlockOptions one_token{
        .max_block = kOneToken, .fft_from = 0, .fft = {}, .sixteenths = sixteenths};
    return run_blocks<Annealed>(corpus, priors, one_token, rng, topics, n_sweeps);
}

}  // namespace blocklda::BLOCKLDA_ISA
