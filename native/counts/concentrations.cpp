#include "counts/concentrations.hpp"

#include <vector>

namespace blocklda {

bool concentrations(const MajorView& by_word, const std::int32_t* topics, std::int64_t n_topics,
                    const double* beta, std::int64_t beta_stride, const WordTable& table) {
    std::vector<std::int32_t> n_vk(static_cast<std::size_t>(n_topics), 0);
    for (std::int64_t i = 0; i < table.n_words; ++i) {
        const std::int64_t v = table.first_word + i;
        for (std::int64_t e = by_word.offsets[v]; e < by_word.offsets[v + 1]; ++e) {
            const std::int64_t end = std::int64_t{by_word.starts[e]} + by_word.counts[e];
            for (std::int64_t t = by_word.starts[e]; t < end; ++t) {
                const auto k = static_cast<std::uint32_t>(topics[t]);
                if (k >= static_cast<std::uint64_t>(n_topics)) return false;
                ++n_vk[k];
            }
        }
        double* row = table.rows + i * table.padded;
        for (std::int64_t k = 0; k < n_topics; ++k) {
            std::int32_t& count = n_vk[static_cast<std::size_t>(k)];
            row[k] = static_cast<double>(count);
            if (beta != nullptr) row[k] += beta[i * beta_stride + k];
            count = 0;
        }
    }
    return true;
}

}  // namespace blocklda
