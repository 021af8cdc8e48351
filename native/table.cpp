// The table of one instruction set's build.
#include "entry_points.hpp"

namespace blocklda::BLOCKLDA_ISA {

#define BLOCKLDA_TEXT(x) #x
#define BLOCKLDA_NAME(x) BLOCKLDA_TEXT(x)

extern const KernelTable kTable = {BLOCKLDA_NAME(BLOCKLDA_ISA),
                                   augmented,
                                   single_site,
                                   backward,
                                   nested,
                                   make_sparse_tables,
                                   free_sparse_tables,
                                   sparse,
                                   sparse_totals,
                                   grid_cell,
                                   variational_pass,
                                   variational_draw,
                                   left_to_right,
                                   phi_rows,
                                   given_phi,
                                   fold_in};

}  // namespace blocklda::BLOCKLDA_ISA
