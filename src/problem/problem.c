/*
 * problem.c - the checked door to every problem.
 */
#include "problem/problem.h"

#include <stddef.h>

#include "base/check.h"

const char *problem_part_name(enum problem_part part)
{
    switch (part) {
    case PART_TRAIN:
        return "train";
    case PART_VALIDATION:
        return "validation";
    case PART_TEST:
        return "test";
    }
    BUG("part out of range");
}

void problem_draw(struct problem *p)
{
    p->ops->draw(p);
    p->draws++;
    CHECK(p->batch_size >= 0 && p->batch_total >= p->batch_size);
}

void problem_gradient(struct problem *p, float *state, float *gradient, struct batch_result *result)
{
    CHECK(p->batch_size > 0); /* drawn before, and not empty */
    p->ops->gradient(p, state, gradient, result);
}

enum status problem_evaluate(struct problem *p, const float *state, enum problem_part part,
                             struct evaluation *result)
{
    if (p->part_counts[part] == 0)
        return FAIL(
            STATUS_BAD_INPUT, "there are no %s samples to evaluate on%s", problem_part_name(part),
            part == PART_VALIDATION ? "; --validation sets a part of the training set aside" : "");
    return p->ops->evaluate(p, state, part, result);
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

void problem_free(struct problem *p)
{
    if (p != NULL)
        p->ops->free(p);
}
