/*
 * supervised_internal.h - what the files of `supervised` share: the problem of one worker, and some
 * samples on their way through the model. Private to them.
 */
#ifndef PROBLEM_SUPERVISED_INTERNAL_H
#define PROBLEM_SUPERVISED_INTERNAL_H

#include "problem/batch_ahead.h"
#include "problem/supervised.h"

struct supervised {
    struct problem base; /* first */
    struct supervised_setup setup;
    struct batch_schedule schedule;
    struct batch_ahead *ahead; /* of samples that must be prepared; else NULL */
    struct scheduled_batch drawn;
    struct loader_batch *prepared; /* the samples of the drawn batch, with `ahead` */
    bool is_fresh;                 /* the drawn batch has not updated the statistics yet */
};

/* Some samples in a compute context. */
struct supervised_job {
    const struct supervised *s;
    struct compute_context *context;
    const struct samples *part;
    struct scheduled_batch batch;
    struct loader_batch *prepared; /* of the whole batch, or NULL */
    bool is_evaluation;            /* samples have their view for evaluation */
    int64_t first, count;          /* the piece of the batch that goes through the model */
    struct first_failure failure;
};

/* The samples of a batch, before its first piece. */
struct supervised_job supervised_job(const struct supervised *s, struct compute_context *context,
                                     const struct scheduled_batch *batch);

/* Sets the size of the piece at `first`; false: the batch ends there. */
bool supervised_next_piece(struct supervised_job *j);

/* Fills the input of the model and the targets, with the context's team. */
enum status supervised_gather(struct supervised_job *j);

/* The pass and the loss of the piece. */
struct model_pass supervised_pass(const struct supervised_job *j, const float *state);
struct loss_batch supervised_loss(const struct supervised_job *j, const float *output);

/* The class with the largest output; the first of equal ones. */
int32_t supervised_answer(const float *output, int64_t outputs);

/* How many outputs are larger than that of the label; equal ones before it count too. */
int64_t supervised_rank(const float *output, int64_t outputs, int32_t label);

/* --- supervised_gradient.c --- */

enum status supervised_gradient(struct problem *p, float *state, float *gradient,
                                struct batch_result *result);

/* --- supervised_evaluate.c --- */

void supervised_set_metrics(struct problem *p, const struct dataset *d);
enum status supervised_evaluate(struct problem *p, const float *state, enum problem_part part,
                                struct evaluation_blocks *blocks);
void supervised_predict(struct problem *p, const float *state, const struct prediction *q);

#endif
