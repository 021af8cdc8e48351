// Whole numbers only, so one build serves every instruction set.
#include "counts/topic_histograms.hpp"

namespace blocklda {

// The token that raises n_dk from i to i + 1 makes document d one of those that hold more than i.
TopicHistograms topic_histograms(const CorpusView& corpus, const std::int32_t* topics,
                                 std::int64_t n_topics) {
    std::vector<std::vector<std::int64_t>> above(static_cast<std::size_t>(n_topics));
    std::vector<std::size_t> n_dk(static_cast<std::size_t>(n_topics));
    const std::int32_t* begin = topics;
    for (std::int64_t d = 0; d < corpus.n_docs; ++d) {
        const std::int32_t* end = begin;
        for (std::int64_t e = corpus.doc_offsets[d]; e < corpus.doc_offsets[d + 1]; ++e) {
            end += corpus.counts[e];
        }
        for (const std::int32_t* topic = begin; topic != end; ++topic) {
            const auto k = static_cast<std::size_t>(*topic);
            const std::size_t i = n_dk[k]++;
            if (i == above[k].size()) above[k].push_back(0);
            ++above[k][i];
        }
        for (; begin != end; ++begin) n_dk[static_cast<std::size_t>(*begin)] = 0;
    }
    TopicHistograms result{{0}, {}};
    for (const std::vector<std::int64_t>& of_topic : above) {
        result.above.insert(result.above.end(), of_topic.begin(), of_topic.end());
        result.offsets.push_back(static_cast<std::int64_t>(result.above.size()));
    }
    return result;
}

}  // namespace blocklda
