/*
 * kernels.h - every kernel of the table timed alone, and held against what bounds it: the
 * multiply-adds of the core, or the bytes per second of the memory that holds its operands.
 */
#ifndef BENCH_KERNELS_H
#define BENCH_KERNELS_H

#include "bench/peak.h"

/* The operands of the case that runs; what each array is for is the case's own. */
struct kernel_work {
    const struct kernel *kernel;
    float *a, *b, *c, *d; /* a in (0, 1], b in [-1, 1], c and d for results, 0 at first */
    float *e;             /* room, zero at first */
    int32_t *index;
    double *sums;
    int64_t m, n, k; /* of the case */
};

/* One kernel at one shape. Adding one: its row in kernel_cases.c or kernel_cases_conv.c. */
struct kernel_case {
    const char *name;     /* of the member of struct kernel */
    int64_t m, n, k;      /* its sizes, what they mean is the kernel's own; 0: unused */
    double flops;         /* of one call: a multiply-add is 2 */
    double read, written; /* floats of one call */
    double touched;       /* different floats among them; 0: all */
    void (*run)(const struct kernel_work *w);
    void (*prepare)(const struct kernel_work *w); /* once, before the timing; optional */
};

/* Each list ends with a row without name. */
extern const struct kernel_case kernel_cases[], kernel_conv_cases[];

struct kernel_rate {
    const struct kernel_case *of;
    double seconds;        /* of one call, the best window */
    double gflops, gbytes; /* per second */
    const char *bound;     /* "fma" or the level of memory */
    double bound_rate;     /* GFLOP/s, or GB/s */
    double percent;        /* of the bound */
};

struct kernel_report {
    double peak; /* GFLOP/s */
    struct peak_memory memory;
    int64_t count;
    struct kernel_rate *rates; /* [count] */
};

/* Times all cases, each for about `seconds`. */
void kernels_measure(struct kernel_report *r, const struct kernel *k, double seconds);
void kernels_release(struct kernel_report *r);

#endif
