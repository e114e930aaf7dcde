/*
 * problem_evaluation.h - how good a state is: the metrics of a problem, summed over blocks of
 * samples.
 *
 * A part is cut into blocks of 64 samples. What a metric sums over a block depends on the block's
 * samples alone, and blocks are added in their order: so an evaluation has the same bits for any
 * number of workers and threads, and whoever evaluates which blocks.
 */
#ifndef PROBLEM_PROBLEM_EVALUATION_H
#define PROBLEM_PROBLEM_EVALUATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "record/metric.h"

struct problem;

/* The map is a mesh over the whole of what was measured: all of a building, seen or not. */
enum problem_part { PART_TRAIN, PART_VALIDATION, PART_TEST, PART_MAP };
enum { PROBLEM_PARTS = PART_MAP + 1 };

/* "train", "validation", "test", "map" */
const char *problem_part_name(enum problem_part part);

enum { EVALUATION_BLOCK = 64, PROBLEM_METRICS_MAX = 8, PROBLEM_SUMS_MAX = 16 };

/* How a value follows from the sum over all samples. */
enum problem_metric_form {
    PROBLEM_MEAN,      /* sum / samples */
    PROBLEM_ROOT_MEAN, /* the square root of that */
    PROBLEM_RATIO,     /* sum / another sum; 0 where that is 0 */
};

/* A metric of a problem. The first of its list is the loss. */
struct problem_metric {
    const char *name; /* "loss", "accuracy" */
    enum problem_metric_form form;
    int over; /* of a ratio: the number of the other sum */
    enum metric_better better;
    bool is_share;                   /* shown in percent */
    const char *rows[PROBLEM_PARTS]; /* its names in rows, "test_loss"; NULL: not recorded */
};

struct evaluation {
    int64_t samples;
    double loss;                        /* the first of the values */
    double values[PROBLEM_METRICS_MAX]; /* of the problem's metrics */
    int64_t *confusion; /* [classes][classes], true label first; the caller's; NULL: not wanted */
    uint8_t *correct;   /* [samples]: 1 where the answer is right; likewise */
    float *outputs;     /* [samples][outputs of the model]; likewise */
    bool can_be_cut;    /* the caller's: a signal to stop ends it with STATUS_INTERRUPTED */
};

/* Some blocks of a part. */
struct evaluation_blocks {
    int64_t first, count;
    double *sums;       /* [count][problem_sum_count]: of each block, set by evaluate */
    int64_t *confusion; /* as above: the samples of these blocks are added; or NULL */
    uint8_t *correct;   /* as above, of the samples of these blocks; or NULL */
    float *outputs;     /* likewise */
    bool can_be_cut;    /* as above */
};

/* What is summed over samples: a number for each metric, then those that ratios are over. */
int problem_sum_count(const struct problem *p);

/* Blocks of a part; the last may be smaller. */
int64_t problem_block_count(const struct problem *p, enum problem_part part);

/* The sums of some blocks, at least one. */
enum status problem_evaluate_blocks(struct problem *p, const float *state, enum problem_part part,
                                    struct evaluation_blocks *blocks);

/* From the sums of all blocks of a part to the values. */
void problem_add_blocks(const struct problem *p, enum problem_part part, const double *sums,
                        struct evaluation *result);

/* All blocks of a part at once. An empty part is an error. */
enum status problem_evaluate(struct problem *p, const float *state, enum problem_part part,
                             struct evaluation *result);

/* The value of the metric of this name; NaN: the problem has none. */
double problem_value(const struct problem *p, const struct evaluation *e, const char *name);

#endif
