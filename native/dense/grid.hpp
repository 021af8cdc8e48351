// A sweep over a grid of documents and words on dense counts, in several threads. No Python, and
// the same code for every instruction set.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

#include "builds/kernels.hpp"
#include "counts/dense_counts.hpp"
#include "shared/in_threads.hpp"

namespace blocklda {

// Documents and words, each cut into `n_groups` groups of neighbours: group g begins with number
// groups[g] and ends before groups[g + 1].
struct DenseGrid {
    const std::int64_t* doc_groups;
    const std::int64_t* word_groups;
    std::int64_t n_groups;
    const std::int64_t* doc_tokens;  // the number of tokens before each document
};

// What cells work on: counts n_vk and, if `keeps_docs`, n_dk in rows of topics, tokens by topic in
// each group of words, and the place in each document at which its next cell begins. All are
// functions of the assignments and of the grid, and after a sweep they are those of the next.
class DenseTables {
  public:
    DenseTables(const CorpusView& corpus, const DenseGrid& grid, std::int64_t padded,
                bool keeps_docs, const std::int32_t* topics)
        : padded_(padded),
          stride_(padded + kLine),
          counts_(table_.count(corpus, topics, padded)),
          n_dk_(static_cast<std::size_t>(keeps_docs ? corpus.n_docs * padded : 0)),
          totals_(static_cast<std::size_t>(grid.n_groups * stride_)),
          cursors_(static_cast<std::size_t>(corpus.n_docs)) {
        for (std::int64_t d = 0; keeps_docs && d < corpus.n_docs; ++d) {
            std::int32_t* row = n_dk() + d * padded;
            for (std::int64_t token = grid.doc_tokens[d]; token < grid.doc_tokens[d + 1]; ++token) {
                ++row[topics[token]];
            }
        }
        for (std::int64_t g = 0; g < grid.n_groups; ++g) {
            const std::int64_t first = grid.word_groups[g];
            const std::int64_t end = grid.word_groups[g + 1];
            if (counts_.n_vk_16 != nullptr) {
                add_rows(counts_.n_vk_16, first, end, totals(g));
            } else {
                add_rows(counts_.n_vk_32, first, end, totals(g));
            }
            for (std::int64_t d = grid.doc_groups[g]; d < grid.doc_groups[g + 1]; ++d) {
                cursors_[static_cast<std::size_t>(d)] =
                    first_of(corpus, d, first, grid.doc_tokens[d]);
            }
        }
    }
    DenseTables(const DenseTables&) = delete;
    DenseTables& operator=(const DenseTables&) = delete;

    const DenseCounts& counts() const { return counts_; }
    std::int32_t* n_dk() { return n_dk_.empty() ? nullptr : n_dk_.data(); }
    std::int32_t* totals(std::int64_t group) { return totals_.data() + group * stride_; }
    DocumentCursor* cursors() { return cursors_.data(); }

  private:
    // No cache line has totals of two cells: both would write to it all the time.
    static constexpr std::int64_t kLine = 64 / static_cast<std::int64_t>(sizeof(std::int32_t));

    template <class Count>
    void add_rows(const Count* n_vk, std::int64_t first, std::int64_t end, std::int32_t* sums) {
        for (std::int64_t v = first; v < end; ++v) {
            for (std::int64_t k = 0; k < padded_; ++k) sums[k] += n_vk[v * padded_ + k];
        }
    }

    // The first entry of a document from some word on.
    static DocumentCursor first_of(const CorpusView& corpus, std::int64_t d, std::int64_t word,
                                   std::int64_t token) {
        std::int64_t e = corpus.doc_offsets[d];
        for (; e < corpus.doc_offsets[d + 1] && corpus.word_ids[e] < word; ++e) {
            token += corpus.counts[e];
        }
        return {e, token};
    }

    std::int64_t padded_;
    std::int64_t stride_;
    DenseTable table_;
    DenseCounts counts_;
    std::vector<std::int32_t> n_dk_;
    std::vector<std::int32_t> totals_;
    std::vector<DocumentCursor> cursors_;
};

// Which steps the groups of documents have done. In step s group i has the words of group i + s,
// which group i + 1 has had in the step before; so a cell waits for two others and for nobody else.
class StepsDone {
  public:
    explicit StepsDone(std::int64_t n_groups) : done_(static_cast<std::size_t>(n_groups)) {}

    // False if there is no more to do: a cell has failed.
    bool wait_for(std::int64_t group, std::int64_t step) {
        std::unique_lock<std::mutex> lock(mutex_);
        const auto next = static_cast<std::size_t>(group + 1) % done_.size();
        changed_.wait(lock, [&] {
            return failed_ ||
                   (done_[static_cast<std::size_t>(group)] >= step && done_[next] >= step);
        });
        return !failed_;
    }
    void has_done(std::int64_t group, bool well) {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            ++done_[static_cast<std::size_t>(group)];
            failed_ = failed_ || !well;
        }
        changed_.notify_all();
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::int64_t> done_;
    bool failed_ = false;
};

// What a sweep works on. `beta_sum` and `masses` are rows of topics for each group of words. Group
// i of documents draws from rngs[i] in all of its cells, one after another, so the number of
// threads changes nothing.
struct DenseSweep {
    const KernelTable& kernels;
    const CorpusView& corpus;
    const PriorsView& priors;
    const DenseGrid& grid;
    const std::vector<Rng>& rngs;
    const double* beta_sum;
    const double* masses;
    DenseTables& tables;
    bool shuffles;
    std::int64_t n_threads;
    std::int32_t* topics;

    Outcome cell(std::int64_t i, std::int64_t j) const {
        const std::int64_t row = j * priors.padded;
        const GroupView group{beta_sum + row, masses + row, tables.totals(j)};
        const DenseCellView view{grid.doc_groups[i],
                                 grid.doc_groups[i + 1],
                                 grid.word_groups[j],
                                 grid.word_groups[j + 1],
                                 grid.doc_tokens,
                                 tables.cursors(),
                                 tables.n_dk(),
                                 tables.counts().n_vk_16,
                                 tables.counts().n_vk_32,
                                 group,
                                 shuffles};
        return kernels.dense_cell(corpus, priors, view, rngs[static_cast<std::size_t>(i)], topics);
    }
};

// Given the masses of the groups of words, the cells (i, i + s mod G) of a step s share no
// document, no word and no total.
inline Outcome sweep_dense(const DenseSweep& to) {
    const std::int64_t n = to.grid.n_groups;
    std::vector<Outcome> outcomes(static_cast<std::size_t>(n * n));
    StepsDone steps(n);
    in_threads(std::min(to.n_threads, n), n * n, [&](std::int64_t turn) {
        const std::int64_t step = turn / n;
        const std::int64_t i = turn % n;
        if (!steps.wait_for(i, step)) return;
        bool is_good = false;
        try {
            Outcome& outcome = outcomes[static_cast<std::size_t>(turn)];
            outcome = to.cell(i, (i + step) % n);
            is_good = outcome.failed_entry < 0;
        } catch (...) {
            steps.has_done(i, false);
            throw;
        }
        steps.has_done(i, is_good);
    });
    Outcome all;
    for (const Outcome& outcome : outcomes) {
        all.steps += outcome.steps;
        all.n_undecided += outcome.n_undecided;
        if (all.failed_entry < 0) all.failed_entry = outcome.failed_entry;
    }
    return all;
}

}  // namespace blocklda
