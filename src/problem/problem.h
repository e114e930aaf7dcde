/*
 * problem.h - what an algorithm sees of the domain: "the gradient at these parameters on my next
 * mini-batch" and "how good are these parameters". Model, loss and data are behind it.
 *
 * A problem belongs to one worker. The state vector [parameters | buffers] is the caller's.
 */
#ifndef PROBLEM_PROBLEM_H
#define PROBLEM_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "conf/registry.h"
#include "kernel/tensor.h"
#include "problem/problem_evaluation.h"

struct problem;
struct problem_plan; /* problem/problem_plan.h, like the next six */
struct problem_setting;
struct problem_batch;
struct problem_dry_run;
struct problem_images;
struct problem_map;
struct problem_scan;
struct model_timer; /* nn/model.h */
struct team_pool;   /* base/team_pool.h */

/* What a gradient takes; 0: not known. */
struct problem_cost {
    double flops; /* for each sample of the batch */
    double bytes; /* of the state that it reads and of the gradient that it writes */
};

/* What one evaluation of the gradient found on its batch. */
struct batch_result {
    int64_t samples;
    double loss_sum;           /* over the samples */
    int64_t correct, correct5; /* top-1 and top-5; 0 where there are no classes */
    int64_t replaced;          /* samples that could not be read: others took their places */
};

/* Inputs as the model takes them, and where its outputs go. */
struct prediction {
    int64_t count;
    const float *inputs; /* [count][input size] */
    float *outputs;      /* [count][output size] */
};

/*
 * A problem that is chosen by name has an entry with its options, and a plan that all workers of a
 * process share; problem_plan.h has the functions that call these. Adding one: its file with one of
 * these tables, and its line in list.h.
 *
 * has_data: the run config's sections data, model and partition are meant for it.
 * check (optional): what can be wrong with a setting before any data is read.
 * plan, plan_free: the plan for a setting. A message begins with the key that it is about.
 * start (optional): makes what workers compute with, with teams of this pool, which is
 * borrowed; before `new`.
 * new: the problem of one worker. evaluator (optional: `new` of worker 0): one that draws nothing.
 * fingerprint (optional: 0): a checksum of the data. memory (optional: 0): bytes of one that
 * computes such batches. memory_ahead (optional: 0): bytes of batches that are read in advance.
 * images (optional: there are none): the first training samples as pictures.
 * map (optional: there is none): the mesh of PART_MAP. grid_map (optional: there is none): see
 * problem_grid_map.
 * write_files (optional: none): files about the plan in a new run directory.
 * position (optional: workers have none): where a worker is at its draw number `draw`, in a plane;
 * false: this plan has no positions. scan (optional: workers have none): see problem_scan.
 *
 * The rest is about the problem of one worker:
 *
 * initialize (optional: the start is 0 everywhere): a random start that depends on the seed alone.
 * draw: moves to the worker's next mini-batch (the first call draws the first). It is empty,
 * batch_size 0, when the worker has no data in this round; it then has no gradient.
 * gradient: of the batch's summed loss divided by `global_batch`, at the state's parameters. It
 * fails if a sample cannot be read.
 * Updates the running statistics in the state the first time after a draw; calling it again on the
 * same batch (L-BFGS does) sees the same samples and the same dropout and leaves the statistics
 * alone. With raw_statistics it does not move the running statistics but puts the batch's own in
 * their place (nn/model.h).
 * evaluate: what the metrics sum over every sample of some blocks; changes nothing, and several
 * problems may do so at once. seek: the next draw is batch `batch` of epoch `epoch`.
 * recalibrate (optional: nothing to do): running statistics become the plain average over the
 * worker's first `batches` batches of epoch 0 at the state's parameters; nothing else changes.
 * predict (optional: it makes no predictions): the outputs of the model for inputs of the caller's.
 */
