// A checksum of assignments, by which tables tell whether they are still those of a state.
#pragma once

#include <cstdint>

namespace blocklda {

// Sixteen sums of products with odd numbers, so that the loop is vectorised. A change of one number
// always changes its sum.
std::uint64_t checksum(const std::int32_t* numbers, std::int64_t n);

}  // namespace blocklda
