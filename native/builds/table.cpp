// The table of one instruction set's build.
#include "builds/entry_points.hpp"

namespace blocklda::BLOCKLDA_ISA {

#define BLOCKLDA_TEXT(x) #x
#define BLOCKLDA_NAME(x) BLOCKLDA_TEXT(x)

extern const KernelTable kTable = {
    BLOCKLDA_NAME(BLOCKLDA_ISA),
#define KERNEL(result, name, arguments, python_name) name,
#include "kernels.def"
#undef KERNEL
};

}  // namespace blocklda::BLOCKLDA_ISA
