// Single-site collapsed Gibbs sampling (Griffiths & Steyvers): one token at a time from
//     p(z = k | rest) proportional to (n_dk + alpha_k) (n_vk + beta) / (n_k + V beta).
#include "builds/entry_points.hpp"
#include "dense/single_tokens.hpp"

namespace blocklda::BLOCKLDA_ISA {

namespace {

template <class Prior>
using SingleSite = SingleTokens<Counts<1, Prior>>;

}  // namespace

Outcome single_site(const CorpusView& corpus, const PriorsView& priors, const Rng& rng,
                    std::int32_t* topics, std::int64_t n_sweeps) {
    const BlockOptions one_token{.max_block = kOneToken, .fft_from = 0, .fft = {}};
    return run_blocks<SingleSite>(corpus, priors, one_token, rng, topics, n_sweeps);
}

}  // namespace blocklda::BLOCKLDA_ISA
