// Every kernel of one build on one made-up corpus, as the bindings would call it. That none of
// kernels.def is missing here tests/native/test_kernel_list.py checks.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "builds/kernels.hpp"
#include "counts/dense_counts.hpp"
#include "dense/grid.hpp"
#include "hdp/grid.hpp"
#include "sanitize/made_up.hpp"
#include "sparse/grid.hpp"

namespace blocklda::sanitize {

using Topics = std::vector<std::int32_t>;

// One setting under which all kernels run.
struct Case {
    Shape shape;
    bool has_even_priors;
    double level;        // of the priors
    bool can_be_failed;  // whether the weights may leave the range of doubles
    std::int64_t max_block;
    std::int64_t fft_from;
    std::uint64_t seed;

    std::string name() const {
        char text[200];
        std::snprintf(text, sizeof text,
                      "D=%lld V=%lld K=%lld, %s priors of %g, blocks of at most %lld, seed %llu",
                      static_cast<long long>(shape.n_docs), static_cast<long long>(shape.n_words),
                      static_cast<long long>(shape.n_topics), has_even_priors ? "even" : "uneven",
                      level, static_cast<long long>(max_block),
                      static_cast<unsigned long long>(seed));
        return text;
    }
};

inline void require(bool holds, const std::string& what, const Case& made) {
    if (holds) return;
    std::fprintf(stderr, "%s: %s\n", what.c_str(), made.name().c_str());
    std::exit(1);
}

// Direct convolution, in the place of the FFT that Python lends the kernels.
inline bool convolve(void*, const double* left, const double* right, double* out,
                     std::int64_t n_pairs, std::int64_t n_coefs) {
    for (std::int64_t p = 0; p < n_pairs; ++p) {
        const double* a = left + p * n_coefs;
        const double* b = right + p * n_coefs;
        for (std::int64_t i = 0; i < n_coefs; ++i) {
            double sum = 0.0;
            for (std::int64_t j = 0; j <= i; ++j) sum += a[j] * b[i - j];
            out[p * n_coefs + i] = sum;
        }
    }
    return true;
}

// What all kernels of a build left behind; every build must leave the same.
struct Results {
    std::vector<Topics> topics;
    std::vector<double> numbers;

    bool operator==(const Results& other) const {
        if (topics != other.topics || numbers.size() != other.numbers.size()) return false;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const bool are_none = std::isnan(numbers[i]) && std::isnan(other.numbers[i]);
            if (!are_none && numbers[i] != other.numbers[i]) return false;
        }
        return true;
    }
};

class EveryKernel {
  public:
    EveryKernel(const KernelTable& kernels, const Case& made, const Corpus& corpus,
                const Priors& priors)
        : kernels_(kernels),
          made_(made),
          corpus_(corpus),
          priors_(priors),
          rows_(corpus.view()),
          n_topics_(priors.n_topics),
          padded_(priors.padded) {}

    Results run() {
        dense();
        given_phi();
        mixtures();
        moves();
        sparse();
        hdp();
        start();
        new_documents();
        return std::move(results_);
    }

  private:
    static constexpr std::int64_t kSweeps = 3;

    // Runs a sampler from the corpus's assignment and keeps where it ended.
    template <class Sweep>
    void sample(const char* name, Sweep sweep) {
        Topics topics = corpus_.topics;
        Random random{made_.seed};
        keep(name, sweep(random.view(), topics.data()), std::move(topics));
    }

    void keep(const char* name, const Outcome& outcome, Topics&& topics) {
        const std::string kernel = std::string(kernels_.isa) + " " + name;
        require(outcome.failed_entry < 0 || made_.can_be_failed, kernel + " failed", made_);
        for (const std::int32_t topic : topics) {
            require(topic >= 0 && topic < n_topics_, kernel + " left what is no topic", made_);
        }
        results_.topics.push_back(std::move(topics));
    }

