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

#include "builds/entry_points.hpp"
#include "shared/buffer.hpp"
#include "shared/draw.hpp"
#include "shared/float_simd.hpp"

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
        in_groups([&]<int n>(std::int64_t i) { add_entries<n>(i, scale); });
        for (std::int64_t pass = 0; pass < n_refine; ++pass) {
            clear_sums();
            in_groups([&]<int n>(std::int64_t i) { sum_entries<n>(i); });
            for (std::int64_t k = 0; k < padded_; ++k) a_[k] = a_[k] * sums_[k] + priors_.alpha[k];
        }
    }

    // Add `gain` times the document's shares to the table that the constructor was given.
    void count(float gain, float* n_vk) {
        clear_sums();
        in_groups([&]<int n>(std::int64_t i) { count_entries<n>(i, gain, n_vk); });
        for (std::int64_t k = 0; k < padded_; ++k) n_k_[k] += static_cast<double>(sums_[k]);
    }

  private:
    std::int64_t word_of(std::int64_t i) const { return corpus_.word_ids[first_ + i]; }
    float count_of(std::int64_t i) const { return static_cast<float>(corpus_.counts[first_ + i]); }
    void clear_sums() {
        std::memset(sums_.data(), 0, static_cast<std::size_t>(padded_) * sizeof(float));
    }

    // Entries are taken four at a time, all of which see the same a_k: the divisions then wait for
    // each other only once, and a row of a_k is read once for the four.
    static constexpr int kGroup = 4;

    template <class Step>
    BLOCKLDA_INLINE void in_groups(Step step) {
        std::int64_t i = 0;
        for (; i + kGroup <= n_entries_; i += kGroup) step.template operator()<kGroup>(i);
        switch (n_entries_ - i) {
            case 3:
                return step.template operator()<3>(i);
            case 2:
                return step.template operator()<2>(i);
            case 1:
                return step.template operator()<1>(i);
            default:
                return;
        }
    }

    // weights[j] = gain * count / sum_k a_k term(j, k) for the entries i, ..., i + n - 1.
    template <int n, class Term>
    BLOCKLDA_INLINE void weigh(std::int64_t i, float gain, FloatVec* weights, Term term) const {
        const std::int64_t padded = padded_;
        FloatVec sums[n][kFloatVecs];
        for (int j = 0; j < n; ++j) {
            for (int v = 0; v < kFloatVecs; ++v) sums[j][v] = FloatVec{};
        }
        for (std::int64_t k = 0; k < padded; k += kFloatLanes) {
            for (int v = 0; v < kFloatVecs; ++v) {
                const FloatVec a_k = load<FloatVec>(a_.data() + k + v * kFloatWidth);
                for (int j = 0; j < n; ++j) sums[j][v] += term(j, k + v * kFloatWidth) * a_k;
            }
        }
        for (int j = 0; j < n; ++j) {
            weights[j] = FloatVec{} + gain * count_of(i + j) / fold<kFloatVecs>(sums[j]);
        }
    }

    // phi_kv of n entries, and their shares onto a_k.
    template <int n>
    BLOCKLDA_INLINE void add_entries(std::int64_t i, float scale) {
        const std::int64_t padded = padded_;
        const float* n_v[n];
        const float* next[n];
        Prior prior[n];
        for (int j = 0; j < n; ++j) {
            // The table is larger than the cache: the next rows are fetched during these.
            next[j] = n_vk_ + word_of(i + j + n < n_entries_ ? i + j + n : i + j) * padded;
            n_v[j] = n_vk_ + word_of(i + j) * padded;
            prior[j] = Prior::of_word(priors_, word_of(i + j));
        }
        float* phi_v = phi_.data() + i * padded;
        const float* inverse = inverse_.data();
        FloatVec weights[n];
        weigh<n>(i, 1.0F, weights, [&](int j, std::int64_t k) {
            if (k % kFloatLanes == 0) __builtin_prefetch(next[j] + k);
            const FloatVec b = scale * load<FloatVec>(n_v[j] + k) + prior[j].at(k);
            const FloatVec phi_vk = b * load<FloatVec>(inverse + k);
            store(phi_v + j * padded + k, phi_vk);
            return phi_vk;
        });
        float* a = a_.data();
        for (std::int64_t k = 0; k < padded; k += kFloatWidth) {
            FloatVec rate = weights[0] * load<FloatVec>(phi_v + k);
            for (int j = 1; j < n; ++j) {
                rate += weights[j] * load<FloatVec>(phi_v + j * padded + k);
            }
            const FloatVec a_k = load<FloatVec>(a + k);
            store(a + k, a_k + a_k * rate);
        }
    }

    // sums_k += count phi_kv / sum_k a_k phi_kv: times a_k, the entries' shares of topic k.
    template <int n>
    BLOCKLDA_INLINE void sum_entries(std::int64_t i) {
        const std::int64_t padded = padded_;
        const float* phi_v = phi(i);
        FloatVec weights[n];
        weigh<n>(i, 1.0F, weights,
                 [=](int j, std::int64_t k) { return load<FloatVec>(phi_v + j * padded + k); });
        float* sums = sums_.data();
        for (std::int64_t k = 0; k < padded; k += kFloatWidth) {
            FloatVec sum = load<FloatVec>(sums + k);
            for (int j = 0; j < n; ++j) {
                sum += weights[j] * load<FloatVec>(phi_v + j * padded + k);
            }
            store(sums + k, sum);
        }
    }

    // The shares of n entries into their rows of n_vk, and into the sums that n_k will get.
    template <int n>
    BLOCKLDA_INLINE void count_entries(std::int64_t i, float gain, float* n_vk) {
        const std::int64_t padded = padded_;
        const float* phi_v = phi(i);
        float* n_v[n];
        for (int j = 0; j < n; ++j) n_v[j] = n_vk + word_of(i + j) * padded;
        FloatVec weights[n];
        weigh<n>(i, gain, weights,
                 [=](int j, std::int64_t k) { return load<FloatVec>(phi_v + j * padded + k); });
        const float* a = a_.data();
        float* sums = sums_.data();
        for (std::int64_t k = 0; k < padded; k += kFloatWidth) {
            const FloatVec a_k = load<FloatVec>(a + k);
            FloatVec sum = load<FloatVec>(sums + k);
            for (int j = 0; j < n; ++j) {
                const FloatVec share = weights[j] * (load<FloatVec>(phi_v + j * padded + k) * a_k);
                store(n_v[j] + k, load<FloatVec>(n_v[j] + k) + share);
                sum += share;
            }
            store(sums + k, sum);
        }
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
