// Which builds of the kernels this program holds and this machine can run.
#pragma once

#include <vector>

#include "builds/kernels.hpp"

namespace blocklda {

// Usable here, the plainest first.
std::vector<const KernelTable*> usable_tables();

}  // namespace blocklda
