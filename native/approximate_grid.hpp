// A sweep over a grid of cells, several of them at the same time. No Python, and the same code for
// every instruction set.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "kernels.hpp"

namespace blocklda {

// Rows and the other axis, each cut into `n_groups` groups of neighbours: group g begins with
// number groups[g] and ends before groups[g + 1]. `row_tokens` is the number of tokens before each
// row, or null where the corpus tells the first token of every entry.
struct GridView {
    const std::int64_t* row_groups;
    const std::int64_t* minor_groups;
    std::int64_t n_groups;
    const std::int64_t* row_tokens;
};

// Does `work(i)` for every i below n, in some threads of which one is the caller's. What is thrown
// in any of them is thrown here, after all have ended.
template <class Work>
void in_threads(std::int64_t n_threads, std::int64_t n, const Work& work) {
    struct Others {
        std::vector<std::thread> threads;
        ~Others() {
            for (std::thread& thread : threads) thread.join();
        }
    };
    std::atomic<std::int64_t> next{0};
    std::mutex has_failed;
    std::exception_ptr failure;
    const auto take_turns = [&] {
        try {
            for (std::int64_t i = next++; i < n; i = next++) work(i);
        } catch (...) {
            const std::lock_guard<std::mutex> alone(has_failed);
            failure = std::current_exception();
        }
    };
    {
        Others others;
        others.threads.reserve(static_cast<std::size_t>(n_threads));
        for (std::int64_t t = 1; t < n_threads; ++t) others.threads.emplace_back(take_turns);
        take_turns();
    }
    if (failure) std::rethrow_exception(failure);
}

// In step s the cells (i, (i + s) mod G) are swept at the same time. They share no row and nothing
// of the other axis, so counts of documents and words are exact; the totals n_k are those at the
// beginning of the step with the cell's own changes, and that is the approximation. Cell (i, j)
// draws from rngs[i G + j], so the number of threads changes nothing.
inline Outcome sweep_grid(const KernelTable& kernels, const MajorView& corpus,
                          const AxisPriors& priors, const SparseOptions& options,
                          const GridView& grid, const std::vector<Rng>& rngs, void* tables,
                          std::int64_t n_threads, std::int32_t* topics) {
    const std::int64_t n = grid.n_groups;
    // No cache line has totals of two cells: both would write to it all the time.
    const std::int64_t stride =
        priors.padded + 64 / static_cast<std::int64_t>(sizeof(std::int32_t));
    std::vector<std::int32_t> totals(static_cast<std::size_t>(n * stride));
    std::vector<Outcome> outcomes(static_cast<std::size_t>(n));
    Outcome all;
    for (std::int64_t step = 0; step < n; ++step) {
        in_threads(std::min(n_threads, n), n, [&](std::int64_t i) {
            const std::int64_t j = (i + step) % n;
            const CellView cell{grid.row_groups[i], grid.row_groups[i + 1], grid.minor_groups[j],
                                grid.minor_groups[j + 1], grid.row_tokens};
            outcomes[static_cast<std::size_t>(i)] = kernels.sparse_cell(
                corpus, priors, cell, options, rngs[static_cast<std::size_t>(i * n + j)], tables,
                totals.data() + i * stride, topics);
        });
        for (const Outcome& outcome : outcomes) {
            all.steps += outcome.steps;
            if (all.failed_entry < 0) all.failed_entry = outcome.failed_entry;
        }
        if (all.failed_entry >= 0) return all;
        kernels.add_up_totals(tables, totals.data(), n, stride, priors.padded);
    }
    return all;
}

}  // namespace blocklda
