/*
 * run_model.c - the run model, which a run is evaluated and saved as: a worker's own, the mean of
 * all, or parameters that the algorithm names; with BatchNorm's statistics averaged, local or
 * measured again.
 */
#include <string.h>

#include "base/mem.h"
#include "train/loop/lockstep.h"

struct model_values run_model_own(const struct loop *l)
{
    return (struct model_values){
        .layout = &l->build->layout,
        .state = l->memory->state,
        .batches_tracked = l->memory->batches_tracked,
    };
}

float *run_model_room(struct loop *l)
{
    if (l->run_model == NULL)
        l->run_model = MEM_NEW_N(float, l->build->layout.state_count);
    return l->run_model;
}

void run_model_copy(struct loop *l, struct model_values *values)
{
    const size_t bytes = (size_t)l->build->layout.state_count * sizeof *l->run_model;

    values->state = memcpy(run_model_room(l), l->memory->state, bytes);
}

void run_model_take_named(struct loop *l, struct model_values *values)
{
    const float *named = algo_run_model_vector(l->worker);

    if (named == NULL)
        return;
    if (values->state != l->run_model)
        run_model_copy(l, values);
    memcpy(values->state, named, (size_t)l->build->layout.param_count * sizeof *named);
}

/* What is averaged: parameters where they differ, and statistics where that is asked for. */
struct range {
    int64_t from, to;
};

static struct range averaged_range(const struct loop *l)
{
    const struct tensor_layout *layout = &l->build->layout;
    const bool averages = l->worker->statistics == STATISTICS_AVERAGE;
    const bool is_mean =
        algo_models_differ(l->build->algo) && algo_run_model_vector(l->worker) == NULL;

    return (struct range){
        .from = is_mean ? 0 : layout->param_count,
        .to = averages ? layout->state_count : layout->param_count,
    };
}

enum status run_model_average(struct loop *l, float *x, int64_t count)
{
    TRY(transport_sum(
        l->worker->transport,
        &(struct sum){.data = x, .count = count, .type = SUM_FLOAT, .is_control = true}));
    l->worker->optim->kernel->scale(x, 1.0F / (float)l->build->workers, count);
    return STATUS_OK;
}

/*
 * Statistics are weighted by samples where all workers have the same parameters: those were made of
 * all workers' samples alike, and a worker that has seen fewer counts for less. Models of their own
 * are averaged as they are, and their statistics with them.
 */
static enum status average_weighted(struct loop *l, float *x, int64_t count)
{
    const double share = lockstep_share(l);

    if (share < 0 || algo_models_differ(l->build->algo))
        return run_model_average(l, x, count);
    l->worker->optim->kernel->scale(x, (float)share, count);
    return transport_sum(
        l->worker->transport,
        &(struct sum){.data = x, .count = count, .type = SUM_FLOAT, .is_control = true});
}

int64_t run_model_slice(int64_t count)
{
    enum { SLICES = 8, SHORTEST = 4096 };
    const int64_t length = (count + SLICES - 1) / SLICES;

    return length > SHORTEST ? length : SHORTEST;
}

/* A slice at a time, so that a worker that does not keep it needs room for one slice only. */
enum status run_model_mean(struct loop *l, bool all_keep_it, struct model_values *values)
{
    const struct range r = averaged_range(l);
    const int64_t length = run_model_slice(r.to - r.from);
    const bool keeps = l->leader != NULL || all_keep_it;
    float *room = keeps ? NULL : MEM_NEW_N(float, length);
    enum status s = STATUS_OK;

    if (keeps)
        run_model_copy(l, values);
    for (int64_t begin = r.from; begin < r.to && s == STATUS_OK; begin += length) {
        const int64_t count = r.to - begin < length ? r.to - begin : length;

        if (!keeps)
            memcpy(room, l->memory->state + begin, (size_t)count * sizeof *room);
        s = average_weighted(l, keeps ? l->run_model + begin : room, count);
    }
    mem_free(room);
    if (keeps)
        run_model_take_named(l, values);
    return s;
}

/* --- statistics --- */

enum status run_model_recalibrate(struct loop *l, struct model_values *values)
{
    if (l->worker->statistics != STATISTICS_RECALIBRATE || l->is_cut)
        return STATUS_OK; /* a stop must be quick, and a resumed run does not need them */
    if (values->state == l->memory->state)
        run_model_copy(l, values);
    return problem_recalibrate(l->build->evaluator, values->state, RECALIBRATION_BATCHES);
}

enum status run_model_share_statistics(struct loop *l, struct model_values *values)
{
    const struct tensor_layout *layout = &l->build->layout;
    const int64_t count = layout->state_count - layout->param_count;
    float *statistics = values->state + layout->param_count;

    if (count == 0)
        return STATUS_OK;
    if (l->leader == NULL)
        memset(statistics, 0, (size_t)count * sizeof *statistics);
    return transport_sum(
        l->worker->transport,
        &(struct sum){.data = statistics, .count = count, .type = SUM_FLOAT, .is_control = true});
}

/* --- of workers in lockstep --- */

enum status lockstep_run_model(struct loop *l, struct model_values *values)
{
    const struct tensor_layout *layout = &l->build->layout;
    const bool differs =
        layout->state_count > layout->param_count || algo_models_differ(l->build->algo);

    const bool shares =
        l->coordinator->shares_evaluation != NULL && l->coordinator->shares_evaluation(l);

    *values = run_model_own(l);
    if (l->leader != NULL || shares) /* others need no copy */
        run_model_take_named(l, values);
    if (l->build->workers == 1)
        return l->memory->state == values->state ? STATUS_OK : run_model_recalibrate(l, values);
    if (!differs)
        return STATUS_OK;
    TRY(run_model_mean(l, shares, values));
    if (l->leader != NULL)
        TRY(run_model_recalibrate(l, values));
    return shares ? run_model_share_statistics(l, values) : STATUS_OK;
}
