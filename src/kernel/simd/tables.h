/*
 * tables.h - the table of each instruction set. Those of other processors are declared, not
 * defined.
 */
#ifndef KERNEL_SIMD_TABLES_H
#define KERNEL_SIMD_TABLES_H

#include "kernel/kernel.h"

extern const struct kernel
    kernel_avx512; /* x86-64 with AVX-512 F, BW, DQ and VL: Skylake-X, Zen 4 and later */
extern const struct kernel kernel_avx2;     /* x86-64 with AVX2 and FMA: Haswell, Zen and later */
extern const struct kernel kernel_sse2;     /* any x86-64 */
extern const struct kernel kernel_portable; /* any other processor; the compiler's own choice */

#endif
