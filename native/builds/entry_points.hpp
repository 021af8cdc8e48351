// The same kernels, as one instruction set's build defines them.
#pragma once

#include "builds/kernels.hpp"

namespace blocklda::BLOCKLDA_ISA {

#define KERNEL(result, name, arguments, python_name) result name arguments;
#include "kernels.def"
#undef KERNEL

extern const KernelTable kTable;

}  // namespace blocklda::BLOCKLDA_ISA
