// The sweeps, as the bindings see them: one table of entry points per instruction set.
#pragma once

#include <cstdint>

#include "views.hpp"

namespace blocklda {

struct KernelTable {
    const char* isa;
    Outcome (*augmented)(const CorpusView&, const double* theta, const double* phi,
                         std::int64_t padded, const Rng&, std::int32_t* topics);
    Outcome (*single_site)(const CorpusView&, const PriorsView&, const Rng&, std::int32_t* topics,
                           std::int64_t n_sweeps);
    Outcome (*backward)(const CorpusView&, const PriorsView&, const BlockOptions&, const Rng&,
                        std::int32_t* topics, std::int64_t n_sweeps);
    Outcome (*nested)(const CorpusView&, const PriorsView&, const BlockOptions&, const Rng&,
                      std::int32_t* topics, std::int64_t n_sweeps);
    // The sparse samplers' tables outlive a call; they are made, used and freed by one build.
    void* (*make_sparse_tables)(const MajorView&, const std::int32_t* topics,
                                std::int64_t n_topics);
    void (*free_sparse_tables)(void* tables);
    Outcome (*sparse)(const MajorView&, const AxisPriors&, const SparseOptions&, const Rng&,
                      void* tables, std::int32_t* topics, std::int64_t n_sweeps);
    // The totals n_k that the tables keep.
    std::int32_t* (*sparse_totals)(void* tables);
    // A cell of a grid, with totals and masses of its own: of one group of words, or of all.
    Outcome (*grid_cell)(const MajorView&, const AxisPriors&, const CellView&, const SparseOptions&,
                         const Rng&, void* tables, std::int32_t* totals, std::int32_t* topics);
    void (*variational_pass)(const CorpusView&, const StartPriorsView&, const StartPass&,
                             float* n_vk);
    Outcome (*variational_draw)(const CorpusView&, const StartPriorsView&, std::int64_t n_refine,
                                const float* n_vk, const Rng&, std::int32_t* topics);
    Outcome (*left_to_right)(const NewDocument&, const double* alpha, std::int64_t n_particles,
                             std::int64_t n_batches, const Rng&, double* products,
                             std::int64_t* n_small);
    // Partially collapsed: phi made of gamma draws, then documents given phi.
    void (*phi_rows)(const double* inverse_totals, const double* alpha, const std::int32_t* sizes,
                     std::int64_t n_rows, std::int64_t padded, std::int64_t powers_stride,
                     double* rows, double* alpha_powers);
    Outcome (*given_phi)(const CorpusView&, const ByWordView&, const PhiView&,
                         std::int64_t max_block, const Rng&, std::int32_t* topics);
    Outcome (*fold_in)(const NewDocument&, const double* alpha, std::int64_t n_topics,
                       const FoldInOptions&, const Rng&, double* theta);
};

}  // namespace blocklda
