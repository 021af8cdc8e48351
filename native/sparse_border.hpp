// What the samplers over topic lists share at the border: the axis with the rows, and the tables
// that they keep between their sweeps.
#pragma once

#include <mutex>
#include <optional>
#include <tuple>

#include "border.hpp"

namespace blocklda {

// The corpus with words as rows: where each word's entries begin, and their documents, counts and
// first tokens.
using ByWord = std::tuple<Flat<const std::int64_t>, Flat<const std::int32_t>,
                          Flat<const std::int32_t>, Flat<const std::int32_t>>;

// The corpus and the priors as seen from the axis whose rows are visited.
struct Axis {
    MajorView corpus;
    AxisPriors priors;
};
Axis checked_axis(const CorpusView& corpus, const PriorsView& priors,
                  const std::optional<ByWord>& by_word);

// Tables of one state. They are used again only for the same corpus, axis and assignments, which
// checksums tell: anyone may change arrays between two calls, or free them and have others in
// their place.
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

    void borrow(const KernelTable* kernels, const CorpusView& documents, const MajorView& corpus,
                std::int64_t n_topics, const std::int32_t* topics, std::int64_t n_tokens);
    void* tables() { return tables_; }
    void give_back(const std::int32_t* topics, std::int64_t n_tokens);

  private:
    void clear() {
        if (tables_ != nullptr) kernels_->free_sparse_tables(tables_);
        tables_ = nullptr;
        kernels_ = nullptr;
    }

    std::mutex in_use_;
    bool is_good_ = false;
    const KernelTable* kernels_ = nullptr;
    void* tables_ = nullptr;
    std::int64_t n_topics_ = 0;
    std::uint64_t corpus_checksum_ = 0;
    std::uint64_t topics_checksum_ = 0;
};

}  // namespace blocklda
