// The scheme of the samplers that move one token at a time, on any kind of counts.
#pragma once

#include <cstdint>

#include "dense/blocks.hpp"

namespace blocklda::BLOCKLDA_ISA {

// `max_block` of what these samplers call blocks: BlockSweep then shuffles each entry's tokens and
// takes them in turn.
inline constexpr std::int64_t kOneToken = 1;

template <class CountsOfTokens>
class SingleTokens {
  public:
    using Counts = CountsOfTokens;
    using Word = typename Counts::Word;

    SingleTokens(const PriorsView& priors, const BlockOptions&, const Rng& rng)
        : rng_(rng), prefix_(priors.padded) {}

    bool one(Counts& counts, const Word& word, std::int32_t& topic) {
        if (!fill_single(table_, prefix_.data(), counts, word, topic)) return false;
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

}  // namespace blocklda::BLOCKLDA_ISA
