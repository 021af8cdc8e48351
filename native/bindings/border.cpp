// The checks that all kernels share.
#include "bindings/border.hpp"

#include <algorithm>
#include <string>

namespace blocklda {

namespace {

// The first members of NumPy's bitgen_t, whose layout its C interface promises.
struct BitGenerator {
    void* state;
    std::uint64_t (*next_uint64)(void*);
    std::uint32_t (*next_uint32)(void*);
    double (*next_double)(void*);
};

}  // namespace

bool all_below(const std::int32_t* numbers, std::int64_t n, std::int64_t bound) {
    if (bound <= 0) return n == 0;
    const auto last = static_cast<std::uint32_t>(std::min(bound, kLimit) - 1);
    // The highest bit is set where a number is negative, or above the last one.
    std::uint32_t bits = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        const auto number = static_cast<std::uint32_t>(numbers[i]);
        bits |= number | (last - number);
    }
    return bits >> 31 == 0;
}

Rng rng_of(const nb::capsule& capsule) {
    const char* name = capsule.name();
    require(name != nullptr && std::string(name) == "BitGenerator",
            "not the capsule of a bit generator");
    const auto* generator = static_cast<const BitGenerator*>(capsule.data());
    return {generator->state, generator->next_double};
}

void require_n_topics(std::int64_t n_topics) {
    require(n_topics >= 1 && n_topics < kLimit, "n_topics out of range");
}

void require_padded(std::int64_t n_topics, std::int64_t padded, std::int64_t lanes) {
    require_n_topics(n_topics);
    require(padded == (n_topics + lanes - 1) / lanes * lanes, "topics must be padded to lanes");
}

std::int64_t checked_n_tokens(const std::int32_t* counts, std::int64_t n_entries) {
    require(all_positive(counts, n_entries), "counts must be positive");
    std::int64_t n_tokens = 0;
    for (std::int64_t e = 0; e < n_entries; ++e) n_tokens += counts[e];
    require(n_tokens < kLimit, "at most 2^31 - 1 tokens can be counted");
    return n_tokens;
}

void require_offsets(const std::int64_t* offsets, std::int64_t n_offsets, std::int64_t n_entries,
                     const char* out_of_range, const char* falling) {
    require(n_offsets >= 1 && offsets[0] == 0 && offsets[n_offsets - 1] == n_entries, out_of_range);
    for (std::int64_t i = 1; i < n_offsets; ++i) require(offsets[i - 1] <= offsets[i], falling);
}

}  // namespace blocklda
