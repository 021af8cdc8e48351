// One token among counts that it is part of, checked.
#pragma once

#include <cmath>

#include "bindings/border.hpp"

namespace blocklda {

inline TokenView checked_token(std::int64_t n_topics, const Flat<std::int32_t>& n_d,
                               const Flat<std::int32_t>& n_v, const Flat<std::int32_t>& n_k,
                               std::int32_t old, double u, double bound_share) {
    require_aligned(n_d, n_v, n_k);
    require(length(n_d) == n_topics && length(n_v) == n_topics && length(n_k) == n_topics,
            "there must be one count per topic");
    require(old >= 0 && old < n_topics, "old must be a topic");
    for (std::int64_t k = 0; k < n_topics; ++k) {
        const std::int32_t least = k == old ? 1 : 0;
        require(n_d.data()[k] >= least && n_v.data()[k] >= least && n_k.data()[k] >= least,
                "counts must not be negative, and hold the token");
    }
    require(u >= 0 && u < 1, "u must be from 0 to 1");
    require(bound_share > 0 && std::isfinite(bound_share), "bound_share must be positive");
    return {n_d.data(), n_v.data(), n_k.data(), 0, old};
}

}  // namespace blocklda
