// The counts n_vk and n_k of a corpus as the dense samplers keep them.
#pragma once

#include <cstdint>
#include <vector>

#include "shared/views.hpp"

namespace blocklda {

class DenseTable {
  public:
    // The counts of these topics, in the smallest numbers that no sweep can overflow.
    DenseCounts count(const CorpusView& corpus, const std::int32_t* topics, std::int64_t padded);

  private:
    std::vector<std::uint16_t> n_vk_16_;
    std::vector<std::int32_t> n_vk_32_;
    std::vector<std::int32_t> n_k_;
};

}  // namespace blocklda
