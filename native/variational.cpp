// Stochastic collapsed variational inference with no second-order terms (SCVB0: Foulds, Boyles,
// DuBois, Smyth & Welling 2013), as a start for a chain. All tokens of an entry share their shares
// of the topics,
//     gamma_k proportional to (n_dk + alpha_k) (n_vk + beta_kv) / (n_k + Vbeta_k),
// and n_vk is a running mean over documents that forgets the past at a given rate.
//
// Single precision: nothing here touches the law of a chain, only where it begins. The steps are
// still written out so that every build, and the Python twin, returns the same bits.
#include <cstdint>
#include <cstring>

#include "buffer.hpp"
#include "draw.hpp"
#include "entry_points.hpp"
#include "float_simd.hpp"

namespace blocklda::BLOCKLDA_ISA {

namespace {

// beta_kv of one word, in a register when it is the same everywhere.
struct EqualFloatPrior {
    float beta;
    BLOCKLDA_INLINE FloatVec at(std::int64_t) const { return FloatVec{} + beta; }
    static EqualFloatPrior of_word(const StartPriorsView& priors, std::int64_t) {
        return {priors.beta[0]};
    }
};
struct RowFloatPrior {
    const float* row;
    BLOCKLDA_INLINE FloatVec at(std::int64_t i) const { return load<FloatVec>(row + i); }
    static RowFloatPrior of_word(const StartPriorsView& priors, std::int64_t word) {
        return {priors.beta + word * priors.beta_stride};
    }
};

// What one document needs: phi_kv of its words, row by row, and a_k = n_dk + alpha_k.
template <class Prior>
class Document {
  public:
    Document(const CorpusView& corpus, const StartPriorsView& priors, const float* n_vk)
        : corpus_(corpus),
          priors_(priors),
          padded_(priors.padded),
          n_vk_(n_vk),
          n_k_(padded_),
          inverse_(padded_),
          a_(padded_),
          sums_(padded_) {
        for (std::int64_t v = 0; v < corpus.n_words; ++v) {
            const float* row = n_vk + v * padded_;
            for (std::int64_t k = 0; k < padded_; ++k) n_k_[k] += static_cast<double>(row[k]);
        }
    }

    const float* phi(std::int64_t i) { return phi_.data() + i * padded_; }
    const float* a() { return a_.data(); }

    // Estimate theta of document d from counts that are `scale` times what the table holds. The
    // first pass goes from entry to entry, each seeing the shares of those before it; it gets
    // further than several passes that leave a_k alone until their end, which `n_refine` counts.
    void estimate(std::int64_t d, float scale, std::int64_t n_refine) {
        first_ = corpus_.doc_offsets[d];
        n_entries_ = corpus_.doc_offsets[d + 1] - first_;
        phi_.reserve(n_entries_ * padded_);
        for (std::int64_t k = 0; k < padded_; ++k) {
            inverse_[k] = static_cast<float>(
                1.0 / (static_cast<double>(scale) * n_k_[k] + priors_.beta_sum[k]));
            a_[k] = priors_.alpha[k];
        }
        for (std::int64_t i = 0; i < n_entries_; ++i) add_entry(i, scale);
        for (std::int64_t pass = 0; pass < n_refine; ++pass) refine();
    }

    // Add `gain` times the document's shares to the table that the constructor was given.
    void count(float gain, float* n_vk) {
        clear_sums();
        for (std::int64_t i = 0; i < n_entries_; ++i) {
            const float weight = gain * count_of(i) / lane_product(phi(i), a(), padded_);
            const float* phi_v = phi(i);
            float* n_v = n_vk + word_of(i) * padded_;
            for (std::int64_t k = 0; k < padded_; k += kFloatWidth) {
                const FloatVec share =
                    weight * (load<FloatVec>(phi_v + k) * load<FloatVec>(a_.data() + k));
                store(n_v + k, load<FloatVec>(n_v + k) + share);
                store(sums_.data() + k, load<FloatVec>(sums_.data() + k) + share);
            }
        }
        for (std::int64_t k = 0; k < padded_; ++k) n_k_[k] += static_cast<double>(sums_[k]);
    }

  private:
    std::int64_t word_of(std::int64_t i) const { return corpus_.word_ids[first_ + i]; }
    float count_of(std::int64_t i) const { return static_cast<float>(corpus_.counts[first_ + i]); }
    void clear_sums() {
        std::memset(sums_.data(), 0, static_cast<std::size_t>(padded_) * sizeof(float));
    }

    // The table is larger than the cache; the row of the next entry is fetched during this one.
    void prefetch(std::int64_t i) const {
        const float* row = n_vk_ + word_of(i) * padded_;
        for (std::int64_t k = 0; k < padded_; k += 64 / sizeof(float)) __builtin_prefetch(row + k);
    }

