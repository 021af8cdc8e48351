// Corpora, priors and assignments that are made up, in the layouts that the border hands to
// kernels.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "shared/views.hpp"

namespace blocklda::sanitize {

// SplitMix64, behind the interface of NumPy's generators.
struct Random {
    std::uint64_t state;

    std::uint64_t next() {
        std::uint64_t z = (state += 0x9E3779B97F4A7C15U);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31);
    }
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
    std::int64_t below(std::int64_t n) {
        return static_cast<std::int64_t>(uniform() * static_cast<double>(n));
    }
    Rng view() {
        return {this, [](void* self) { return static_cast<Random*>(self)->uniform(); }};
    }
};

// What a corpus is like: small ones have all that can go wrong at the ends of arrays.
struct Shape {
    std::int64_t n_docs;
    std::int64_t n_words;
    std::int64_t n_topics;
    double density;          // of the cells (document, word), those that are filled
    std::int32_t max_count;  // of a cell
};

inline std::int64_t padded_to(std::int64_t n, std::int64_t lanes) {
    return (n + lanes - 1) / lanes * lanes;
}

// Where groups of neighbours begin, and where the last one ends.
inline std::vector<std::int64_t> even_groups(std::int64_t n, std::int64_t n_groups) {
    std::vector<std::int64_t> groups;
    for (std::int64_t g = 0; g <= n_groups; ++g) groups.push_back(n * g / n_groups);
    return groups;
}

// The tokens before each row.
inline std::vector<std::int64_t> tokens_before_rows(const MajorView& major) {
    std::vector<std::int64_t> row_tokens{0};
    for (std::int64_t row = 0; row < major.n_rows; ++row) {
        row_tokens.push_back(row_tokens.back());
        for (std::int64_t e = major.offsets[row]; e < major.offsets[row + 1]; ++e) {
            row_tokens.back() += major.counts[e];
        }
    }
    return row_tokens;
}

// A generator for every cell of a grid.
struct CellRandoms {
    std::vector<Random> randoms;
    std::vector<Rng> rngs;

    CellRandoms(std::int64_t n_cells, std::uint64_t seed) {
        for (std::int64_t i = 0; i < n_cells; ++i) {
            randoms.push_back({seed + static_cast<std::uint64_t>(i)});
        }
        for (Random& random : randoms) rngs.push_back(random.view());
    }
    CellRandoms(const CellRandoms&) = delete;
    CellRandoms& operator=(const CellRandoms&) = delete;
};

// A corpus by document and by word, with a topic for each token.
struct Corpus {
    std::vector<std::int64_t> doc_offsets{0};
    std::vector<std::int32_t> word_ids, counts;
    std::vector<std::int64_t> word_offsets;
    std::vector<std::int32_t> doc_ids, word_counts, starts, entries;
    std::vector<std::int32_t> topics;
    std::int64_t n_words;

    Corpus(const Shape& shape, Random& random) : n_words(shape.n_words) {
        std::vector<std::int32_t> first_tokens;
        std::int32_t n_tokens = 0;
        for (std::int64_t d = 0; d < shape.n_docs; ++d) {
            for (std::int64_t v = 0; v < shape.n_words; ++v) {
                if (random.uniform() >= shape.density) continue;
                const auto count = static_cast<std::int32_t>(1 + random.below(shape.max_count));
                word_ids.push_back(static_cast<std::int32_t>(v));
                counts.push_back(count);
                first_tokens.push_back(n_tokens);
                n_tokens += count;
            }
            doc_offsets.push_back(static_cast<std::int64_t>(word_ids.size()));
        }
        topics.resize(static_cast<std::size_t>(n_tokens));
        for (auto& topic : topics) topic = static_cast<std::int32_t>(random.below(shape.n_topics));
        order_by_word(first_tokens);
    }

    CorpusView view() const {
        return {doc_offsets.data(), word_ids.data(), counts.data(),
                static_cast<std::int64_t>(doc_offsets.size()) - 1, n_words};
    }
    MajorView by_document() const {
        const CorpusView rows = view();
        return {rows.doc_offsets, rows.word_ids, rows.counts, nullptr, rows.n_docs, n_words};
    }
    ByWordView entries_by_word() const { return {entries.data(), doc_ids.data(), starts.data()}; }
    MajorView by_word() const {
        return {
            word_offsets.data(), doc_ids.data(), word_counts.data(),
            starts.data(),       n_words,        static_cast<std::int64_t>(doc_offsets.size()) - 1};
    }

    // One of its documents as a new one, with phi of all words.
    NewDocument document(std::int64_t d, const double* phi, std::int64_t padded) const {
        const auto first = static_cast<std::size_t>(doc_offsets[static_cast<std::size_t>(d)]);
        const auto end = static_cast<std::size_t>(doc_offsets[static_cast<std::size_t>(d) + 1]);
        std::int64_t n_tokens = 0;
        for (std::size_t e = first; e < end; ++e) n_tokens += counts[e];
        return {word_ids.data() + first,
                counts.data() + first,
                static_cast<std::int64_t>(end - first),
                n_tokens,
                phi,
                padded};
    }

