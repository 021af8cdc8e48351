// The probability of a document's tokens given phi and alpha, by particles that read them from left
// to right (Wallach, Murray, Salakhutdinov & Mimno 2009, Algorithm 3), with resampling.
//
// Before token n, every particle draws z_1, ..., z_{n-1} anew, one after another, from their
// conditionals given w_1, ..., w_{n-1}. It then weighs p(w_n | z_<n), draws z_n, and particles are
// drawn with those weights. The product over n of the mean weights is an unbiased estimate.
#include <cstring>

#include "builds/entry_points.hpp"
#include "given_phi/document_topics.hpp"

namespace blocklda::BLOCKLDA_ISA {

namespace {

// A product of many probabilities: value * kSmall^n_small. Powers of two leave its bits alone.
struct ScaledProduct {
    static constexpr double kSmall = 0x1p-256;
    double value = 1.0;
    std::int64_t n_small = 0;

    void multiply(double p) {
        value *= p;
        if (value < kSmall) {
            value /= kSmall;
            ++n_small;
        }
    }
};

class LeftToRight {
  public:
    LeftToRight(const NewDocument& document, const double* alpha, std::int64_t n_particles,
                const Rng& rng)
        : document_(document),
          n_particles_(n_particles),
          rng_(rng),
          state_(alpha, document.padded),
          entries_(document.n_tokens),
          topics_(n_particles * document.n_tokens),
          chosen_(n_particles * document.n_tokens),
          weights_(n_particles),
          prior_weights_(document.n_entries) {
        Vec lanes[kVecs] = {};
        for (std::int64_t k = 0; k < document.padded; k += kLanes) {
            for (int v = 0; v < kVecs; ++v) lanes[v] += load<Vec>(alpha + k + v * kWidth);
        }
        alpha_sum_ = sum_of_lanes(lanes);
        std::int64_t token = 0;
        for (std::int64_t e = 0; e < document.n_entries; ++e) {
            prior_weights_[e] = state_.prior_weight(document.phi_of(e));
            for (std::int32_t i = 0; i < document.counts[e]; ++i) {
                entries_[token++] = static_cast<std::int32_t>(e);
            }
        }
        for (std::int64_t i = document.n_tokens - 1; i > 0; --i) {
            const auto j = static_cast<std::int64_t>(uniform(rng_) * static_cast<double>(i + 1));
            const std::int32_t entry = entries_[i];
            entries_[i] = entries_[j];
            entries_[j] = entry;
        }
    }

    bool run(ScaledProduct& product) {
        for (std::int64_t n = 0; n < document_.n_tokens; ++n) {
            double total = 0.0;
            for (std::int64_t r = 0; r < n_particles_; ++r) {
                if (!advance(n, topics_.data() + r * document_.n_tokens, weights_[r])) return false;
                total += weights_[r];
            }
            const double mean = total / static_cast<double>(n_particles_);
            product.multiply(mean / (static_cast<double>(n) + alpha_sum_));
            if (n_particles_ > 1) resample(n + 1, mean);
        }
        return true;
    }

    std::int64_t failed_entry = -1;

  private:
    // z_1, ..., z_{n-1} anew; then the weight of token n and a topic for it. Tokens count from 0.
    bool advance(std::int64_t n, std::int32_t* topics, double& weight) {
        state_.clear();
        for (std::int64_t i = 0; i < n; ++i) state_.add(topics[i]);
        for (std::int64_t i = 0; i <= n; ++i) {
            const std::int64_t e = entries_[i];
            const double u = uniform(rng_);
            if (i < n) state_.remove(topics[i]);
            weight = state_.weigh(document_.phi_of(e), prior_weights_[e]);
            if (!is_positive_number(weight)) {
                failed_entry = e;
                return false;
            }
            state_.add(topics[i] = state_.draw(u));
        }
        return true;
    }

    // Particles in proportion to their weights: one uniform for equally spaced points.
    void resample(std::int64_t n, double mean) {
        const double u = uniform(rng_);
        std::int64_t parent = 0;
        double end = weights_[0];
        for (std::int64_t r = 0; r < n_particles_; ++r) {
            const double point = (static_cast<double>(r) + u) * mean;
            while (end <= point && parent + 1 < n_particles_) end += weights_[++parent];
            std::memcpy(chosen_.data() + r * document_.n_tokens,
                        topics_.data() + parent * document_.n_tokens,
                        static_cast<std::size_t>(n) * sizeof(std::int32_t));
        }
        for (std::int64_t r = 0; r < n_particles_; ++r) {
            std::memcpy(topics_.data() + r * document_.n_tokens,
                        chosen_.data() + r * document_.n_tokens,
                        static_cast<std::size_t>(n) * sizeof(std::int32_t));
        }
    }

    NewDocument document_;
    std::int64_t n_particles_;
    Rng rng_;
    DocumentTopics state_;
    double alpha_sum_ = 0.0;
    Buffer<std::int32_t> entries_;  // the tokens' entries, in the order in which they are read
    Buffer<std::int32_t> topics_;
    Buffer<std::int32_t> chosen_;
    Buffer<double> weights_;
    Buffer<double> prior_weights_;
};

}  // namespace

// For each batch of particles products[b] * 2^(-256 n_small[b]) estimates the probability.
Outcome left_to_right(const NewDocument& document, const double* alpha, std::int64_t n_particles,
                      std::int64_t n_batches, const Rng& rng, double* products,
                      std::int64_t* n_small) {
    Outcome outcome;
    LeftToRight particles(document, alpha, n_particles, rng);
    for (std::int64_t b = 0; b < n_batches; ++b) {
        ScaledProduct product;
        if (!particles.run(product)) {
            outcome.failed_entry = particles.failed_entry;
            return outcome;
        }
        products[b] = product.value;
        n_small[b] = product.n_small;
    }
    outcome.steps = n_batches * n_particles * document.n_tokens * (document.n_tokens + 1) / 2;
    return outcome;
}

}  // namespace blocklda::BLOCKLDA_ISA
