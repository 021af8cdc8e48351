// Whole numbers only, so one build serves every instruction set.
#include "counts/topic_histograms.hpp"

namespace blocklda {

TopicHistograms topic_histograms(const CorpusView& corpus, const std::int32_t* topics,
                                 std::int64_t n_topics) {
    std::vector<std::vector<std::int64_t>> exactly(static_cast<std::size_t>(n_topics));
    std::vector<std::size_t> n_dk(static_cast<std::size_t>(n_topics));
    std::vector<std::size_t> in_document;
    for (std::int64_t d = 0; d < corpus.n_docs; ++d) {
        const std::int32_t* end = topics;
        for (std::int64_t e = corpus.doc_offsets[d]; e < corpus.doc_offsets[d + 1]; ++e) {
            end += corpus.counts[e];
        }
        in_document.clear();
        for (; topics != end; ++topics) {
            const auto k = static_cast<std::size_t>(*topics);
            if (n_dk[k]++ == 0) in_document.push_back(k);
        }
        for (const std::size_t k : in_document) {
            if (n_dk[k] >= exactly[k].size()) exactly[k].resize(n_dk[k] + 1);
            ++exactly[k][n_dk[k]];
            n_dk[k] = 0;
        }
    }
    return histograms_of(exactly);
}

TopicHistograms histograms_of(std::vector<std::vector<std::int64_t>>& exactly) {
    TopicHistograms result{{0}, {}};
    for (std::vector<std::int64_t>& of_topic : exactly) {
        // More than i tokens: i + 1 or more.
        for (std::size_t n = of_topic.size(); n-- > 2;) of_topic[n - 1] += of_topic[n];
        if (!of_topic.empty()) {
            result.above.insert(result.above.end(), of_topic.begin() + 1, of_topic.end());
        }
        result.offsets.push_back(static_cast<std::int64_t>(result.above.size()));
    }
    return result;
}

}  // namespace blocklda