  private:
    void order_by_word(const std::vector<std::int32_t>& first_tokens) {
        word_offsets.assign(static_cast<std::size_t>(n_words) + 1, 0);
        for (const std::int32_t v : word_ids) ++word_offsets[static_cast<std::size_t>(v) + 1];
        for (std::size_t v = 0; v + 1 < word_offsets.size(); ++v) {
            word_offsets[v + 1] += word_offsets[v];
        }
        doc_ids.resize(word_ids.size());
        word_counts.resize(word_ids.size());
        starts.resize(word_ids.size());
        entries.resize(word_ids.size());
        std::vector<std::int64_t> next = word_offsets;
        for (std::size_t d = 0; d + 1 < doc_offsets.size(); ++d) {
            for (std::int64_t e = doc_offsets[d]; e < doc_offsets[d + 1]; ++e) {
                const auto from = static_cast<std::size_t>(e);
                const auto to =
                    static_cast<std::size_t>(next[static_cast<std::size_t>(word_ids[from])]++);
                doc_ids[to] = static_cast<std::int32_t>(d);
                word_counts[to] = counts[from];
                starts[to] = first_tokens[from];
                entries[to] = static_cast<std::int32_t>(e);
            }
        }
    }
};

// Priors that are one number, or different for every topic and word.
struct Priors {
    std::vector<double> alpha, beta, beta_sum;
    std::vector<float> start_alpha, start_beta;
    std::vector<double> start_beta_sum;
    std::int64_t n_topics, padded, start_padded;
    bool is_even;

    Priors(const Shape& shape, bool is_even_, double level, Random& random)
        : n_topics(shape.n_topics),
          padded(padded_to(shape.n_topics, 8)),
          start_padded(padded_to(shape.n_topics, 16)),
          is_even(is_even_) {
        const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
        const std::int64_t rows = is_even ? 1 : shape.n_words;
        alpha.assign(size(padded), 0.0);
        beta.assign(size(rows * padded), 0.0);
        beta_sum.assign(size(padded), 0.0);
        start_alpha.assign(size(start_padded), 0.0F);
        start_beta.assign(size(rows * start_padded), 0.0F);
        start_beta_sum.assign(size(start_padded), 1.0);
        const auto drawn = [&] { return is_even ? level : level * (0.5 + random.uniform()); };
        for (std::int64_t k = 0; k < n_topics; ++k) {
            alpha[size(k)] = drawn();
            start_alpha[size(k)] = static_cast<float>(alpha[size(k)]);
            for (std::int64_t v = 0; v < rows; ++v) {
                const double weight = drawn();
                beta[size(v * padded + k)] = weight;
                start_beta[size(v * start_padded + k)] = static_cast<float>(weight);
                beta_sum[size(k)] += weight;
            }
            if (is_even) beta_sum[size(k)] = level * static_cast<double>(shape.n_words);
            start_beta_sum[size(k)] = beta_sum[size(k)];
        }
    }

    PriorsView view() const {
        return {alpha.data(), beta.data(), is_even ? 0 : padded, beta_sum.data(), n_topics, padded};
    }
    StartPriorsView start_view() const {
        return {start_alpha.data(),    start_beta.data(), is_even ? 0 : start_padded,
                start_beta_sum.data(), n_topics,          start_padded};
    }
};

// A table of rows that are drawn at random and add up to 1, padded with zeros.
inline std::vector<double> random_rows(std::int64_t rows, std::int64_t n_topics,
                                       std::int64_t padded, Random& random) {
    std::vector<double> table(static_cast<std::size_t>(rows * padded), 0.0);
    for (std::int64_t r = 0; r < rows; ++r) {
        double sum = 0.0;
        for (std::int64_t k = 0; k < n_topics; ++k) {
            double& weight = table[static_cast<std::size_t>(r * padded + k)];
            weight = -std::log1p(-random.uniform()) + 1e-12;
            sum += weight;
        }
        for (std::int64_t k = 0; k < n_topics; ++k) {
            table[static_cast<std::size_t>(r * padded + k)] /= sum;
        }
    }
    return table;
}

// Topics in the first slots, with half of the stick, and some slots to spare.
struct MadeUpStick {
    std::vector<double> tau, alpha, beta, sums, word_prior;
    std::vector<std::int64_t> numbers;
    StickView view;

    // `per_word`: words have priors of their own, which multiply one of 1 that all topics have.
    MadeUpStick(std::int64_t n_topics, std::int64_t n_spare, std::int64_t n_words, bool per_word)
        : tau(static_cast<std::size_t>((n_topics + 16 + n_spare) / 8 * 8)),
          alpha(tau.size()),
          beta(tau.size(), per_word ? 1.0 : 0.1),
          sums(tau.size(), 1e300),
          word_prior(per_word && n_words > 0 ? static_cast<std::size_t>(n_words) : 1),
          numbers(tau.size(), -1) {
        double beta_sum = 0.0;
        for (std::size_t v = 0; v < word_prior.size(); ++v) {
            beta_sum += word_prior[v] = 0.1 * static_cast<double>(1 + v % 5);
        }
        if (!per_word) beta_sum *= static_cast<double>(n_words);
        for (std::size_t k = 0; k < static_cast<std::size_t>(n_topics); ++k) {
            tau[k] = 0.5 / static_cast<double>(n_topics);
            alpha[k] = 3.0 * tau[k];
            sums[k] = beta_sum;
            numbers[k] = static_cast<std::int64_t>(k);
        }
        view = {tau.data(),
                alpha.data(),
                numbers.data(),
                static_cast<std::int64_t>(tau.size()),
                word_prior.data(),
                per_word ? 1 : 0,
                beta_sum,
                3.0,
                2.0,
                0.5,
                n_topics};
    }
    MadeUpStick(const MadeUpStick&) = delete;
    MadeUpStick& operator=(const MadeUpStick&) = delete;

    AxisPriors priors() const {
        return {alpha.data(), 0, beta.data(), sums.data(), view.n_slots, view.n_slots};
    }
};

}  // namespace blocklda::sanitize
