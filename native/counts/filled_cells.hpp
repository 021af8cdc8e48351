// The cells of a count table that are not empty, as compressed rows.
#pragma once

#include <cstdint>
#include <vector>

#include "shared/views.hpp"

namespace blocklda {

// Row i has counts[j] > 0 tokens of topics[j] for offsets[i] <= j < offsets[i + 1]; topics ascend.
struct FilledCells {
    std::vector<std::int64_t> offsets;
    std::vector<std::int32_t> topics;
    std::vector<std::int32_t> counts;
};

// Of n_dk.
FilledCells filled_by_document(const CorpusView& corpus, const std::int32_t* topics,
                               std::int64_t n_topics);

// Of n_vk. The words of every document must ascend.
FilledCells filled_by_word(const CorpusView& corpus, const std::int32_t* topics,
                           std::int64_t n_topics);

}  // namespace blocklda