    void add_entry(std::int64_t i, float scale) {
        if (i + 1 < n_entries_) prefetch(i + 1);
        const Prior prior = Prior::of_word(priors_, word_of(i));
        const float* n_v = n_vk_ + word_of(i) * padded_;
        float* phi_v = phi_.data() + i * padded_;
        float* a = a_.data();
        const float* inverse = inverse_.data();
        const float total = lane_sum(padded_, [=](std::int64_t k) {
            const FloatVec b = scale * load<FloatVec>(n_v + k) + prior.at(k);
            const FloatVec phi_vk = b * load<FloatVec>(inverse + k);
            store(phi_v + k, phi_vk);
            return phi_vk * load<FloatVec>(a + k);
        });
        const float weight = count_of(i) / total;
        for (std::int64_t k = 0; k < padded_; k += kFloatWidth) {
            const FloatVec a_k = load<FloatVec>(a + k);
            store(a + k, a_k + a_k * (weight * load<FloatVec>(phi_v + k)));
        }
    }

    void refine() {
        clear_sums();
        for (std::int64_t i = 0; i < n_entries_; ++i) {
            const float* phi_v = phi(i);
            const float weight = count_of(i) / lane_product(phi_v, a(), padded_);
            for (std::int64_t k = 0; k < padded_; k += kFloatWidth) {
                const FloatVec sum = load<FloatVec>(sums_.data() + k);
                store(sums_.data() + k, sum + weight * load<FloatVec>(phi_v + k));
            }
        }
        for (std::int64_t k = 0; k < padded_; ++k) a_[k] = a_[k] * sums_[k] + priors_.alpha[k];
    }

    CorpusView corpus_;
    StartPriorsView priors_;
    std::int64_t padded_;
    std::int64_t first_ = 0;
    std::int64_t n_entries_ = 0;
    const float* n_vk_;
    Buffer<double> n_k_;  // sums over millions of tokens, to which a document adds a few
    Buffer<float> inverse_;
    Buffer<float> a_;
    Buffer<float> sums_;
    Buffer<float> phi_;
};

template <class Prior>
void pass(const CorpusView& corpus, const StartPriorsView& priors, const StartPass& documents,
          float* n_vk) {
    Document<Prior> document(corpus, priors, n_vk);
    for (std::int64_t i = 0; i < documents.n_docs; ++i) {
        document.estimate(documents.order[i], documents.scales[i], documents.n_refine);
        document.count(documents.gains[i], n_vk);
    }
}

template <class Prior>
Outcome draw(const CorpusView& corpus, const StartPriorsView& priors, std::int64_t n_refine,
             const float* n_vk, const Rng& rng, std::int32_t* topics) {
    Outcome outcome;
    Document<Prior> document(corpus, priors, n_vk);
    const std::int64_t padded = round_up_to_lanes(priors.n_topics);
    Buffer<double> prefix(padded);
    TopicTable table;
    for (std::int64_t d = 0; d < corpus.n_docs; ++d) {
        document.estimate(d, 1.0F, n_refine);
        const float* a = document.a();
        for (std::int64_t e = corpus.doc_offsets[d]; e < corpus.doc_offsets[d + 1]; ++e) {
            const float* phi_v = document.phi(e - corpus.doc_offsets[d]);
            const bool usable = table.fill(prefix.data(), padded, [=](std::int64_t k) {
                return load_as_doubles(a + k) * load_as_doubles(phi_v + k);
            });
            if (!usable) {
                outcome.failed_entry = e;
                return outcome;
            }
            for (std::int32_t i = 0; i < corpus.counts[e]; ++i) {
                *topics++ = table.draw(uniform(rng));
                ++outcome.steps;
            }
        }
    }
    return outcome;
}

}  // namespace

void variational_pass(const CorpusView& corpus, const StartPriorsView& priors,
                      const StartPass& documents, float* n_vk) {
    if (priors.beta_stride == 0) return pass<EqualFloatPrior>(corpus, priors, documents, n_vk);
    return pass<RowFloatPrior>(corpus, priors, documents, n_vk);
}

Outcome variational_draw(const CorpusView& corpus, const StartPriorsView& priors,
                         std::int64_t n_refine, const float* n_vk, const Rng& rng,
                         std::int32_t* topics) {
    if (priors.beta_stride == 0) {
        return draw<EqualFloatPrior>(corpus, priors, n_refine, n_vk, rng, topics);
    }
    return draw<RowFloatPrior>(corpus, priors, n_refine, n_vk, rng, topics);
}

}  // namespace blocklda::BLOCKLDA_ISA
