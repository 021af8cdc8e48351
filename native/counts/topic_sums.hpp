// Sums over draws of what their tokens weigh, by word or by document. A draw adds n w to a cell
// with n tokens, and draws are added one after another: the sums do not depend on how many come at
// once.
#pragma once

#include <cstdint>
#include <vector>

#include "shared/views.hpp"

namespace blocklda {

// Row i has values[j] > 0 for topics[j], offsets[i] <= j < offsets[i + 1]; topics ascend.
struct SummedRows {
    std::vector<std::int64_t> offsets;
    std::vector<std::int32_t> topics;
    std::vector<double> values;
};

// Some neighbouring words or documents.
struct RowRange {
    std::int64_t first;
    std::int64_t end;
};

// Topics of draws, each one per token, in the smallest type that holds them.
template <class Topic>
using DrawnTopics = std::vector<const Topic*>;

// A token of topic k in draw t weighs weights[t * n_topics + k]. Adds the rows of some words to
// `out`, or returns those of all words for one draw. The words of every document must ascend.
template <class Topic>
void add_by_word(const CorpusView& corpus, const DrawnTopics<Topic>& draws, const double* weights,
                 std::int64_t n_topics, RowRange words, double* out);
template <class Topic>
SummedRows sums_by_word(const CorpusView& corpus, const Topic* topics, const double* weights,
                        std::int64_t n_topics);

// The same for documents; a token of document d in draw t weighs 1 / (N_d + more[t]).
template <class Topic>
void add_by_document(const CorpusView& corpus, const DrawnTopics<Topic>& draws, const double* more,
                     std::int64_t n_topics, RowRange docs, double* out);
template <class Topic>
SummedRows sums_by_document(const CorpusView& corpus, const Topic* topics, const double* more,
                            std::int64_t n_topics);

}  // namespace blocklda