    // With notes of exactly the size that they need.
    void single_site(const PriorsView& priors, bool in_32_bits) {
        DenseTable table;
        DenseCounts counts = table.count(rows_, corpus_.topics.data(), padded_);
        Topics wide;
        if (in_32_bits && counts.n_vk_16 != nullptr) {
            wide.assign(counts.n_vk_16, counts.n_vk_16 + rows_.n_words * padded_);
            counts = {nullptr, wide.data(), counts.n_k};
        }
        const auto n_small = static_cast<std::size_t>(padded_ * kSmallCell);
        const std::size_t n_large = 2 * (corpus_.topics.size() / kSmallCell);
        Topics docs(n_small), words(n_small), large_docs(n_large), large_words(n_large);
        Topics totals(static_cast<std::size_t>(n_topics_));
        DenseNotes notes{{docs.data(), large_docs.data(), 0},
                         {words.data(), large_words.data(), 0},
                         totals.data()};
        std::int64_t failed = -1;
        sample("single_site", [&](const Rng& rng, std::int32_t* topics) {
            const Outcome outcome =
                kernels_.single_site(rows_, priors, rng, counts, topics, kSweeps, true, &notes);
            failed = outcome.failed_entry;
            return outcome;
        });
        if (failed >= 0) return;
        for (const CellNotes& noted : {notes.docs, notes.words}) {
            require_all_tokens({noted.small, noted.large, noted.n_large}, "single_site");
        }
    }

    void dense() {
        const PriorsView priors = priors_.view();
        const BlockOptions blocks{made_.max_block, made_.fft_from, {nullptr, convolve}};
        for (const bool in_32_bits : {false, true}) single_site(priors, in_32_bits);
        for (const bool keeps_docs : {false, true}) dense_grid(priors, keeps_docs);
        const std::vector<std::int32_t> ones(static_cast<std::size_t>(padded_), 1);
        const std::vector<double> masses(static_cast<std::size_t>(padded_), 0.5);
        for (const double u : {0.0, 0.25, 0.75}) {
            if (rows_.n_words == 0) break;  // there is no prior of a word
            const TokenView token{ones.data(), ones.data(), ones.data(), 0, 0};
            results_.numbers.push_back(kernels_.draw_token(priors, token, u, 1.0).defined);
            const TokenTopics of_group =
                kernels_.draw_token_of_group(priors, token, masses.data(), u, 1.0);
            results_.numbers.push_back(of_group.defined);
            const TokenTopics given_phi =
                kernels_.draw_token_given_phi(priors, token, masses.data(), u, 1.0);
            results_.numbers.push_back(given_phi.defined);
        }
        for (const std::int64_t sixteenths : {1, 8, 15, 16}) {
            sample("annealed", [&](const Rng& rng, std::int32_t* topics) {
                return kernels_.annealed(rows_, priors, rng, topics, kSweeps, sixteenths);
            });
        }
        sample("backward", [&](const Rng& rng, std::int32_t* topics) {
            return kernels_.backward(rows_, priors, blocks, rng, topics, kSweeps);
        });
        sample("nested", [&](const Rng& rng, std::int32_t* topics) {
            return kernels_.nested(rows_, priors, blocks, rng, topics, kSweeps);
        });
        Random random{made_.seed + 1};
        const auto theta = random_rows(rows_.n_docs, n_topics_, padded_, random);
        const auto phi = random_rows(rows_.n_words, n_topics_, padded_, random);
        sample("augmented", [&](const Rng& rng, std::int32_t* topics) {
            return kernels_.augmented(rows_, theta.data(), phi.data(), padded_, rng, topics);
        });
    }

