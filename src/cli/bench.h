/*
 * bench.h - what the files of `muster bench` share.
 */
#ifndef CLI_BENCH_H
#define CLI_BENCH_H

#include "bench/kernels.h"
#include "bench/trainer.h"

/* What was measured of a model's training. */
struct bench_result {
    const struct trainer *trainer;
    int window_count;
    double median, best; /* samples per second, of the windows */
    double peak;         /* GFLOP/s of all threads, measured between the windows */
    struct trainer_stages stages;
};

/* bench_show.c */
void bench_model_text(struct text *out, const struct bench_result *r);
void bench_model_json(struct text *out, const struct bench_result *r);
void bench_kernels_text(struct text *out, const struct kernel_report *r);
void bench_kernels_json(struct text *out, const struct kernel_report *r);

/*
 * bench_serve.c: answers lines of stdin with lines of JSON until it ends, so that another program
 * can measure in turns. "window 0.4" trains for that many seconds, "peak" measures the peak.
 */
enum status bench_serve(struct trainer *t);

#endif
