// For every topic, how many documents hold more than i of its tokens: all that the likelihood of a
// prior of its own for each topic needs of an assignment.
#pragma once

#include <cstdint>
#include <vector>

#include "shared/views.hpp"

namespace blocklda {

// above[offsets[k] + i] documents have n_dk > i. A topic's numbers end before the first 0, so there
// are at most as many as tokens.
struct TopicHistograms {
    std::vector<std::int64_t> offsets;
    std::vector<std::int64_t> above;
};

TopicHistograms topic_histograms(const CorpusView& corpus, const std::int32_t* topics,
                                 std::int64_t n_topics);

// The same from how many documents have exactly n tokens of topic k, exactly[k][n].
TopicHistograms histograms_of(std::vector<std::vector<std::int64_t>>& exactly);

}  // namespace blocklda