    // On grids of one and three groups, with masses that are anything from 0 to 1; the tables serve
    // two sweeps.
    void dense_grid(const PriorsView& priors, bool keeps_docs) {
        const std::vector<std::int64_t> doc_tokens = tokens_before_rows(corpus_.by_document());
        for (const std::int64_t n_groups : {1, 3}) {
            const auto docs = even_groups(rows_.n_docs, n_groups);
            const auto words = even_groups(rows_.n_words, n_groups);
            const DenseGrid grid{docs.data(), words.data(), n_groups, doc_tokens.data()};
            const auto n = static_cast<std::size_t>(n_groups * padded_);
            std::vector<double> beta_sum(n, 0.0);
            for (std::int64_t g = 0; g < n_groups; ++g) {
                for (std::int64_t v = words[static_cast<std::size_t>(g)];
                     v < words[static_cast<std::size_t>(g) + 1]; ++v) {
                    for (std::int64_t k = 0; k < n_topics_; ++k) {
                        const double* row = priors.beta + v * priors.beta_stride;
                        beta_sum[static_cast<std::size_t>(g * padded_ + k)] +=
                            row[priors.beta_stride == 0 ? 0 : k];
                    }
                }
            }
            Random random{made_.seed + 5};
            std::vector<double> masses(n);
            for (double& mass : masses) mass = random.uniform();
            sample("sweep_dense_grid", [&](const Rng&, std::int32_t* topics) {
                DenseTables tables(rows_, grid, padded_, keeps_docs, topics);
                Outcome outcome;
                for (const std::int64_t n_threads : {1, 3}) {
                    CellRandoms randoms(n_groups, made_.seed);
                    outcome =
                        sweep_dense({kernels_, rows_, priors, grid, randoms.rngs, beta_sum.data(),
                                     masses.data(), tables, n_threads == 1, n_threads, topics});
                    if (outcome.failed_entry >= 0) break;
                }
                return outcome;
            });
        }
    }

    // Partially collapsed: phi of random numbers, then all documents given phi.
    void given_phi() {
        constexpr std::int64_t kLargest = 16;
        Random random{made_.seed + 4};
        auto phi = random_rows(rows_.n_words, n_topics_, padded_, random);
        const std::vector<double> inverse_totals(static_cast<std::size_t>(padded_), 0.5);
        const std::vector<std::int32_t> sizes(static_cast<std::size_t>(rows_.n_words), kLargest);
        std::vector<double> powers(static_cast<std::size_t>(rows_.n_words * kLargest));
        kernels_.phi_rows(inverse_totals.data(), priors_.alpha.data(), sizes.data(), rows_.n_words,
                          padded_, kLargest, phi.data(), powers.data());
        keep_numbers("phi_rows", {}, powers);
        const PhiView given{phi.data(), priors_.alpha.data(), powers.data(), kLargest, padded_};
        const std::int64_t max_block = made_.max_block < kLargest ? made_.max_block : kLargest;
        for (const bool on_lists : {false, true}) {
            sample("given_phi", [&](const Rng& rng, std::int32_t* topics) {
                return kernels_.given_phi(rows_, corpus_.entries_by_word(), given, max_block,
                                          on_lists, rng, topics);
            });
        }
    }

    // Documents in two kinds, which need not be alike; a start without labels, then whole sweeps.
    void mixtures() {
        const auto n_docs = static_cast<std::size_t>(rows_.n_docs);
        std::vector<std::int32_t> docs(n_docs);
        for (std::size_t d = 0; d < n_docs; ++d) docs[d] = static_cast<std::int32_t>(d);
        const std::vector<std::int64_t> kinds{0, rows_.n_docs / 2, rows_.n_docs};
        const std::vector<double> beta(static_cast<std::size_t>(rows_.n_words), 0.3);
        for (const bool is_finite : {false, true}) {
            const std::int64_t n_slots = is_finite || rows_.n_docs == 0 ? n_topics_ : rows_.n_docs;
            Topics labels(n_docs, -1);
            std::vector<std::int64_t> births(static_cast<std::size_t>(n_slots), -1);
            Random random{made_.seed};
            std::int64_t n_born = 0;
            for (std::int64_t sweep = 0; sweep < kSweeps; ++sweep) {
                const MixtureView view{.beta = beta.data(),
                                       .beta_sum = 0.3 * static_cast<double>(rows_.n_words),
                                       .alpha = 1.5,
                                       .is_finite = is_finite,
                                       .n_slots = n_slots,
                                       .docs = docs.data(),
                                       .kind_offsets = kinds.data(),
                                       .n_kinds = 2,
                                       .max_block = 1 + 3 * (sweep % 2),
                                       .n_born = n_born};
                const MixtureOutcome outcome =
                    kernels_.mixture(rows_, view, random.view(), labels.data(), births.data());
                require(outcome.failed_doc < 0, "mixture failed", made_);
                n_born = outcome.n_born;
            }
            results_.topics.push_back(std::move(labels));
            results_.numbers.push_back(static_cast<double>(n_born));
        }
    }

