/*
 * problem.h - what an algorithm sees of the domain: "the gradient at these parameters on my next
 * mini-batch" and "how good are these parameters". Model, loss and data are behind it.
 *
 * A problem belongs to one worker. The state vector [parameters | buffers] is the caller's.
 */
#ifndef PROBLEM_PROBLEM_H
#define PROBLEM_PROBLEM_H

#include "base/status.h"
#include "nn/model.h"

struct problem;

enum problem_part { PART_TRAIN, PART_VALIDATION, PART_TEST };

/* "train", "validation", "test" */
const char *problem_part_name(enum problem_part part);

/* What one evaluation of the gradient found on its batch. */
struct batch_result {
    int64_t samples;
    double loss_sum; /* over the samples */
    int64_t correct; /* top-1; 0 where there are no classes */
};

struct evaluation {
    int64_t samples;
    double loss;               /* mean over the samples */
    int64_t correct, correct5; /* top-1 and top-5 */
    int64_t
        *confusion; /* [classes][classes], true label first; the caller's, or NULL: not wanted */
};

/*
 * draw: goes on to the worker's next mini-batch (the first call draws the first). It is empty,
 * batch_size 0, when the worker has no data in this round; it then has no gradient.
 * gradient: of the batch's summed loss divided by `global_batch`, at the state's parameters.
 * Updates the running statistics in the state the first time after a draw; calling it again on the
 * same batch (L-BFGS does) sees the same samples and the same dropout and leaves the statistics
 * alone. With raw_statistics it does not move the running statistics but puts the batch's own in
 * their place (model.h).
 * evaluate: exact, over every sample of a part; changes nothing, and several problems may do so at
 * once. seek: the next draw is batch `batch` of epoch `epoch`.
 * recalibrate (optional: nothing to do): running statistics become the plain average over the
 * worker's first `batches` batches of epoch 0 at the state's parameters; nothing else changes.
 */
struct problem_ops {
    const char *name;
    void (*draw)(struct problem *p);
    void (*gradient)(struct problem *p, float *state, float *gradient, struct batch_result *result);
    enum status (*evaluate)(struct problem *p, const float *state, enum problem_part part,
                            struct evaluation *result);
    void (*seek)(struct problem *p, int64_t epoch, int64_t batch);
    enum status (*recalibrate)(struct problem *p, float *state, int64_t batches);
    void (*free)(struct problem *p);
};

/* The common part. An implementation embeds it as its FIRST member. */
struct problem {
    const struct problem_ops *ops;
    int64_t param_count, state_count;
    int64_t classes;           /* 0: targets are numbers */
    int64_t part_counts[3];    /* samples by enum problem_part, of all workers together */
    int64_t draws;             /* batches drawn since the start of the run; of the doors */
    int64_t batches_per_epoch; /* draws, empty ones too */
    int64_t batch_size;        /* samples in the drawn batch; 0: empty, or nothing is drawn */
    int64_t batch_total;       /* samples in all workers' batches of this number; set by draw */
    int64_t global_batch;      /* what the summed gradient is divided by; 0: batch_size */
    bool raw_statistics;       /* set by the caller */
    const struct gradient_hook *hook; /* optional, borrowed: told of finished gradient ranges */
    struct model_timer *timer;        /* optional, borrowed: where the time of gradients goes */
};

void problem_draw(struct problem *p);
void problem_gradient(struct problem *p, float *state, float *gradient,
                      struct batch_result *result);
enum status problem_evaluate(struct problem *p, const float *state, enum problem_part part,
                             struct evaluation *result);
void problem_seek(struct problem *p, int64_t epoch, int64_t batch);
enum status problem_recalibrate(struct problem *p, float *state, int64_t batches);
void problem_free(struct problem *p); /* accepts NULL */

#endif
