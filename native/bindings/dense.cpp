// The samplers on dense counts.
#include <nanobind/stl/pair.h>

#include <exception>
#include <utility>

#include "bindings/border.hpp"
#include "bindings/corpus.hpp"
#include "bindings/dense_workspace.hpp"
#include "bindings/priors.hpp"
#include "bindings/token.hpp"

namespace blocklda {
namespace {

// Calls back into Python for the rare blocks that are large enough for an FFT.
class PythonConvolver {
  public:
    explicit PythonConvolver(nb::callable function) : function_(std::move(function)) {}

    FftConvolver view() { return {this, &PythonConvolver::call}; }
    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }

  private:
    static bool call(void* context, const double* left, const double* right, double* out,
                     std::int64_t n_pairs, std::int64_t n_coefs) {
        auto* self = static_cast<PythonConvolver*>(context);
        nb::gil_scoped_acquire gil;
        try {
            const std::size_t shape[2] = {static_cast<std::size_t>(n_pairs),
                                          static_cast<std::size_t>(n_coefs)};
            const auto given = [&](const double* data) {
                return nb::ndarray<nb::numpy, const double>(data, 2, shape, nb::handle());
            };
            self->function_(nb::cast(given(left), nb::rv_policy::reference),
                            nb::cast(given(right), nb::rv_policy::reference),
                            nb::cast(nb::ndarray<nb::numpy, double>(out, 2, shape, nb::handle()),
                                     nb::rv_policy::reference));
            return true;
        } catch (...) {
            self->error_ = std::current_exception();
            return false;
        }
    }

