// How full the cells of the count tables are: all that the log posterior needs of an assignment.
#pragma once

#include <cstdint>
#include <vector>

#include "counts/topic_histograms.hpp"
#include "shared/views.hpp"

namespace blocklda {

// docs[n] and words[n] say how many cells of n_dk and n_vk hold n tokens, for n > 0; topics[k] is
// n_k.
struct Occupancy {
    std::vector<std::int64_t> docs;
    std::vector<std::int64_t> words;
    std::vector<std::int64_t> topics;
};

// The same with what `topic_histograms` counts, which documents tell on the way.
struct CountedCells {
    Occupancy cells;
    TopicHistograms documents;
};

CountedCells count_cells(const CorpusView& corpus, const std::int32_t* topics,
                         std::int64_t n_topics);

}  // namespace blocklda
