/*
 * view.c - the model that a run stands for: the one that all share, or the mean of what they have,
 * with BatchNorm's statistics averaged, local or measured anew.
 */
#include <string.h>

#include "algo/shared.h"
#include "base/mem.h"
#include "train/loop_parts.h"

/*
 * Whether statistics are weighted by samples. Where all have the same parameters, those were made
 * of everybody's samples alike, and who has seen fewer of them counts for less. Models of their own
 * are averaged as they are, and their statistics with them.
 */
static bool weighs_samples(const struct loop *l)
{
    bool are_equal = true;

    for (int w = 1; w < l->build->workers; w++)
        are_equal = are_equal && l->everybody[w].samples == l->everybody[0].samples;
    return l->build->algo->view == ALGO_VIEW_SAME && !are_equal;
}

static float share_of_samples(const struct loop *l)
{
    double all = 0;

    for (int w = 0; w < l->build->workers; w++)
        all += l->everybody[w].samples;
    return (float)(l->everybody[l->worker->transport->rank].samples / all);
}

static enum status control_mean(struct loop *l, float *x, int64_t count)
{
    const struct kernel *k = l->worker->optim->kernel;
    const bool weighs = weighs_samples(l);

    if (weighs)
        k->scale(x, share_of_samples(l), count);
    TRY(transport_sum(
        l->worker->transport,
        &(struct sum){.data = x, .count = count, .type = SUM_FLOAT, .is_control = true}));
    if (!weighs)
        k->scale(x, 1.0F / (float)l->build->workers, count);
    return STATUS_OK;
}

static void copy_state(struct loop *l)
{
    const int64_t count = l->build->model->state_count;

    if (l->view == NULL)
        l->view = MEM_NEW_N(float, count);
    if (l->worker->shared != NULL)
        shared_load(l->view, l->worker->shared, count);
    else
        memcpy(l->view, l->actor->state, (size_t)count * sizeof *l->view);
}

/* Of workers that keep step: their mean, as far as they differ and are meant to be averaged. */
static enum status average_view(struct loop *l)
{
    const struct model *m = l->build->model;
    const enum statistics statistics = l->worker->statistics;
    const int64_t from = l->build->algo->view == ALGO_VIEW_SAME ? m->param_count : 0;
    const int64_t to = statistics == STATISTICS_AVERAGE ? m->state_count : m->param_count;

    if (to > from)
        TRY(control_mean(l, l->view + from, to - from));
    return STATUS_OK;
}

/* Snapshots are recalibrated when they are evaluated, off the clock. */
static enum status recalibrate_view(struct loop *l)
{
    const bool is_on_the_way = l->snapshots != NULL && l->place.round < l->total && !l->has_ended;

    if (l->worker->statistics != STATISTICS_RECALIBRATE || !l->is_lead || is_on_the_way)
        return STATUS_OK;
    return problem_recalibrate(l->build->examiner, l->view, RECALIBRATION_BATCHES);
}

enum status examine_view(struct loop *l, struct model_values *values)
{
    const struct model *m = l->build->model;
    const bool differs = m->state_count > m->param_count || l->build->algo->view != ALGO_VIEW_SAME;
    const bool averages = meet_is_possible(l) && differs;
    const bool is_far = free_is_far(l) && !l->has_ended;
    const bool is_served = l->is_server && l->worker->statistics == STATISTICS_RECALIBRATE;

    *values =
        (struct model_values){.model = m, .state = l->actor->state, .counters = l->actor->counters};
    if (!averages && !is_served && !is_far && l->worker->shared == NULL)
        return STATUS_OK;
    if (is_far && !l->is_lead)
        return STATUS_OK;
    if (is_far)
        TRY(free_view(l, l->puts_aside));
    else
        copy_state(l);
    values->state = l->view;
    if (averages)
        TRY(average_view(l));
    return recalibrate_view(l);
}
