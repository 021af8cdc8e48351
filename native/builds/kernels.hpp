// The kernels, as the bindings see them: one table of entry points per instruction set.
#pragma once

#include <cstdint>

#include "shared/views.hpp"

namespace blocklda {

struct KernelTable {
    const char* isa;
#define KERNEL(result, name, arguments, python_name) result(*name) arguments;
#include "kernels.def"
#undef KERNEL
};

// A kernel's name, and that of what calls it in the Python module.
struct KernelName {
    const char* kernel;
    const char* python_name;
};

inline constexpr KernelName kKernelNames[] = {
#define KERNEL(result, name, arguments, python_name) {#name, python_name},
#include "kernels.def"
#undef KERNEL
};

}  // namespace blocklda
