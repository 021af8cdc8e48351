// The table of one instruction set's build.
#include "builds/entry_points.hpp"

// The build whose kernels on lists this table has.
#if !defined(BLOCKLDA_LISTS)
#define BLOCKLDA_LISTS BLOCKLDA_ISA
#endif

namespace blocklda::BLOCKLDA_LISTS {

#define KERNEL(result, name, arguments, python_name)
#define LIST_KERNEL(result, name, arguments, python_name) result name arguments;
#include "kernels.def"
#undef KERNEL

}  // namespace blocklda::BLOCKLDA_LISTS

namespace blocklda::BLOCKLDA_ISA {

#define BLOCKLDA_TEXT(x) #x
#define BLOCKLDA_NAME(x) BLOCKLDA_TEXT(x)

extern const KernelTable kTable = {
    BLOCKLDA_NAME(BLOCKLDA_ISA),
#define KERNEL(result, name, arguments, python_name) name,
#define LIST_KERNEL(result, name, arguments, python_name) BLOCKLDA_LISTS::name,
#include "kernels.def"
#undef KERNEL
};

}  // namespace blocklda::BLOCKLDA_ISA
