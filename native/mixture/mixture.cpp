// One sweep over the documents of a mixture: all with the same words move at once. The twin is
// reference/sweep.py, which has the formulas.
#include "builds/entry_points.hpp"
#include "mixture/components.hpp"
#include "shared/draw.hpp"

namespace blocklda::BLOCKLDA_ISA {

namespace {

class MixtureSweep {
  public:
    MixtureSweep(const CorpusView& corpus, const MixtureView& mixture, const Rng& rng,
                 std::int32_t* labels, std::int64_t* births)
        : mixture_(mixture),
          components_(corpus, mixture),
          rng_(rng),
          labels_(labels),
          births_(births),
          n_born_(mixture.n_born) {
        for (std::int64_t d = 0; d < corpus.n_docs; ++d) {
            if (labels[d] != kNoSlot) components_.add(d, labels[d]);
        }
    }

    MixtureOutcome run() {
        const std::int64_t* offsets = mixture_.kind_offsets;
        for (std::int64_t kind = 0; kind < mixture_.n_kinds; ++kind) {
            std::int64_t m = 0;  // added in place of max_block, which may be as large as can be
            for (std::int64_t i = offsets[kind]; i < offsets[kind + 1]; i += m) {
                const std::int64_t left = offsets[kind + 1] - i;
                m = left < mixture_.max_block ? left : mixture_.max_block;
                const std::int32_t* docs = mixture_.docs + i;
                if (!(m == 1 ? move_one(docs[0]) : move_block(docs, m))) {
                    return {steps_, docs[0], n_born_};
                }
            }
        }
        return {steps_, -1, n_born_};
    }

  private:
    // Draw the component of a document given all others. The new component takes the place of one
    // that the document had for itself, whose number it keeps.
    bool move_one(std::int32_t d) {
        const std::int32_t own = labels_[d];
        if (own != kNoSlot) components_.remove(d, own);
        std::int64_t new_slot = kNoSlot, n_used = components_.end();
        if (!components_.is_finite()) {
            const bool was_alone = own != kNoSlot && components_.size(own) == 0;
            new_slot = was_alone ? own : components_.free_slot();
            if (new_slot >= n_used) n_used = new_slot + 1;
        }
        components_.weigh(d, 0, n_used, new_slot);
        components_.align_weights(n_used);
        const std::int64_t padded = Components::padded(n_used);
        prefix_.reserve(padded);
        const double* weights = components_.weights();
        TopicTable table;
        if (!table.fill(prefix_.data(), padded,
                        [&](std::int64_t i) { return load<Vec>(weights + i); })) {
            return false;
        }
        const std::int32_t slot = table.draw(uniform(rng_));
        ++steps_;
        if (slot == new_slot && new_slot != own) births_[slot] = n_born_++;
        labels_[d] = slot;
        components_.add(d, slot);
        return true;
    }

    // Draw the components of m documents with the same words given all others.
    bool move_block(const std::int32_t* docs, std::int64_t m) {
        take_out(docs, m);
        make_series(docs[0], m);
        if (!draw_slots(m)) return false;
        shuffle_tokens(drawn_.data(), m, rng_);
        for (std::int64_t i = 0; i < m; ++i) {
            labels_[docs[i]] = drawn_[i];
            components_.add(docs[i], drawn_[i]);
        }
        return true;
    }

    // Take documents out of their components. Those that nothing else is in are kept in `emptied_`,
    // the largest first and of equal ones the lowest: what is born next takes their places and
    // numbers, so that a group of equal documents that stays together keeps its number.
    void take_out(const std::int32_t* docs, std::int64_t m) {
        emptied_.reserve(m);
        held_.reserve(m);
        n_emptied_ = 0;
        for (std::int64_t i = 0; i < m; ++i) {
            const std::int32_t slot = labels_[docs[i]];
            if (slot == kNoSlot) continue;
            components_.remove(docs[i], slot);
            if (components_.size(slot) > 0) continue;
            std::int32_t held = 0;
            for (std::int64_t j = 0; j <= i; ++j) held += labels_[docs[j]] == slot;
            std::int64_t at = n_emptied_++;
            for (; at > 0 &&
                   (held > held_[at - 1] || (held == held_[at - 1] && slot < emptied_[at - 1]));
                 --at) {
                emptied_[at] = emptied_[at - 1];
                held_[at] = held_[at - 1];
            }
            emptied_[at] = slot;
            held_[at] = held;
        }
    }

    // The slot of a component that is born: one that the block has left empty, as long as there are
    // any, else the lowest free one from `from` on, with a new number.
    std::int64_t born(std::int64_t n_before, std::int64_t& from) {
        if (n_before < n_emptied_) return emptied_[n_before];
        std::int64_t slot = components_.free_slot(from);
        for (bool is_taken = true; is_taken;) {
            is_taken = false;
            for (std::int64_t i = 0; i < n_emptied_; ++i) is_taken |= emptied_[i] == slot;
            if (is_taken) slot = components_.free_slot(slot + 1);
        }
        from = slot + 1;
        births_[slot] = n_born_++;
        return slot;
    }