    // Several attempts one after another, of which some are accepted.
    void moves() {
        sample("merge_split", [&](const Rng& rng, std::int32_t* topics) {
            MoveOutcome outcome;
            for (int i = 0; i < 4 && outcome.failed_entry < 0; ++i) {
                outcome = kernels_.merge_split(rows_, priors_.view(), rng, topics);
                results_.numbers.push_back(outcome.log_ratio);
            }
            return Outcome{outcome.steps, outcome.failed_entry};
        });
        for (const double x : {1e-300, 0.01, 1.0, 9.5, 1e5, 1e300}) {
            const ElementaryValues values = kernels_.elementary(x);
            for (const double value : {values.log, values.exp_minus, values.log_gamma}) {
                results_.numbers.push_back(value);
            }
        }
    }

    void sparse() {
        const double* alpha = priors_.alpha.data();
        const double* beta = priors_.beta.data();
        const double* beta_sum = priors_.beta_sum.data();
        const bool is_even = made_.has_even_priors;
        for (const double one_by_one : {0.0, 0.5, 1.0}) {
            if (is_even) {
                sparse_by(corpus_.by_document(), {alpha, 0, beta, beta_sum, n_topics_, padded_},
                          one_by_one);
            }
            sparse_by(corpus_.by_word(),
                      {beta, is_even ? 0 : padded_, alpha, beta_sum, n_topics_, padded_},
                      one_by_one);
        }
    }

    // In two calls, the second with the tables that the first has kept.
    void sparse_by(const MajorView& major, const AxisPriors& priors, double one_by_one) {
        const std::vector<double> shares(kSweeps, one_by_one);
        // Half of the sweeps without sequential blocks, half with them wherever they may be.
        const std::int64_t sequential = one_by_one > 0.0 ? 1 : 16;
        const SparseOptions options{made_.max_block, shares.data(), sequential, 1, true};
        grids_by(major, priors, one_by_one);
        if (major.starts == nullptr) listed_cell(major, priors, one_by_one);
        sample("sparse", [&](const Rng& rng, std::int32_t* topics) {
            void* kept = kernels_.make_sparse_tables(major, topics, n_topics_);
            Outcome outcome = kernels_.sparse(major, priors, options, rng, kept, topics, kSweeps);
            if (outcome.failed_entry < 0) {
                outcome = kernels_.sparse(major, priors, options, rng, kept, topics, kSweeps);
            }
            if (outcome.failed_entry < 0) {
                const SparseCells cells = kernels_.sparse_cells(major, kept, n_topics_);
                require_all_tokens(cells.rows, "sparse_cells");
                require_all_tokens(cells.minors, "sparse_cells");
            }
            kernels_.free_sparse_tables(kept);
            return outcome;
        });
    }

    // With few slots to spare, so that some sweeps run out of them and end there.
    void hdp() {
        for (const double one_by_one : {0.0, 0.5, 1.0}) {
            for (const std::int64_t n_spare : {8, 64}) {
                for (const bool per_word : {false, true}) hdp_with(one_by_one, n_spare, per_word);
            }
        }
    }

    void hdp_with(double one_by_one, std::int64_t n_spare, bool per_word) {
        const MajorView major = corpus_.by_document();
        MadeUpStick made(n_topics_, n_spare, major.n_minor, per_word);
        const std::int64_t sequential = one_by_one > 0.0 ? 1 : 16;
        const SparseOptions options{made_.max_block, &one_by_one, sequential, 1};
        Topics topics = corpus_.topics;
        Random random{made_.seed};
        const Rng rng = random.view();
        void* kept = kernels_.make_sparse_tables(major, topics.data(), made.view.n_slots);
        Outcome outcome = kernels_.hdp_blocks(major, made.priors(), options, {0, 1}, rng, kept,
                                              made.view, topics.data());
        for (const std::int64_t n_threads : {1, 3}) {
            if (outcome.failed_entry >= 0) break;
            outcome = hdp_on_grid(made, options, kept, n_threads, topics.data());
        }
        if (outcome.failed_entry < 0) {
            outcome = kernels_.hdp_tables(major, {0, 1}, true, rng, kept, made.view, topics.data());
        }
        kernels_.free_sparse_tables(kept);
        require(outcome.failed_entry < 0 || made.view.is_full || made_.can_be_failed,
                std::string(kernels_.isa) + " hdp failed", made_);
        for (const std::int32_t topic : topics) {
            // A sweep over a grid that ran out of slots has births that it has not taken over.
            const bool is_topic = topic >= 0 && topic < made.view.n_slots &&
                                  (made.view.is_full || made.view.numbers[topic] >= 0);
            require(is_topic, std::string(kernels_.isa) + " hdp left what is no topic", made_);
        }
        results_.topics.push_back(std::move(topics));
        results_.numbers.push_back(made.view.rest);
        results_.numbers.push_back(static_cast<double>(made.view.n_born));
    }

