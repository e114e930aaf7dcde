/*
 * problem.c - the checked functions of every problem.
 */
#include "problem/problem.h"

#include <string.h>

#include "base/check.h"

bool problem_has_random_start(const struct problem *p)
{
    return p->ops->initialize != NULL;
}

void problem_initialize(struct problem *p, float *state, uint64_t seed)
{
    if (p->ops->initialize == NULL)
        memset(state, 0, (size_t)p->state_count * sizeof *state);
    else
        p->ops->initialize(p, state, seed);
}

void problem_draw(struct problem *p)
{
    p->ops->draw(p);
    p->draws++;
    CHECK(p->batch_size >= 0 && p->batch_total >= p->batch_size);
}

enum status problem_gradient(struct problem *p, float *state, float *gradient,
                             struct batch_result *result)
{
    CHECK(p->batch_size > 0); /* drawn before, and not empty */
    return p->ops->gradient(p, state, gradient, result);
}

void problem_seek(struct problem *p, int64_t epoch, int64_t batch)
{
    CHECK(epoch >= 0 && batch >= 0);
    p->draws = epoch * p->batches_per_epoch + batch;
    p->ops->seek(p, epoch, batch);
}

enum status problem_recalibrate(struct problem *p, float *state, int64_t batches)
{
    CHECK(batches > 0);
    return p->ops->recalibrate == NULL ? STATUS_OK : p->ops->recalibrate(p, state, batches);
}

enum status problem_predict(struct problem *p, const float *state,
                            const struct prediction *prediction)
{
    if (p->ops->predict == NULL)
        return FAIL(STATUS_BAD_INPUT, "problem %s makes no predictions", p->ops->entry.name);
    p->ops->predict(p, state, prediction);
    return STATUS_OK;
}

void problem_free(struct problem *p)
{
    if (p != NULL)
        p->ops->free(p);
}
