/*
 * average.c - the mean of the workers' models, over those who have something to say.
 *
 * A weighted mean scales each worker's values by its weight over the mean weight, and is then the
 * plain mean: with equal weights every factor is exactly 1.
 */
#include "algo/parts/average.h"

#include <string.h>

static enum status add_up(struct worker *w, int64_t *numbers, int64_t count)
{
    if (w->transport->workers == 1)
        return STATUS_OK;
    return transport_sum(w->transport,
                         &(struct sum){.data = numbers, .count = count, .type = SUM_INT64});
}

static struct average average_of_all(const struct worker *w)
{
    return (struct average){.is_in = true, .count = w->transport->workers, .factor = 1};
}

enum status average_begin(struct average *a, struct worker *w, bool is_in)
{
    int64_t count = is_in ? 1 : 0;

    TRY(add_up(w, &count, 1));
    *a = (struct average){.is_in = is_in, .count = count, .factor = 1};
    if (count == 0)
        *a = average_of_all(w);
    return STATUS_OK;
}

enum status average_begin_weighted(struct average *a, struct worker *w, int64_t weight)
{
    int64_t sums[2] = {weight > 0, weight};

    TRY(add_up(w, sums, 2));
    if (sums[0] == 0) {
        *a = average_of_all(w);
        return STATUS_OK;
    }
    *a = (struct average){
        .is_in = weight > 0,
        .count = sums[0],
        .factor = (float)((double)weight * (double)sums[0] / (double)sums[1]),
    };
    return STATUS_OK;
}

enum status average_vector(const struct average *a, struct worker *w, float *x, int64_t count)
{
    if (w->transport->workers == 1)
        return STATUS_OK;
    if (!a->is_in)
        memset(x, 0, (size_t)count * sizeof *x);
    else if (a->factor != 1.0F)
        w->optim->kernel->scale(x, a->factor, count);
    TRY(transport_sum(w->transport, &(struct sum){.data = x, .count = count, .type = SUM_FLOAT}));
    w->optim->kernel->scale(x, 1.0F / (float)a->count, count);
    return worker_report_vectors(w, &(struct vector_work){count, 1, 2});
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
    for (int i = 0; i < o->number_count; i++)
        o->numbers[i] = a->is_in ? o->numbers[i] * (double)a->factor : 0;
    TRY(transport_sum(
        w->transport,
        &(struct sum){.data = o->numbers, .count = o->number_count, .type = SUM_DOUBLE}));
    for (int i = 0; i < o->number_count; i++)
        o->numbers[i] /= (double)a->count;
    return STATUS_OK;
}
