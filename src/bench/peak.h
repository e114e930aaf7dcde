/*
 * peak.h - what this machine can do at best, measured: multiply-adds in registers, and bytes per
 * second from each level of its memory. What is benchmarked is held against these.
 */
#ifndef BENCH_PEAK_H
#define BENCH_PEAK_H

#include <stdbool.h>

#include "base/team.h"
#include "kernel/kernel.h"

/* GFLOP/s of all threads of the team at once; the best of several short runs. */
double peak_fma(const struct kernel *k, struct team *team);

enum { PEAK_LEVELS_MAX = 4, PEAK_MIXES = 3 };

struct peak_memory {
    int count;
    struct peak_level {
        const char *name;        /* "L1", "L2", "L3", "DRAM" */
        double bytes;            /* what fits; of the last: infinity */
        double rate[PEAK_MIXES]; /* GB/s by enum stream_mix, bytes read and written both counted */
    } levels[PEAK_LEVELS_MAX];
};

/* One core's. */
void peak_memory_measure(struct peak_memory *m, const struct kernel *k);

/* The first level that holds so many bytes. */
const struct peak_level *peak_level_of(const struct peak_memory *m, double bytes);

/* GB/s of one core on so many bytes of memory; is_in_place: all that is read is written too. */
struct peak_stream {
    double bytes;
    enum stream_mix mix;
    bool is_in_place;
};
double peak_stream(const struct kernel *k, const struct peak_stream *s);

/* Sorts the values and answers the one in the middle. */
double peak_median(double *values, int64_t count);

#endif
