// Counts of an assignment of topics: how full the tables are, and n_vk of some words.
#include <utility>

#include "bindings/border.hpp"
#include "bindings/corpus.hpp"
#include "bindings/numbers.hpp"
#include "bindings/priors.hpp"
#include "counts/concentrations.hpp"
#include "counts/filled_cells.hpp"
#include "counts/occupancy.hpp"
#include "counts/topic_histograms.hpp"

namespace blocklda {
namespace {

nb::tuple count_occupancy(const Corpus& corpus, std::int64_t n_topics, Flat<std::int32_t> topics) {
    corpus.require_topics(topics, n_topics);
    Occupancy result;
    {
        nb::gil_scoped_release unlocked;
        result = occupancy(corpus.view(), topics.data(), corpus.n_tokens(), n_topics);
    }
    return nb::make_tuple(numbers_of(std::move(result.docs)), numbers_of(std::move(result.words)),
                          numbers_of(std::move(result.topics)));
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

// The filled cells of n_dk, or of n_vk, as compressed rows.
nb::tuple count_filled_cells(const Corpus& corpus, std::int64_t n_topics, Flat<std::int32_t> topics,
                             bool by_word) {
    corpus.require_topics(topics, n_topics);
    require(!by_word || corpus.is_ordered(), "the words of every document must ascend");
    FilledCells cells;
    {
        nb::gil_scoped_release unlocked;
        cells =
            (by_word ? filled_by_word : filled_by_document)(corpus.view(), topics.data(), n_topics);
    }
    return nb::make_tuple(numbers_of(std::move(cells.offsets)), numbers_of(std::move(cells.topics)),
                          numbers_of(std::move(cells.counts)));
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
    m.def("occupancy", &count_occupancy, "corpus"_a, "n_topics"_a, "topics"_a.noconvert());
    m.def("topic_histograms", &count_topic_histograms, "corpus"_a, "n_topics"_a,
          "topics"_a.noconvert());
    m.def("filled_cells", &count_filled_cells, "corpus"_a, "n_topics"_a, "topics"_a.noconvert(),
          "by_word"_a);
    m.def("concentrations", &write_concentrations, "by_word"_a, "first_word"_a,
          "topics"_a.noconvert(), "priors"_a.none(), "n_topics"_a, "out"_a.noconvert());
}

}  // namespace blocklda
