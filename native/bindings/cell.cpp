// One cell of a grid whose words have tokens in other shards too.
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "bindings/numbers.hpp"
#include "bindings/sparse_workspace.hpp"

namespace blocklda {
namespace {

// The topics of the words of a cell in all shards, checked.
ListedRows checked_lists(std::int64_t first_word, const Flat<const std::int64_t>& offsets,
                         const Flat<const std::int32_t>& topics,
                         const Flat<const std::int32_t>& counts, std::int64_t n_words,
                         std::int64_t n_topics) {
    require_aligned(offsets, topics, counts);
    const std::int64_t n_rows = length(offsets) - 1;
    const std::int64_t n_cells = length(topics);
    require(n_rows >= 0 && first_word >= 0 && first_word <= n_words - n_rows,
            "the lists must be of words of the corpus");
    require(length(counts) == n_cells, "every topic of a list needs a count");
    require_offsets(offsets.data(), n_rows + 1, n_cells,
                    "the lists must run from 0 to the end of their topics",
                    "the offsets of lists must not fall");
    require(all_below(topics.data(), n_cells, n_topics), "topic out of range");
    require(checked_n_tokens(counts.data(), n_cells) < kLimit, "the lists have too many tokens");
    bool ascend = true;
    for (std::int64_t j = 0; j < n_rows; ++j) {
        for (std::int64_t i = offsets.data()[j] + 1; i < offsets.data()[j + 1]; ++i) {
            ascend &= topics.data()[i - 1] < topics.data()[i];
        }
    }
    require(ascend, "the topics of a list must ascend");
    return {first_word, first_word + n_rows, offsets.data(), topics.data(), counts.data()};
}

void require_weights(const Flat<const double>& weights, const AxisPriors& priors,
                     const char* message) {
    require_aligned(weights);
    bool are_right = length(weights) == priors.padded;
    for (std::int64_t k = 0; are_right && k < priors.padded; ++k) {
        const double weight = weights.data()[k];
        are_right = weight >= 0.0 && weight < std::numeric_limits<double>::infinity();
    }
    require(are_right, message);
}

nb::tuple sweep_cell(const Corpus& corpus, const Priors& priors, Flat<std::int32_t> topics,
                     nb::capsule bit_generator, std::int64_t first_word,
                     Flat<const std::int64_t> list_offsets, Flat<const std::int32_t> list_topics,
                     Flat<const std::int32_t> list_counts, Flat<const double> group_beta_sum,
                     Flat<const double> masses, std::int64_t max_block, double one_by_one,
                     std::int64_t sequential_block, std::int64_t sequential_from) {
    const std::int64_t n_topics = priors.n_topics();
    corpus.require_topics(topics, n_topics);
    require(corpus.is_ordered(), "the words of a document must ascend");
    AxisPriors view = axis_priors(corpus, priors);
    const MajorView& rows = corpus.rows();
    const ListedRows lists =
        checked_lists(first_word, list_offsets, list_topics, list_counts, rows.n_minor, n_topics);
    require_weights(group_beta_sum, view,
                    "group_beta_sum must be a number from 0 on for every topic");
    require_weights(masses, view, "masses must be a number from 0 on for every topic");
    view.beta_sum = group_beta_sum.data();
    view.masses = masses.data();
    require(max_block >= 1, "max_block must be at least 1");
    require(one_by_one >= 0.0 && one_by_one <= 1.0, "one_by_one must be from 0 to 1");
    require_sequential(sequential_block, sequential_from);
    const SparseOptions options{max_block, &one_by_one, sequential_block, sequential_from};
    const Rng rng = rng_of(bit_generator);
    const KernelTable* kernels = active_kernels();
    const CellView cell{0, rows.n_rows, lists.first, lists.end, corpus.row_tokens()};
    Outcome outcome;
    std::vector<std::int64_t> new_offsets(static_cast<std::size_t>(lists.end - lists.first + 1));
    std::vector<std::int32_t> new_topics;
    std::vector<std::int32_t> new_counts;
    {
        nb::gil_scoped_release unlocked;
        const std::unique_ptr<void, void (*)(void*)> tables(
            kernels->make_listed_tables(lists, rows.n_minor, n_topics),
            kernels->free_sparse_tables);
        require(
            kernels->lists_have_tokens(rows, cell, lists, tables.get(), topics.data(), n_topics),
            "the lists lack tokens of the corpus");
        outcome = kernels->grid_cell(rows, view, cell, options, rng, tables.get(),
                                     kernels->sparse_totals(tables.get()), topics.data());
        kernels->copy_lists(tables.get(), lists.first, lists.end, new_offsets.data(), nullptr,
                            nullptr);
        const auto n_cells = static_cast<std::size_t>(new_offsets.back());
        new_topics.resize(n_cells);
        new_counts.resize(n_cells);
        kernels->copy_lists(tables.get(), lists.first, lists.end, new_offsets.data(),
                            new_topics.data(), new_counts.data());
    }
    return nb::make_tuple(outcome.steps, outcome.failed_entry, numbers_of(std::move(new_offsets)),
                          numbers_of(std::move(new_topics)), numbers_of(std::move(new_counts)));
}

}  // namespace

void bind_cell(nb::module_& m) {
    using namespace nb::literals;
    m.def("sweep_cell", &sweep_cell, "corpus"_a, "priors"_a, "topics"_a.noconvert(),
          "bit_generator"_a, "first_word"_a, "list_offsets"_a.noconvert(),
          "list_topics"_a.noconvert(), "list_counts"_a.noconvert(), "group_beta_sum"_a.noconvert(),
          "masses"_a.noconvert(), "max_block"_a, "one_by_one"_a, "sequential_block"_a,
          "sequential_from"_a);
}

}  // namespace blocklda