    // Colours and masses of any kind, shared topics among them that a step may empty.
    Outcome hdp_on_grid(MadeUpStick& made, const SparseOptions& options, void* kept,
                        std::int64_t n_threads, std::int32_t* topics) {
        const MajorView major = corpus_.by_document();
        const std::int64_t n_groups = 2;
        const auto rows = even_groups(major.n_rows, n_groups);
        const auto minors = even_groups(major.n_minor, n_groups);
        const std::vector<std::int64_t> row_tokens = tokens_before_rows(major);
        const GridView grid{rows.data(), minors.data(), n_groups, row_tokens.data()};
        const auto n_slots = static_cast<std::size_t>(made.view.n_slots);
        const auto n = static_cast<std::size_t>(n_groups);
        CellRandoms randoms(n_groups * n_groups, made_.seed);
        std::vector<std::int32_t> cells(n * n * n_slots), colours(n_slots);
        std::vector<double> masses(n * n_slots), beta_sum(n, 0.5 * made.view.beta_sum), rests(n);
        Random random{made_.seed + 7};
        rests[0] = made.view.rest;
        const AxisPriors priors = made.priors();
        const GridSweep sweep{kernels_,     major, priors,    options, grid,
                              randoms.rngs, kept,  n_threads, topics};
        return sweep_with_colours(
            sweep, made.view,
            {cells.data(), colours.data(), masses.data(), beta_sum.data(), rests.data(),
             made.view.gamma / static_cast<double>(n_groups)},
            [&] {
                double rest = 0.0;
                for (const double part : rests) rest += part;
                for (double& part : rests) part = rest / static_cast<double>(n_groups);
                for (double& mass : masses) mass = random.uniform();
                for (std::size_t k = 0; k < n_slots; ++k) {
                    const double u = random.uniform();
                    const bool is_shared = made.view.numbers[k] >= 0 && u < 0.5;
                    colours[k] = is_shared ? kShared : static_cast<std::int32_t>(k % n);
                }
            });
    }

    // The cells of either axis hold every token once.
    void require_all_tokens(const CellsView& cells, const char* name) const {
        std::int64_t n_tokens = 0;
        for (std::int64_t k = 0; k < n_topics_; ++k) {
            for (std::int64_t n = 1; n < kSmallCell; ++n) {
                n_tokens += n * cells.small[k * kSmallCell + n];
            }
        }
        for (std::int64_t i = 0; i < cells.n_large; ++i) n_tokens += cells.large[2 * i + 1];
        require(n_tokens == static_cast<std::int64_t>(corpus_.topics.size()),
                std::string(kernels_.isa) + " " + name + " lost tokens of its cells", made_);
    }

