// What is said of cells that were noted one by one: the same that counting tells.
#pragma once

#include "counts/occupancy.hpp"
#include "counts/topic_histograms.hpp"
#include "shared/views.hpp"

namespace blocklda {

// How many cells of all topics hold n tokens, for n > 0.
std::vector<std::int64_t> occupancy_of(const CellsView& cells, std::int64_t n_topics);

// For every topic, how many cells hold more than i tokens.
TopicHistograms histograms_of(const CellsView& cells, std::int64_t n_topics);

}  // namespace blocklda
