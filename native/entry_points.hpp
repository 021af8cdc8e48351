// The same sweeps, as one instruction set's build defines them.
#pragma once

#include "kernels.hpp"

namespace blocklda::BLOCKLDA_ISA {

Outcome augmented(const CorpusView&, const double* theta, const double* phi, std::int64_t padded,
                  const Rng&, std::int32_t* topics);
Outcome single_site(const CorpusView&, const PriorsView&, const Rng&, std::int32_t* topics,
                    std::int64_t n_sweeps);
Outcome backward(const CorpusView&, const PriorsView&, const BlockOptions&, const Rng&,
                 std::int32_t* topics, std::int64_t n_sweeps);
Outcome nested(const CorpusView&, const PriorsView&, const BlockOptions&, const Rng&,
               std::int32_t* topics, std::int64_t n_sweeps);
void variational_pass(const CorpusView&, const StartPriorsView&, const StartPass&, float* n_vk);
Outcome variational_draw(const CorpusView&, const StartPriorsView&, std::int64_t n_refine,
                         const float* n_vk, const Rng&, std::int32_t* topics);
Outcome left_to_right(const NewDocument&, const double* alpha, std::int64_t n_particles,
                      std::int64_t n_batches, const Rng&, double* products, std::int64_t* n_small);
void phi_rows(const double* inverse_totals, const double* alpha, const std::int32_t* sizes,
              std::int64_t n_rows, std::int64_t padded, std::int64_t powers_stride, double* rows,
              double* alpha_powers);
Outcome given_phi(const CorpusView&, const ByWordView&, const PhiView&, std::int64_t max_block,
                  const Rng&, std::int32_t* topics);
Outcome fold_in(const NewDocument&, const double* alpha, std::int64_t n_topics,
                const FoldInOptions&, const Rng&, double* theta);

void* make_sparse_tables(const MajorView&, const std::int32_t* topics, std::int64_t n_topics);
void free_sparse_tables(void* tables);
Outcome sparse(const MajorView&, const AxisPriors&, const SparseOptions&, const Rng&, void* tables,
               std::int32_t* topics, std::int64_t n_sweeps);
Outcome grid_cell(const MajorView&, const AxisPriors&, const CellView&, const SparseOptions&,
                  const Rng&, void* tables, std::int32_t* totals, std::int32_t* topics);
std::int32_t* sparse_totals(void* tables);

extern const KernelTable kTable;

}  // namespace blocklda::BLOCKLDA_ISA
