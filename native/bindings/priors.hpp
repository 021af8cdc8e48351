// Dirichlet priors as Python binds them: checked once, when the object is made.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "bindings/arrays.hpp"
#include "bindings/border.hpp"
#include "bindings/corpus.hpp"

namespace blocklda {

// Rows of topics are padded to `lanes`. `View` is what kernels read of them.
template <class T, class View, std::int64_t lanes>
class PriorTables {
  public:
    PriorTables(GivenFlat<T> alpha, GivenTable<T> beta, GivenFlat<double> beta_sum,
                std::int64_t n_topics)
        : alpha_(std::move(alpha)),
          beta_(std::move(beta)),
          beta_sum_(std::move(beta_sum)),
          n_topics_(n_topics),
          padded_(length(alpha_)) {
        require_padded(n_topics, padded_, lanes);
        require(length(beta_, 1) == padded_ && length(beta_sum_) == padded_,
                "alpha, beta and beta_sum differ in length");
        require_topic_prior(alpha_.data(), n_topics, padded_);
        // A start divides by all of a row, its padding included.
        const std::int64_t n_divided = std::is_same_v<T, float> ? padded_ : n_topics;
        require(all_positive(beta_sum_.data(), n_divided), "beta_sum must be positive");
        for (std::int64_t v = 0; v < length(beta_); ++v) {
            require(all_positive(beta_.data() + v * padded_, n_topics), "beta must be positive");
        }
        is_one_number_ = length(beta_) == 1;
        for (std::int64_t k = 1; is_one_number_ && k < n_topics; ++k) {
            is_one_number_ = beta_.data()[k] == beta_.data()[0];
        }
    }
    PriorTables(const PriorTables&) = delete;
    PriorTables& operator=(const PriorTables&) = delete;

    const T* alpha() const { return alpha_.data(); }
    std::int64_t n_topics() const { return n_topics_; }
    std::int64_t padded() const { return padded_; }

    // The priors of a corpus with these words. The stride from one word's row of beta to the next
    // is 0 if all words and topics share one number.
    View view_of(const Rows& corpus) const {
        const std::int64_t n_rows = length(beta_);
        require(n_rows == 1 || n_rows == corpus.n_words(),
                "beta must have one row, or one per word");
        require(is_one_number_ || n_rows == corpus.n_words(),
                "a row of beta that all words share must be one number");
        return {alpha_.data(),    beta_.data(), is_one_number_ ? 0 : padded_,
                beta_sum_.data(), n_topics_,    padded_};
    }

    // The priors of one word, which must be the only one.
    View view_of_one_word() const {
        require(length(beta_) == 1, "beta must have one row");
        return {alpha_.data(),    beta_.data(), is_one_number_ ? 0 : padded_,
                beta_sum_.data(), n_topics_,    padded_};
    }

  private:
    KeptFlat<T> alpha_;
    KeptTable<T> beta_;
    KeptFlat<double> beta_sum_;
    std::int64_t n_topics_;
    std::int64_t padded_;
    bool is_one_number_ = false;
};

using Priors = PriorTables<double, PriorsView, 8>;
using StartPriors = PriorTables<float, StartPriorsView, 16>;

}  // namespace blocklda
