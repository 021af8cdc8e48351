// Single-site collapsed Gibbs sampling (Griffiths & Steyvers): one token at a time from
//     p(z = k | rest) proportional to (n_dk + alpha_k) (n_vk + beta) / (n_k + V beta).
#include "builds/entry_points.hpp"
#include "dense/blocks.hpp"

namespace blocklda::BLOCKLDA_ISA {

namespace {

// Blocks of one token, whatever the corpus: `max_block` 1 makes BlockSweep shuffle each entry's
// tokens and take them in turn.
template <class Prior>
class SingleSite {
  public:
    using Counts = BLOCKLDA_ISA::Counts<1, Prior>;
    using Word = WordCounts<Prior>;

    SingleSite(const PriorsView& priors, const BlockOptions&, const Rng& rng)
        : rng_(rng), prefix_(priors.padded) {}

    bool one(Counts& counts, const Word& word, std::int32_t& topic) {
        if (!fill_single(table_, prefix_.data(), counts, word)) return false;
        topic = table_.draw(uniform(rng_));
        ++steps;
        return true;
    }

    bool many(Counts&, const Word&, std::int64_t, Allocation&) {
        return false;  // not reached: no block has two tokens
    }

    std::int64_t steps = 0;
    static constexpr bool too_large = false;

  private:
    Rng rng_;
    Buffer<double> prefix_;
    TopicTable table_;
};

}  // namespace

Outcome single_site(const CorpusView& corpus, const PriorsView& priors, const Rng& rng,
                    std::int32_t* topics, std::int64_t n_sweeps) {
    const BlockOptions one_token{.max_block = 1, .fft_from = 0, .fft = {}};
    return run_blocks<SingleSite>(corpus, priors, one_token, rng, topics, n_sweeps);
}

}  // namespace blocklda::BLOCKLDA_ISA