    // F, U, the leaves of all components that are open, and the products of all before each.
    void make_series(std::int32_t d, std::int64_t m) {
        const std::int64_t n = m + 1, n_used = components_.end();
        terms_.reserve(n);
        drawn_.reserve(m);
        new_.reserve(n);
        open_.reserve(n_used);
        n_open_ = 0;
        for (std::int64_t c = 0; c < n_used; ++c) {
            if (components_.is_finite() || components_.size(c) > 0) {
                open_[n_open_++] = static_cast<std::int32_t>(c);
            }
        }
        leaves_.reserve(n_open_ * n);
        below_.reserve((n_open_ + 1) * n);
        new_[0] = kOne;
        for (std::int64_t k = 0; k < n_open_; ++k) leaves_[k * n] = kOne;
        for (std::int64_t copies = 0; copies < m; ++copies) {
            const Scaled part = components_.beta_part(d, copies);
            new_[copies + 1] = new_[copies] * (part / components_.empty_part(d, copies));
            components_.weigh(d, copies, n_used, kNoSlot);
            for (std::int64_t k = 0; k < n_open_; ++k) {
                const std::int64_t c = open_[k];
                const Scaled step = scaled(components_.weight(c), components_.exponent(c));
                leaves_[k * n + copies + 1] = leaves_[k * n + copies] * (step * part);
            }
        }
        make_any_new(m);
        for (std::int64_t k = 0; k < n_open_; ++k) {
            for (std::int64_t j = 0; j < n; ++j) {
                below_[(k + 1) * n + j] =
                    coefficient(leaves_.data() + k * n, below_.data() + k * n, j, terms_.data());
            }
        }
    }

    // U, with which the products begin: 1 in a finite mixture.
    void make_any_new(std::int64_t m) {
        Scaled* U = below_.data();
        U[0] = kOne;
        for (std::int64_t j = 1; j <= m; ++j) {
            U[j] = kZero;
            if (components_.is_finite()) continue;
            const Scaled sum = coefficient(new_.data() + 1, U, j - 1, terms_.data());
            U[j] = sum * scaled(mixture_.alpha / static_cast<double>(j));
        }
    }

    // The components of m documents, in no particular order: from the last component to the first,
    // and what is left in new ones.
    bool draw_slots(std::int64_t m) {
        const std::int64_t n = m + 1;
        std::int64_t left = m;
        for (std::int64_t k = n_open_ - 1; k >= 0 && left > 0; --k) {
            std::int64_t j = 0;
            if (!draw(leaves_.data() + k * n, below_.data() + k * n, left, j)) return false;
            for (; j > 0; --j) drawn_[m - left--] = open_[k];
        }
        std::int64_t from = 0;
        for (std::int64_t n_before = 0; left > 0; ++n_before) {
            std::int64_t j = 0;
            if (!draw(new_.data() + 1, below_.data(), left - 1, j)) return false;
            const std::int64_t slot = born(n_before, from);
            for (++j; j > 0; --j) drawn_[m - left--] = static_cast<std::int32_t>(slot);
        }
        return true;
    }

    // i with the weight first[i] second[n-i], i = 0, ..., n.
    bool draw(const Scaled* first, const Scaled* second, std::int64_t n, std::int64_t& i) {
        const std::int64_t top = aligned_products(first, second, n, terms_.data());
        if (top <= kLowest / 2) return false;
        i = place_at(uniform(rng_), terms_.data(), n + 1);
        ++steps_;
        return true;
    }

    const MixtureView& mixture_;
    Components components_;
    const Rng& rng_;
    std::int32_t* labels_;
    std::int64_t* births_;
    std::int64_t n_born_;
    std::int64_t steps_ = 0;
    std::int64_t n_open_ = 0;
    std::int64_t n_emptied_ = 0;
    Buffer<std::int32_t> emptied_;
    Buffer<std::int32_t> held_;  // documents that the block had in each of these
    Buffer<double> prefix_;
    Buffer<double> terms_;
    Buffer<std::int32_t> drawn_;
    Buffer<std::int32_t> open_;
    Buffer<Scaled> new_;
    Buffer<Scaled> leaves_;
    Buffer<Scaled> below_;
};

}  // namespace

MixtureOutcome mixture(const CorpusView& corpus, const MixtureView& mixture, const Rng& rng,
                       std::int32_t* labels, std::int64_t* births) {
    return MixtureSweep(corpus, mixture, rng, labels, births).run();
}

}  // namespace blocklda::BLOCKLDA_ISA
