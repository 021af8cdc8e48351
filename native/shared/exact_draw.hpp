// Tokens drawn one by one: how a draw is defined, in doubles, and the loop around it.
#pragma once

#include <cstdint>

#include "shared/buffer.hpp"
#include "shared/certified.hpp"
#include "shared/draw.hpp"

namespace blocklda::BLOCKLDA_ISA {

// The definition: the interval of the old topic comes first, then columns of the others.
class ExactDraw {
  public:
    static constexpr std::int32_t kNoNumber = -2;

    explicit ExactDraw(std::int64_t padded)
        : padded_(padded), weights_(padded), prefix_(padded + kColumns) {}

    // The topic at the uniform u, or kNoNumber. weight(k) are the weights of the topics k, k + 1,
    // ...; that of `old` has the token in it and is not used, since `stays` is what it weighs.
    template <class Weight>
    BLOCKLDA_INLINE std::int32_t topic(Weight weight, std::int32_t old, double stays, double u) {
        double* others = weights_.data();
        for (std::int64_t k = 0; k < padded_; k += kWidth) store(others + k, weight(k));
        others[old] = 0.0;
        table_.fill(prefix_.data(), padded_,
                    [others](std::int64_t k) { return load<Vec>(others + k); });
        const double total = stays + table_.total();
        if (!is_positive_number(total)) return kNoNumber;
        const double point = u * total;
        return point < stays ? old : table_.at(point - stays);
    }

  private:
    std::int64_t padded_;
    Buffer<double> weights_;
    Buffer<double> prefix_;
    ColumnTable<kColumns> table_;
};

// Entries ahead of the present one whose rows are fetched: tables are larger than the cache.
inline constexpr std::int64_t kAhead = 6;

template <class T>
BLOCKLDA_INLINE void prefetch_row(const T* row, std::int64_t n) {
    for (std::int64_t k = 0; k < n; k += 64 / sizeof(T)) __builtin_prefetch(row + k);
}

// Draws tokens of one word and document one by one, each from its conditional; false as soon as
// weights are no numbers. A Token has the counts. Its
//     add_up(word)              adds up the weights in single precision,
//     filtered(sums, word, ..)  draws by them, or says kUndecided,
//     in_doubles(word, ..)      is the definition,
//     move(word, from, to)      moves the token that was drawn last.
template <class Token>
BLOCKLDA_INLINE bool draw_tokens(Token& token, const typename Token::Word& word, const Rng& rng,
                                 std::int32_t* tokens, std::int64_t count) {
    // The sums serve all tokens until one of them moves.
    ColumnSums sums = token.add_up(word);
    for (const std::int32_t* last = tokens + count; tokens != last; ++tokens) {
        const std::int32_t old = *tokens;
        const double u = uniform(rng);
        std::int32_t topic = token.filtered(sums, word, old, u);
        if (topic == CertifiedDraw::kUndecided) [[unlikely]] {
            ++token.n_undecided;
            topic = token.in_doubles(word, old, u);
        }
        if (topic == old) continue;
        if (topic < 0) return false;
        token.move(word, old, topic);
        *tokens = topic;
        if (tokens + 1 != last) sums = token.add_up(word);
    }
    return true;
}

}  // namespace blocklda::BLOCKLDA_ISA