    // Sweeps over grids of one cell and of many, some of them empty, in one thread and in several:
    // two sweeps with the same tables, and those with stale totals and with masses in turns.
    void grids_by(const MajorView& major, const AxisPriors& priors, double one_by_one) {
        const SparseOptions options{made_.max_block, &one_by_one, one_by_one > 0.0 ? 1 : 16, 1};
        const std::vector<std::int64_t> row_tokens = tokens_before_rows(major);
        for (const std::int64_t n_groups : {1, 3}) {
            const auto rows = even_groups(major.n_rows, n_groups);
            const auto minors = even_groups(major.n_minor, n_groups);
            const bool are_rows = major.starts != nullptr;
            const GridView grid{rows.data(), minors.data(), n_groups,
                                are_rows ? nullptr : row_tokens.data()};
            sample("sweep_grid", [&](const Rng&, std::int32_t* topics) {
                void* kept = kernels_.make_sparse_tables(major, topics, n_topics_);
                Outcome outcome;
                for (const std::int64_t n_threads : {1, 3}) {
                    CellRandoms randoms(n_groups * n_groups, made_.seed);
                    const GridSweep sweep{kernels_,     major, priors,    options, grid,
                                          randoms.rngs, kept,  n_threads, topics};
                    outcome = sweep_with_stale_totals(sweep);
                    if (outcome.failed_entry >= 0) break;
                    outcome = given_masses(sweep, are_rows);
                    if (outcome.failed_entry >= 0) break;
                }
                kernels_.free_sparse_tables(kept);
                return outcome;
            });
        }
    }

    // A cell of all rows and the second half of the other axis, with counts that are given: those
    // of the corpus and one more token of every topic, as if other shards had them.
    void listed_cell(const MajorView& major, AxisPriors priors, double one_by_one) {
        const SparseOptions options{made_.max_block, &one_by_one, one_by_one > 0.0 ? 1 : 16, 1};
        const std::vector<std::int64_t> row_tokens = tokens_before_rows(major);
        const std::vector<double> masses(static_cast<std::size_t>(padded_), 0.5);
        const std::int64_t first = major.n_minor / 2;
        const CellView cell{0, major.n_rows, first, major.n_minor, row_tokens.data()};
        priors.masses = masses.data();
        sample("sweep_cell", [&](const Rng& rng, std::int32_t* topics) {
            const auto n_rows = static_cast<std::size_t>(major.n_minor - first);
            const auto n_topics = static_cast<std::size_t>(n_topics_);
            std::vector<std::int32_t> counts(n_rows * n_topics, 1);
            std::vector<std::int32_t> listed(n_rows * n_topics);
            std::vector<std::int64_t> offsets(n_rows + 1);
            for (std::size_t i = 0; i < listed.size(); ++i) {
                listed[i] = static_cast<std::int32_t>(i % n_topics);
            }
            for (std::size_t j = 0; j <= n_rows; ++j) {
                offsets[j] = static_cast<std::int64_t>(j * n_topics);
            }
            std::int64_t token = 0;
            for (std::int64_t e = 0; e < major.offsets[major.n_rows]; ++e) {
                const std::int64_t j = major.minor_ids[e] - first;
                for (std::int32_t i = 0; i < major.counts[e]; ++i, ++token) {
                    if (j >= 0) ++counts[static_cast<std::size_t>(j * n_topics_ + topics[token])];
                }
            }
            const ListedRows rows{first, major.n_minor, offsets.data(), listed.data(),
                                  counts.data()};
            void* kept = kernels_.make_listed_tables(rows, major.n_minor, n_topics_);
            require(kernels_.lists_have_tokens(major, cell, rows, kept, topics, n_topics_),
                    std::string(kernels_.isa) + " lists_have_tokens missed tokens", made_);
            const Outcome outcome = kernels_.grid_cell(major, priors, cell, options, rng, kept,
                                                       kernels_.sparse_totals(kept), topics);
            kernels_.copy_lists(kept, first, major.n_minor, offsets.data(), nullptr, nullptr);
            std::vector<std::int32_t> new_topics(static_cast<std::size_t>(offsets[n_rows]));
            std::vector<std::int32_t> new_counts(new_topics.size());
            kernels_.copy_lists(kept, first, major.n_minor, offsets.data(), new_topics.data(),
                                new_counts.data());
            kernels_.free_sparse_tables(kept);
            return outcome;
        });
    }

