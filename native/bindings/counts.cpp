// Counts of an assignment of topics: how full the tables are, and n_vk of some words.
#include <nanobind/stl/vector.h>

#include <utility>
#include <vector>

#include "bindings/border.hpp"
#include "bindings/corpus.hpp"
#include "bindings/numbers.hpp"
#include "bindings/priors.hpp"
#include "counts/concentrations.hpp"
#include "counts/occupancy.hpp"
#include "counts/topic_histograms.hpp"
#include "counts/topic_sums.hpp"

namespace blocklda {
namespace {

// Topics of a draw, in a type that is looked at when they are used.
using TopicsOfDraw = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::tuple counted_cells(const Corpus& corpus, std::int64_t n_topics, Flat<std::int32_t> topics) {
    corpus.require_topics(topics, n_topics);
    CountedCells counted;
    {
        nb::gil_scoped_release unlocked;
        counted = count_cells(corpus.view(), topics.data(), n_topics);
    }
    return handed_cells(std::move(counted));
}

nb::tuple count_topic_histograms(const Corpus& corpus, std::int64_t n_topics,
                                 Flat<std::int32_t> topics) {
    corpus.require_topics(topics, n_topics);
    TopicHistograms result;
    {
        nb::gil_scoped_release unlocked;
        result = topic_histograms(corpus.view(), topics.data(), n_topics);
    }
    return nb::make_tuple(numbers_of(std::move(result.offsets)),
                          numbers_of(std::move(result.above)));
}

// The topics of draws, after a look whether each token has one.
template <class Topic>
DrawnTopics<Topic> drawn_topics(const std::vector<TopicsOfDraw>& draws, std::int64_t n_tokens,
                                std::int64_t n_topics) {
    DrawnTopics<Topic> found;
    for (const TopicsOfDraw& draw : draws) {
        require(draw.dtype() == nb::dtype<Topic>(), "the draws have topics of different types");
        require(static_cast<std::int64_t>(draw.shape(0)) == n_tokens,
                "one topic per token is needed");
        const auto* topics = static_cast<const Topic*>(draw.data());
        bool are_topics = true;
        for (std::int64_t i = 0; i < n_tokens; ++i) {
            are_topics &= static_cast<std::int64_t>(topics[i]) < n_topics;
        }
        require(are_topics, "topic out of range");
        found.push_back(topics);
    }
    return found;
}

// Calls `use` with the topics of draws in their own type.
template <class Use>
void with_topics(const Corpus& corpus, const std::vector<TopicsOfDraw>& draws,
                 const Table<const double>& weights, std::int64_t n_topics, bool by_word, Use use) {
    require_n_topics(n_topics);
    require_aligned(weights);
    require(!draws.empty() && length(weights) == static_cast<std::int64_t>(draws.size()) &&
                length(weights, 1) == (by_word ? n_topics : 1),
            "weights needs a row for every draw");
    require(!by_word || corpus.is_ordered(), "the words of every document must ascend");
    const std::int64_t n_tokens = corpus.n_tokens();
    if (draws[0].dtype() == nb::dtype<std::uint8_t>()) {
        use(drawn_topics<std::uint8_t>(draws, n_tokens, n_topics));
    } else if (draws[0].dtype() == nb::dtype<std::uint16_t>()) {
        use(drawn_topics<std::uint16_t>(draws, n_tokens, n_topics));
    } else {
        use(drawn_topics<std::uint32_t>(draws, n_tokens, n_topics));
    }
}

// The filled cells of what one draw adds: by word with a weight for every topic, by document with
// what is added to the document's length.
nb::tuple sum_topics(const Corpus& corpus, std::int64_t n_topics,
                     const std::vector<TopicsOfDraw>& draws, Table<const double> weights,
                     bool by_word) {
    require(draws.size() == 1, "one draw is needed");
    SummedRows sums;
    with_topics(corpus, draws, weights, n_topics, by_word, [&](const auto& topics) {
        nb::gil_scoped_release unlocked;
        sums = by_word ? sums_by_word(corpus.view(), topics[0], weights.data(), n_topics)
                       : sums_by_document(corpus.view(), topics[0], weights.data(), n_topics);
    });
    return nb::make_tuple(numbers_of(std::move(sums.offsets)), numbers_of(std::move(sums.topics)),
                          numbers_of(std::move(sums.values)));
}

// Adds what draws add to the rows from `first` on, one row of `out` each.
void add_topics(const Corpus& corpus, std::int64_t n_topics, const std::vector<TopicsOfDraw>& draws,
                Table<const double> weights, bool by_word, std::int64_t first, Table<double> out) {
    const std::int64_t n_rows = by_word ? corpus.n_words() : corpus.n_docs();
    require_aligned(out);
    require(length(out, 1) == n_topics && first >= 0 && first <= n_rows - length(out),
            "out has rows or columns that there are not");
    const RowRange rows{first, first + length(out)};
    with_topics(corpus, draws, weights, n_topics, by_word, [&](const auto& topics) {
        nb::gil_scoped_release unlocked;
        if (by_word) {
            add_by_word(corpus.view(), topics, weights.data(), n_topics, rows, out.data());
        } else {
            add_by_document(corpus.view(), topics, weights.data(), n_topics, rows, out.data());
        }
    });
}

// Writes n_vk + beta_kv of the words from `first_word` on, one row of `out` each; n_vk alone
// without priors.
void write_concentrations(const ByWord& by_word, std::int64_t first_word,
                          Flat<const std::int32_t> topics, const Priors* priors,
                          std::int64_t n_topics, Table<double> out) {
    const std::int64_t n_words = length(out);
    require_aligned(topics, out);
    require_padded(n_topics, length(out, 1), 8);
    require(first_word >= 0 && first_word <= by_word.n_words() - n_words,
            "out has more rows than there are words from the first one on");
    require(length(topics) == by_word.n_tokens(), "one topic per token is needed");
    const double* beta = nullptr;
    std::int64_t stride = 0;
    if (priors != nullptr) {
        require(priors->n_topics() == n_topics, "the priors have another number of topics");
        const PriorsView view = priors->view_of(by_word);
        stride = view.beta_stride;
        beta = view.beta + first_word * stride;
    }
    bool is_good = false;
    {
        nb::gil_scoped_release unlocked;
        is_good = concentrations(by_word.rows(), topics.data(), n_topics, beta, stride,
                                 {first_word, n_words, out.data(), length(out, 1)});
    }
    require(is_good, "topic out of range");
}

}  // namespace

void bind_counts(nb::module_& m) {
    using namespace nb::literals;
    m.def("count_cells", &counted_cells, "corpus"_a, "n_topics"_a, "topics"_a.noconvert());
    m.def("topic_histograms", &count_topic_histograms, "corpus"_a, "n_topics"_a,
          "topics"_a.noconvert());
    m.def("topic_sums", &sum_topics, "corpus"_a, "n_topics"_a, "draws"_a, "weights"_a.noconvert(),
          "by_word"_a);
    m.def("add_topic_sums", &add_topics, "corpus"_a, "n_topics"_a, "draws"_a,
          "weights"_a.noconvert(), "by_word"_a, "first"_a, "out"_a.noconvert());
    m.def("concentrations", &write_concentrations, "by_word"_a, "first_word"_a,
          "topics"_a.noconvert(), "priors"_a.none(), "n_topics"_a, "out"_a.noconvert());
}

}  // namespace blocklda
