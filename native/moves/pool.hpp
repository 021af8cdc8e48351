// The tokens of one or two topics, in random order, and their allocation to two topics in turn.
#pragma once

#include <cstdint>
#include <utility>

#include "shared/buffer.hpp"
#include "shared/draw.hpp"
#include "shared/elementary.hpp"
#include "shared/views.hpp"

namespace blocklda::BLOCKLDA_ISA {

// Tokens by document. The order of documents, and of the tokens in each, is drawn uniformly: it
// depends on which tokens there are, never on which of the two topics each of them has.
class Pool {
  public:
    struct Token {
        std::int32_t place;  // among all tokens of the corpus
        std::int32_t word;
    };

    struct Range {
        std::int64_t begin;
        std::int64_t end;
    };

    Pool(std::int64_t n_tokens, std::int64_t n_docs)
        : tokens_(n_tokens + 1), documents_(n_docs + 1) {}

    // Adds a token of the present document, or, without a branch, none. There is room for one more
    // than will be kept.
    void add(std::int64_t place, std::int32_t word, bool is_kept) {
        tokens_[n_tokens_] = {static_cast<std::int32_t>(place), word};
        n_tokens_ += is_kept;
    }
    void end_document() {
        documents_[n_documents_] = {begin_, n_tokens_};
        n_documents_ += n_tokens_ > begin_;
        begin_ = n_tokens_;
    }

    void shuffle(const Rng& rng) {
        shuffle(documents_.data(), n_documents_, rng);
        for (std::int64_t d = 0; d < n_documents_; ++d) {
            const Range document = documents_[d];
            shuffle(tokens_.data() + document.begin, document.end - document.begin, rng);
        }
    }

    std::int64_t size() const { return n_tokens_; }
    const Token& token(std::int64_t at) const { return tokens_[at]; }

    std::int64_t n_documents() const { return n_documents_; }
    const Range& document(std::int64_t d) const { return documents_[d]; }

  private:
    template <class T>
    static void shuffle(T* items, std::int64_t n, const Rng& rng) {
        for (std::int64_t i = n - 1; i > 0; --i) {
            const auto j = static_cast<std::int64_t>(uniform(rng) * static_cast<double>(i + 1));
            std::swap(items[i], items[j]);
        }
    }

    Buffer<Token> tokens_;
    Buffer<Range> documents_;
    std::int64_t n_tokens_ = 0;
    std::int64_t n_documents_ = 0;
    std::int64_t begin_ = 0;
};

// Allocates a pool to the topics a and b, token after token, with the probabilities p_a and p_b
// proportional to
//     w_a = (n_da + alpha_a) (n_va + beta_av) / (n_a + sum_v beta_av),  w_b alike,
// where n counts what was allocated before. With f_a(A) the part of log q that a topic a has with
// the tokens A, the products of the w_a and w_b that were chosen telescope:
//     log Q(labels) = f_a(A) - f_a(0) + f_b(B) - f_b(0) - sum log(w_a + w_b),
// and so does the product of w_m, which is w_a if all tokens before went to a:
//     sum log w_m = f_a(A + B) - f_a(0).
// Hence the log of the importance weight of the labels against "all in a, none in b" is
//     G = [f_a(A) + f_b(B)] - [f_a(A + B) + f_b(0)] - log Q = sum log((w_a + w_b) / w_m),
// without a log gamma function.
class Split {
  public:
    struct OfWord {
        double a;
        double b;
    };

    Split(const PriorsView& priors, std::int64_t n_words, std::int64_t a, std::int64_t b)
        : beta_(priors.beta),
          stride_(priors.beta_stride),
          a_(a),
          b_(b),
          alpha_a_(priors.alpha[a]),
          alpha_b_(priors.alpha[b]),
          sum_a_(priors.beta_sum[a]),
          sum_b_(priors.beta_sum[b]),
          counts_(n_words) {}

    // goes_to_b(at, w_a, w_a + w_b) says or draws where a token of the pool goes. Returns the token
    // at which a weight was no positive number, or -1.
    template <class GoesToB>
    std::int64_t run(const Pool& pool, GoesToB goes_to_b) {
        for (std::int64_t d = 0; d < pool.n_documents(); ++d) {
            const auto [begin, end] = pool.document(d);
            n_da_ = n_db_ = 0.0;
            for (std::int64_t at = begin; at < end; ++at) {
                if (!step(pool.token(at).word, at, goes_to_b)) return at;
            }
        }
        return -1;
    }

    double log_weight() const { return weight_.log(); }
    const OfWord& counts(std::int64_t v) const { return counts_[v]; }
    double n_a() const { return n_a_; }
    double n_b() const { return n_b_; }

  private:
    template <class GoesToB>
    bool step(std::int64_t v, std::int64_t at, GoesToB goes_to_b) {
        OfWord& word = counts_[v];
        const double beta_a = beta_[v * stride_ + a_];
        const double beta_b = beta_[v * stride_ + b_];
        const double w_a = (n_da_ + alpha_a_) * (word.a + beta_a) / (n_a_ + sum_a_);
        const double w_b = (n_db_ + alpha_b_) * (word.b + beta_b) / (n_b_ + sum_b_);
        const double w_m =
            ((n_da_ + n_db_) + alpha_a_) * ((word.a + word.b) + beta_a) / ((n_a_ + n_b_) + sum_a_);
        const double both = w_a + w_b;
        const double ratio = both / w_m;
        if (!is_positive_number(both) || !is_positive_number(ratio)) return false;
        weight_.multiply(ratio);
        const double to_b = goes_to_b(at, w_a, both) ? 1.0 : 0.0;
        const double to_a = 1.0 - to_b;
        n_da_ += to_a;
        n_db_ += to_b;
        word.a += to_a;
        word.b += to_b;
        n_a_ += to_a;
        n_b_ += to_b;
        return true;
    }

    const double* beta_;
    std::int64_t stride_;
    std::int64_t a_;
    std::int64_t b_;
    double alpha_a_;
    double alpha_b_;
    double sum_a_;
    double sum_b_;
    Buffer<OfWord> counts_;
    double n_da_ = 0.0;
    double n_db_ = 0.0;
    double n_a_ = 0.0;
    double n_b_ = 0.0;
    LogProduct weight_;
};

}  // namespace blocklda::BLOCKLDA_ISA
