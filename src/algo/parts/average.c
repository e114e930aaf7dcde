/*
 * average.c - the mean of the workers' models, over those who have something to say.
 */
#include "algo/parts/average.h"

#include <string.h>

enum status average_begin(struct average *a, struct worker *w, bool is_in)
{
    int64_t count = is_in ? 1 : 0;

    if (w->transport->workers > 1)
        TRY(transport_sum(w->transport,
                          &(struct sum){.data = &count, .count = 1, .type = SUM_INT64}));
    *a = (struct average){.is_in = is_in, .count = count};
    if (count == 0)
        *a = (struct average){.is_in = true, .count = w->transport->workers};
    return STATUS_OK;
}

enum status average_vector(const struct average *a, struct worker *w, float *x, int64_t count)
{
    if (w->transport->workers == 1)
        return STATUS_OK;
    if (!a->is_in)
        memset(x, 0, (size_t)count * sizeof *x);
    TRY(transport_sum(w->transport, &(struct sum){.data = x, .count = count, .type = SUM_FLOAT}));
    w->optim->kernel->scale(x, 1.0F / (float)a->count, count);
    return STATUS_OK;
}

enum status average_state(const struct average *a, struct worker *w)
{
    const struct problem *p = w->problem;

    return average_vector(a, w, w->state,
                          w->statistics == STATISTICS_AVERAGE ? p->state_count : p->param_count);
}

/* All workers must agree on whether a vector is averaged: it is as soon as one of them has it. */
static enum status average_optimizer_vector(const struct average *a, struct worker *w, int i)
{
    int64_t holders = w->optim->vectors[i] != NULL;

    TRY(transport_sum(w->transport,
                      &(struct sum){.data = &holders, .count = 1, .type = SUM_INT64}));
    if (holders == 0)
        return STATUS_OK;
    return average_vector(a, w, optim_vector(w->optim, i), w->optim->n);
}

enum status average_optimizer(const struct average *a, struct worker *w)
{
    struct optim *o = w->optim;

    if (w->transport->workers == 1)
        return STATUS_OK;
    for (int i = 0; i < o->vector_count; i++)
        TRY(average_optimizer_vector(a, w, i));
    if (o->number_count == 0)
        return STATUS_OK;
    for (int i = 0; i < o->number_count && !a->is_in; i++)
        o->numbers[i] = 0;
    TRY(transport_sum(
        w->transport,
        &(struct sum){.data = o->numbers, .count = o->number_count, .type = SUM_DOUBLE}));
    for (int i = 0; i < o->number_count; i++)
        o->numbers[i] /= (double)a->count;
    return STATUS_OK;
}
