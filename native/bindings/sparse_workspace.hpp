// The tables that samplers over topic lists keep between their sweeps.
#pragma once

#include <limits>
#include <mutex>

#include "bindings/border.hpp"
#include "bindings/corpus.hpp"
#include "bindings/made_for.hpp"
#include "bindings/priors.hpp"

namespace blocklda {

// The priors as seen from the axis whose rows are visited.
AxisPriors axis_priors(const Rows& rows, const Priors& priors);

// Which blocks are drawn token after token.
inline void require_sequential(std::int64_t block, std::int64_t from) {
    require(block >= 1, "sequential_block must be at least 1");
    require(from >= 0 && from <= std::numeric_limits<std::int32_t>::max(),
            "sequential_from must be from 0 to 2147483647");
}

// Tables of one state.
class SparseWorkspace {
  public:
    SparseWorkspace() = default;
    SparseWorkspace(const SparseWorkspace&) = delete;
    SparseWorkspace& operator=(const SparseWorkspace&) = delete;
    ~SparseWorkspace() { clear(); }

    // For the length of a call; the tables of one state serve one thread at a time.
    std::unique_lock<std::mutex> reserve() {
        std::unique_lock<std::mutex> in_use(in_use_, std::try_to_lock);
        require(in_use.owns_lock(), "the workspace is in use in another thread");
        return in_use;
    }

    // Whether the tables are those that were given back.
    bool borrow(const KernelTable* kernels, const Rows& rows, std::int64_t n_topics,
                const std::int32_t* topics);
    void* tables() { return tables_; }
    void give_back(const Rows& rows, const std::int32_t* topics);

    // After sweeps that passed every row once: its cells were noted on the way.
    void has_noted_rows() { are_rows_noted_ = true; }
    // The same but for some rows, which the next call is to note.
    void has_noted_rows_but(const EveryNth& rows) {
        are_rows_noted_ = rows.every == 0;
        not_noted_ = rows;
    }
    bool are_rows_noted_but(const EveryNth& rows) const { return not_noted_ == rows; }
    // Whether `sparse_cells` knows all cells of these assignments.
    bool knows_cells(const Rows& rows, std::int64_t n_topics, const std::int32_t* topics) const;
    const KernelTable* kernels() const { return kernels_; }

  private:
    void clear() {
        if (tables_ != nullptr) kernels_->free_sparse_tables(tables_);
        tables_ = nullptr;
        kernels_ = nullptr;
    }

    std::mutex in_use_;
    MadeFor made_for_;
    bool are_rows_noted_ = false;
    EveryNth not_noted_ = {0, 0};  // rows that have yet to be noted, if all others are
    const KernelTable* kernels_ = nullptr;
    void* tables_ = nullptr;
    std::int64_t n_topics_ = 0;
};

}  // namespace blocklda
