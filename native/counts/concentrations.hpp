// The counts of topics of some words, with their prior.
#pragma once

#include <cstdint>

#include "shared/views.hpp"

namespace blocklda {

// Some neighbouring words, and the table that their numbers are written to, one row each.
struct WordTable {
    std::int64_t first_word;
    std::int64_t n_words;
    double* rows;
    std::int64_t padded;
};

// Writes n_vk + beta_kv; `beta` is the row of the first word, or null for n_vk alone. False if a
// token has a topic that is out of range: threads count a part of the words each, so that each
// looks only at the tokens that it counts.
bool concentrations(const MajorView& by_word, const std::int32_t* topics, std::int64_t n_topics,
                    const double* beta, std::int64_t beta_stride, const WordTable& table);

}  // namespace blocklda
