/*
 * vector.h - the vectors that the files of simd/ compute with, by compiler extension: no
 * intrinsics, but for
 * what needs the masks of AVX-512.
 *
 * Every file of this folder is compiled once per instruction set, with KERNEL_ISA as the suffix of
 * its names. Vectors have the width of the registers, 16 floats for AVX-512, 8 for AVX2 and 4
 * elsewhere. Wider ones would be correct and slow: the compiler takes them apart through memory.
 * Narrower ones are right where there is little to fill them with: a file that wants 8 lanes at
 * most defines LANES_MOST as that before it includes anything.
 */
#ifndef KERNEL_SIMD_VECTOR_H
#define KERNEL_SIMD_VECTOR_H

#include <stdint.h>
#include <string.h>

#ifdef __AVX512VL__
#include <immintrin.h>
#endif

#ifndef KERNEL_ISA
#error "KERNEL_ISA is the suffix of this instruction set's names, such as avx2"
#endif

#define KERNEL_PASTE(name, isa) name##_##isa
#define KERNEL_NAME(name, isa)  KERNEL_PASTE(name, isa)
#define KERNEL(name)            KERNEL_NAME(name, KERNEL_ISA)

/* Vectors are never passed in memory, and constant arguments become constants of the copy. */
#define INLINE static inline __attribute__((always_inline))

/* For a loop whose iterations touch different elements, even where input and output are one. */
#ifdef __clang__
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

/*
 * Makes the compiler forget where a pointer comes from: what overlapping windows have in common it
 * would otherwise keep in registers that the sums need. No instruction.
 */
#define OPAQUE(pointer) __asm__("" : "+r"(pointer))

#ifndef LANES_MOST
#define LANES_MOST 16
#endif

#if defined(__AVX512VL__) && LANES_MOST == 16
#define LANES 16
#elif defined(__AVX2__)
#define LANES 8
#else
#define LANES 4
#endif

typedef float vec __attribute__((vector_size(LANES * 4)));
typedef int32_t ivec __attribute__((vector_size(LANES * 4)));  /* masks and signed integers */
typedef uint32_t uvec __attribute__((vector_size(LANES * 4))); /* bits: arithmetic that wraps */

/* The same in memory, at any address of a float. */
typedef float vec_memory __attribute__((vector_size(LANES * 4), aligned(4), may_alias));
typedef int32_t ivec_memory __attribute__((vector_size(LANES * 4), aligned(4), may_alias));

INLINE vec vec_load(const float *p)
{
    return *(const vec_memory *)p;
}

INLINE void vec_store(float *p, vec v)
{
    *(vec_memory *)p = v;
}

/* All lanes a. The subtraction is no instruction, and keeps the sign of zero. */
INLINE vec vec_all(float a)
{
    return a - (vec){0};
}

/* In each lane a where the mask is set, b elsewhere. */
INLINE vec vec_select(ivec mask, vec a, vec b)
{
    return (vec)((mask & (ivec)a) | (~mask & (ivec)b));
}

INLINE ivec ivec_select(ivec mask, ivec a, ivec b)
{
    return (mask & a) | (~mask & b);
}

/* All bits of the lanes that are NaN: more than infinity, when the sign is off. */
INLINE ivec vec_is_nan(vec v)
{
    return ((ivec)v & INT32_MAX) > 0x7F800000;
}

#ifdef __AVX512VL__

/* The first n lanes, n <= 16. */
INLINE __mmask16 lanes_before(int64_t n)
{
    return (__mmask16)((1U << n) - 1U);
}

/* Copies n < 16 words. */
INLINE void copy_few(void *to, const void *from, int64_t n)
{
    const __mmask16 lanes = lanes_before(n);

    _mm512_mask_storeu_epi32(to, lanes, _mm512_maskz_loadu_epi32(lanes, from));
}

#else

/* Copies n < 16 words in pieces of fixed size: a call of memcpy costs more than the copy. */
INLINE void copy_few(void *to, const void *from, int64_t n)
{
    char *t = to;
    const char *f = from;

    if ((n & 8) != 0) {
        memcpy(t, f, 32);
        t += 32;
        f += 32;
    }
    if ((n & 4) != 0) {
        memcpy(t, f, 16);
        t += 16;
        f += 16;
    }
    if ((n & 2) != 0) {
        memcpy(t, f, 8);
        t += 8;
        f += 8;
    }
    if ((n & 1) != 0)
        memcpy(t, f, 4);
}

#endif

/* The first n < LANES lanes from memory, `rest` in the others; nothing beyond is read. */
INLINE vec vec_load_few(const float *p, int64_t n, float rest)
{
#if LANES == 16
    return (vec)_mm512_mask_loadu_ps((__m512)vec_all(rest), lanes_before(n), p);
#else
    vec v = vec_all(rest);

    copy_few(&v, p, n & (LANES - 1));
    return v;
#endif
}

INLINE void vec_store_few(float *p, vec v, int64_t n)
{
#if LANES == 16
    _mm512_mask_storeu_ps(p, lanes_before(n), (__m512)v);
#else
    copy_few(p, &v, n & (LANES - 1));
#endif
}

#endif
