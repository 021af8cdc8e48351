// Which builds of the kernels this program holds and this machine can run.
#include "builds/dispatch.hpp"

namespace blocklda {

namespace baseline {
extern const KernelTable kTable;
}
#if defined(BLOCKLDA_X86_BUILDS)
namespace avx2 {
extern const KernelTable kTable;
}
#if !defined(BLOCKLDA_WITHOUT_AVX512)
namespace avx512 {
extern const KernelTable kTable;
}
#endif
#endif

std::vector<const KernelTable*> usable_tables() {
    std::vector<const KernelTable*> tables{&baseline::kTable};
#if defined(BLOCKLDA_X86_BUILDS)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2")) {
        tables.push_back(&avx2::kTable);
#if !defined(BLOCKLDA_WITHOUT_AVX512)
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512vl")) {
            tables.push_back(&avx512::kTable);
        }
#endif
    }
#endif
    return tables;
}

}  // namespace blocklda