    nb::callable function_;
    std::exception_ptr error_;
};

Result augmented(const Corpus& corpus, Table<const double> theta, Table<const double> phi,
                 std::int64_t n_topics, Flat<std::int32_t> topics, nb::capsule bit_generator) {
    const std::int64_t padded = length(phi, 1);
    corpus.require_topics(topics, n_topics);
    require_aligned(theta, phi);
    require_padded(n_topics, padded, 8);
    require(length(phi) == corpus.n_words(), "phi must have one row per word");
    require(length(theta) == corpus.n_docs() && length(theta, 1) == padded,
            "theta must have one row per document and as many columns as phi");
    bool is_empty_behind = true;
    for (std::int64_t d = 0; d < corpus.n_docs(); ++d) {
        for (std::int64_t k = n_topics; k < padded; ++k) {
            is_empty_behind &= theta.data()[d * padded + k] == 0.0;
        }
    }
    require(is_empty_behind, "theta must be 0 behind the last topic");
    const Rng rng = rng_of(bit_generator);
    const KernelTable* kernels = active_kernels();
    nb::gil_scoped_release unlocked;
    return result_of(
        kernels->augmented(corpus.view(), theta.data(), phi.data(), padded, rng, topics.data()));
}

// The kernels that move one token at a time; `more` is what one of them takes beyond the rest.
template <auto kernel, class... More>
Result by_tokens(const Corpus& corpus, const Priors& priors, Flat<std::int32_t> topics,
                 nb::capsule bit_generator, std::int64_t n_sweeps, More... more) {
    corpus.require_topics(topics, priors.n_topics());
    const PriorsView view = priors.view_of(corpus);
    const Rng rng = rng_of(bit_generator);
    require(n_sweeps >= 0, "n_sweeps must not be negative");
    const KernelTable* kernels = active_kernels();
    nb::gil_scoped_release unlocked;
    return result_of(
        (kernels->*kernel)(corpus.view(), view, rng, topics.data(), n_sweeps, more...));
}

Outcome sweep_single_site(const Corpus& corpus, const Priors& priors, Flat<std::int32_t> topics,
                          const Rng& rng, std::int64_t n_sweeps, DenseWorkspace& workspace,
                          bool shuffles, bool notes_cells) {
    corpus.require_topics(topics, priors.n_topics());
    const PriorsView view = priors.view_of(corpus);
    require(n_sweeps >= 0, "n_sweeps must not be negative");
    const KernelTable* kernels = active_kernels();
    const auto in_use = workspace.reserve();
    nb::gil_scoped_release unlocked;
    // Until the sweeps have ended well the tables count as lost; memory may run out on the way.
    const DenseCounts& counts =
        workspace.borrow(corpus, priors.n_topics(), view.padded, topics.data());
    DenseNotes* notes = nullptr;
    if (notes_cells) {
        notes = workspace.start_notes(priors.n_topics(), view.padded, corpus.n_tokens());
    }
    const Outcome outcome = kernels->single_site(corpus.view(), view, rng, counts, topics.data(),
                                                 n_sweeps, shuffles, notes);
    if (outcome.failed_entry < 0) {
        workspace.give_back(corpus, priors.n_topics(), topics.data());
        if (notes_cells && n_sweeps > 0) workspace.has_noted();
    }
    return outcome;
}

// `shuffles`: the first sweep begins with tokens in an order that may tell their topics.
// `notes_cells`: the last sweep notes the cells that it leaves.
Result single_site(const Corpus& corpus, const Priors& priors, Flat<std::int32_t> topics,
                   nb::capsule bit_generator, std::int64_t n_sweeps, DenseWorkspace& workspace,
                   bool shuffles, bool notes_cells) {
    return result_of(sweep_single_site(corpus, priors, topics, rng_of(bit_generator), n_sweeps,
                                       workspace, shuffles, notes_cells));
}

// Of some sweeps of single-site, how many draws single precision left to doubles.
std::int64_t count_undecided(const Corpus& corpus, const Priors& priors, Flat<std::int32_t> topics,
                             nb::capsule bit_generator, std::int64_t n_sweeps) {
    DenseWorkspace workspace;
    return sweep_single_site(corpus, priors, topics, rng_of(bit_generator), n_sweeps, workspace,
                             true, false)
        .n_undecided;
}

// One token of a word that all others share the prior of.
std::pair<std::int32_t, std::int32_t> draw_token(const Priors& priors, Flat<std::int32_t> n_d,
                                                 Flat<std::int32_t> n_v, Flat<std::int32_t> n_k,
                                                 std::int32_t old, double u, double bound_share) {
    const TokenView token = checked_token(priors.n_topics(), n_d, n_v, n_k, old, u, bound_share);
    const TokenTopics topics =
        active_kernels()->draw_token(priors.view_of_one_word(), token, u, bound_share);
    return {topics.certified, topics.defined};
}

Result annealed(const Corpus& corpus, const Priors& priors, Flat<std::int32_t> topics,
                nb::capsule bit_generator, std::int64_t n_sweeps, std::int64_t sixteenths) {
    require(sixteenths >= 1 && sixteenths <= 16, "sixteenths must be from 1 to 16");
    return by_tokens<&KernelTable::annealed>(corpus, priors, topics, bit_generator, n_sweeps,
                                             sixteenths);
}

// The blocked kernels share one signature; `kernel` says which entry of the table to call.
template <auto kernel>
Result blocked(const Corpus& corpus, const Priors& priors, Flat<std::int32_t> topics,
               nb::capsule bit_generator, std::int64_t n_sweeps, std::int64_t max_block,
               std::int64_t fft_from, nb::callable fft_convolve) {
    corpus.require_topics(topics, priors.n_topics());
    const PriorsView view = priors.view_of(corpus);
    const Rng rng = rng_of(bit_generator);
    require(n_sweeps >= 0, "n_sweeps must not be negative");
    require(max_block >= 1 && fft_from >= 2, "max_block must be at least 1 and fft_from 2");
    PythonConvolver convolver(std::move(fft_convolve));
    const BlockOptions options{max_block, fft_from, convolver.view()};
    const KernelTable* kernels = active_kernels();
    Outcome outcome;
    {
        nb::gil_scoped_release unlocked;
        outcome = (kernels->*kernel)(corpus.view(), view, options, rng, topics.data(), n_sweeps);
    }
    convolver.rethrow();
    return result_of(outcome);
}

template <auto kernel>
void bind_blocked(nb::module_& m, const char* name) {
    using namespace nb::literals;
    m.def(name, &blocked<kernel>, "corpus"_a, "priors"_a, "topics"_a.noconvert(), "bit_generator"_a,
          "n_sweeps"_a, "max_block"_a, "fft_from"_a, "fft_convolve"_a);
}

}  // namespace

void bind_dense(nb::module_& m) {
    using namespace nb::literals;
    m.def("augmented", &augmented, "corpus"_a, "theta"_a.noconvert(), "phi"_a.noconvert(),
          "n_topics"_a, "topics"_a.noconvert(), "bit_generator"_a);
    nb::class_<DenseWorkspace>(m, "DenseWorkspace",
                               "Counts that single-site keeps between its sweeps.")
        .def(nb::init<>());
    m.def("single_site", &single_site, "corpus"_a, "priors"_a, "topics"_a.noconvert(),
          "bit_generator"_a, "n_sweeps"_a, "workspace"_a, "shuffles"_a = true,
          "notes_cells"_a = false);
    m.def("noted_cells", &DenseWorkspace::noted_cells, "workspace"_a);
    m.def("count_undecided", &count_undecided, "corpus"_a, "priors"_a, "topics"_a.noconvert(),
          "bit_generator"_a, "n_sweeps"_a);
    m.def("draw_token", &draw_token, "priors"_a, "n_d"_a.noconvert(), "n_v"_a.noconvert(),
          "n_k"_a.noconvert(), "old"_a, "u"_a, "bound_share"_a);
    m.def("annealed", &annealed, "corpus"_a, "priors"_a, "topics"_a.noconvert(), "bit_generator"_a,
          "n_sweeps"_a, "sixteenths"_a);
    bind_blocked<&KernelTable::backward>(m, "backward");
    bind_blocked<&KernelTable::nested>(m, "nested");
}

}  // namespace blocklda
