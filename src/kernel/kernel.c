/*
 * kernel.c - which table of kernels this machine runs, and which of them the user asks for.
 *
 * Here: the choice. Not here: the kernels (simd/), compiled once per instruction set.
 */
#include "kernel/kernel.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "base/check.h"
#include "base/env.h"
#include "base/text.h"
#include "kernel/simd/tables.h"

/* Best first. A machine that runs a table runs all that follow it. */
static const struct kernel *const tables[] = {
#ifdef __x86_64__
    &kernel_avx512,
    &kernel_avx2,
    &kernel_sse2,
#else
    &kernel_portable,
#endif
    NULL,
};

#ifdef __x86_64__

/* What the processor has and the system saves: the compiler's functions ask for both. */
static bool runs_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool runs_avx512(void)
{
    return runs_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

const struct kernel *const *kernel_all(void)
{
    return runs_avx512() ? tables : runs_avx2() ? tables + 1 : tables + 2;
}

#else

const struct kernel *const *kernel_all(void)
{
    return tables;
}

#endif

const struct kernel *kernel_find(const char *isa)
{
    CHECK(isa != NULL);
    for (const struct kernel *const *it = kernel_all(); *it != NULL; it++)
        if (strcmp((*it)->isa, isa) == 0)
            return *it;
    return NULL;
}

/* What MUSTER_ISA names, NULL if that is nothing of this machine's; the best if it is unset. */
static const struct kernel *choose_kernel(void)
{
    const char *isa = env_find("MUSTER_ISA");

    return isa == NULL ? kernel_all()[0] : kernel_find(isa);
}

/* Not state but a remembered answer: threads that race write the same pointer. */
static const struct kernel *_Atomic chosen;

const struct kernel *kernel_get(void)
{
    const struct kernel *k = atomic_load(&chosen);

    if (k == NULL) {
        k = choose_kernel();
        CHECK(k != NULL && "kernel_init() reports a wrong MUSTER_ISA");
        atomic_store(&chosen, k);
    }
    return k;
}

int kernel_level(void)
{
    const struct kernel *const *it = kernel_all();
    int below = 0;

    while (*it != kernel_get())
        it++;
    while (*++it != NULL)
        below++;
    return below;
}

void kernel_lower(int level)
{
    const struct kernel *const *it = kernel_all();
    int below = -1;

    while (it[below + 1] != NULL)
        below++;
    CHECK(level >= 0 && level <= below);
    atomic_store(&chosen, it[below - level]);
}

enum status kernel_init(void)
{
    struct text names = {0};
    enum status s;

    if (choose_kernel() != NULL)
        return STATUS_OK;
    for (const struct kernel *const *it = kernel_all(); *it != NULL; it++)
        text_addf(&names, "%s%s", it == kernel_all() ? "" : " or ", (*it)->isa);
    s = FAIL(STATUS_BAD_INPUT, "MUSTER_ISA: this machine does not run '%s'; it runs %s",
             env_find("MUSTER_ISA"), text_get(&names));
    text_release(&names);
    return s;
}