struct problem_ops {
    struct entry entry;
    bool has_data;
    enum status (*check)(const struct problem_setting *s);
    enum status (*plan)(const struct problem_setting *s, const struct problem_dry_run *dry,
                        struct problem_plan **plan);
    void (*plan_free)(struct problem_plan *plan);
    void (*start)(struct problem_plan *plan, struct team_pool *teams);
    struct problem *(*new)(const struct problem_plan *plan, int worker, int64_t *batches_tracked);
    struct problem *(*evaluator)(const struct problem_plan *plan, int threads);
    uint32_t (*fingerprint)(const struct problem_plan *plan);
    double (*memory)(const struct problem_plan *plan, struct problem_batch batch, int threads);
    double (*memory_ahead)(const struct problem_plan *plan, struct problem_batch batch);
    bool (*images)(const struct problem_plan *plan, int64_t most, struct problem_images *images);
    bool (*map)(const struct problem_plan *plan, struct problem_map *map);
    bool (*grid_map)(const struct problem_plan *plan, const float *values, float *map);
    enum status (*write_files)(const struct problem_plan *plan, const char *run_dir);
    bool (*position)(const struct problem_plan *plan, int worker, int64_t draw, double *xy);
    bool (*scan)(const struct problem_plan *plan, int worker, int64_t draw,
                 struct problem_scan *scan);

    void (*initialize)(struct problem *p, float *state, uint64_t seed);
    void (*draw)(struct problem *p);
    enum status (*gradient)(struct problem *p, float *state, float *gradient,
                            struct batch_result *result);
    enum status (*evaluate)(struct problem *p, const float *state, enum problem_part part,
                            struct evaluation_blocks *blocks);
    void (*seek)(struct problem *p, int64_t epoch, int64_t batch);
    enum status (*recalibrate)(struct problem *p, float *state, int64_t batches);
    void (*predict)(struct problem *p, const float *state, const struct prediction *prediction);
    void (*free)(struct problem *p);
};

extern const struct registry problem_registry;

/* The common part. An implementation embeds it as its FIRST member. */
struct problem {
    const struct problem_ops *ops;
    int64_t param_count, state_count;
    int64_t classes;                      /* 0: targets are numbers */
    int64_t part_counts[PROBLEM_PARTS];   /* samples of each part, of all workers together */
    const struct problem_metric *metrics; /* [metric_count] of an evaluation */
    int metric_count;
    int ratio_sums;            /* what is summed besides the metrics: problem_sum_count */
    int64_t draws;             /* batches drawn since the start of the run; kept by problem.c */
    int64_t batches_per_epoch; /* draws, including empty ones */
    int64_t own_samples;       /* in one pass over the worker's samples; set by problem_new */
    int64_t batch_size;        /* samples in the drawn batch; 0: empty, or nothing is drawn */
    int64_t batch_total;       /* samples in all workers' batches of this number; set by draw */
    struct problem_cost cost;  /* of a gradient: the plan's */
    int64_t global_batch;      /* what the summed gradient is divided by; 0: batch_size */
    bool raw_statistics;       /* set by the caller */
    const struct gradient_hook *hook; /* optional, borrowed: told of finished gradient ranges */
    struct model_timer *timer;        /* optional, borrowed: where the time of gradients goes */
};

/* Whether starts are random, and one of them: with the same seed the same. */
bool problem_has_random_start(const struct problem *p);
void problem_initialize(struct problem *p, float *state, uint64_t seed);

void problem_draw(struct problem *p);
enum status problem_gradient(struct problem *p, float *state, float *gradient,
                             struct batch_result *result);
void problem_seek(struct problem *p, int64_t epoch, int64_t batch);
enum status problem_recalibrate(struct problem *p, float *state, int64_t batches);

/* An error where the problem has no model that predicts. */
enum status problem_predict(struct problem *p, const float *state,
                            const struct prediction *prediction);
void problem_free(struct problem *p); /* accepts NULL */

#endif