    // Masses that are anything from 0 to 1: kernels must take whatever is drawn.
    Outcome given_masses(const GridSweep& sweep, bool are_rows) {
        const auto n = static_cast<std::size_t>(sweep.grid.n_groups * padded_);
        std::vector<double> beta_sum(n, 0.0);
        for (std::size_t i = 0; i < n; ++i) {
            beta_sum[i] = sweep.priors.beta_sum[i % static_cast<std::size_t>(padded_)];
        }
        std::vector<std::int32_t> totals(n);
        std::vector<double> masses(n);
        Random random{made_.seed + 7};
        return sweep_given_masses(
            sweep, {are_rows, beta_sum.data(), totals.data(), masses.data()}, [&] {
                for (std::size_t i = 0; i < n; ++i) {
                    const bool may_be_none = i % static_cast<std::size_t>(padded_) > 0;
                    masses[i] = random.uniform();
                    if (may_be_none && masses[i] < 0.1) masses[i] = 0.0;
                }
            });
    }

    // Two passes over all documents, then a draw.
    void start() {
        const std::int64_t padded = priors_.start_padded;
        Random random{made_.seed + 2};
        std::vector<float> n_vk(static_cast<std::size_t>(rows_.n_words * padded), 0.0F);
        for (std::int64_t v = 0; v < rows_.n_words; ++v) {
            for (std::int64_t k = 0; k < n_topics_; ++k) {
                n_vk[static_cast<std::size_t>(v * padded + k)] =
                    static_cast<float>(random.uniform());
            }
        }
        const auto n_docs = static_cast<std::size_t>(rows_.n_docs);
        std::vector<std::int64_t> order(n_docs);
        for (std::size_t i = 0; i < n_docs; ++i) {
            order[i] = static_cast<std::int64_t>(n_docs - 1 - i);
        }
        const std::vector<float> gains(n_docs, 0.5F);
        const std::vector<float> scales(n_docs, 1.0F);
        const StartPass pass{order.data(), gains.data(), scales.data(), rows_.n_docs, 2};
        for (int i = 0; i < 2; ++i) {
            kernels_.variational_pass(rows_, priors_.start_view(), pass, n_vk.data());
        }
        Topics topics = corpus_.topics;
        keep("variational_draw",
             kernels_.variational_draw(rows_, priors_.start_view(), 2, n_vk.data(), random.view(),
                                       topics.data()),
             std::move(topics));
    }

    // The documents as new ones, given tables of phi: their topics, and their probability.
    void new_documents() {
        constexpr std::int64_t n_phi = 3, n_batches = 2, n_particles = 3;
        Random random{made_.seed + 3};
        const auto phi = random_rows(n_phi * rows_.n_words, n_topics_, padded_, random);
        const double* alpha = priors_.alpha.data();
        for (std::int64_t d = 0; d < rows_.n_docs; ++d) {
            const NewDocument document = corpus_.document(d, phi.data(), padded_);
            std::vector<double> theta(static_cast<std::size_t>(n_phi * n_topics_));
            keep_numbers(
                "fold_in",
                kernels_.fold_in(document, alpha, n_topics_, {n_phi, rows_.n_words, kSweeps, 1, 64},
                                 random.view(), theta.data()),
                theta);
            std::vector<double> products(n_batches);
            std::vector<std::int64_t> n_small(n_batches);
            if (document.n_tokens > kFewTokens) continue;
            keep_numbers("left_to_right",
                         kernels_.left_to_right(document, alpha, n_particles, n_batches,
                                                random.view(), products.data(), n_small.data()),
                         products);
        }
    }

    // Reading from left to right takes time in the square of the tokens.
    static constexpr std::int64_t kFewTokens = 300;

    void keep_numbers(const char* name, const Outcome& outcome,
                      const std::vector<double>& numbers) {
        const std::string kernel = std::string(kernels_.isa) + " " + name;
        require(outcome.failed_entry < 0 || made_.can_be_failed, kernel + " failed", made_);
        for (const double number : numbers) {
            require(number >= 0 || made_.can_be_failed, kernel + " left what is no number", made_);
        }
        results_.numbers.insert(results_.numbers.end(), numbers.begin(), numbers.end());
    }

    const KernelTable& kernels_;
    const Case& made_;
    const Corpus& corpus_;
    const Priors& priors_;
    CorpusView rows_;
    std::int64_t n_topics_;
    std::int64_t padded_;
    Results results_;
};

}  // namespace blocklda::sanitize
