/*
 * log_plan.c - the default number of log rows: 50 in an epoch, fewer where they would take more
 * than a hundredth of the time or make a large file.
 */
#include "train/loop/log_plan.h"

#include <math.h>

enum {
    ROWS_OF_EPOCH = 50,
    ROWS_OF_RUN = 2000,
    ROWS_OF_ALL_WORKERS = 20000, /* about 7 MB */
    WORKERS_WITH_ROWS = 100,
};

/*
 * What log rows take, as floating-point operations that could be made in that time, about: writing
 * one (3 us), and the norm of a parameter (memory is read once). The leader writes the rows of all
 * workers, and those wait for it: their sum is compared with the time of one worker's gradient.
 */
static const double ROW_FLOPS = 1.5e5, NORM_FLOPS = 10, SHARE_OF_TIME = 0.01;

static double rounds_by_cost(const struct log_load *load, int rows)
{
    const double flops = rows * ROW_FLOPS + NORM_FLOPS * (double)load->params;

    return load->round_flops > 0 ? flops / (SHARE_OF_TIME * load->round_flops) : 0;
}

static int64_t rows_of_run(const struct log_plan *p, int workers)
{
    const int64_t share = p->has_workers ? ROWS_OF_ALL_WORKERS / workers : ROWS_OF_RUN;

    return share < ROWS_OF_RUN ? share : ROWS_OF_RUN;
}

struct log_plan log_plan_make(int64_t log_every, const struct log_load *load)
{
    struct log_plan p = {
        .every = log_every,
        .has_workers = load->workers > 1 && load->workers <= WORKERS_WITH_ROWS,
        .is_prompt = true,
    };

    if (log_every >= 0)
        return p;
    p.is_prompt = false;
    p.rows = rows_of_run(&p, load->workers);

    const double by_epoch = floor(load->epoch_rounds / ROWS_OF_EPOCH);
    const double by_run = (double)load->rounds / (double)p.rows;
    const double by_cost = rounds_by_cost(load, p.has_workers ? load->workers + 1 : 1);

    p.every = (int64_t)fmin(ceil(fmax(fmax(by_epoch, 1), fmax(by_run, by_cost))), 1e12);
    return p;
}

struct log_plan log_plan_of(const struct build *b, const struct run_length *length)
{
    const struct problem_plan *plan = b->plan;
    const int64_t rounds = length->rounds < ROUNDS_UNKNOWN ? length->rounds : 0;
    const struct log_load load = {
        .epoch_rounds = (double)length->epoch.batches / (double)length->epoch.draws,
        .rounds = epochs_end_together(b) ? rounds / b->workers : rounds,
        .workers = b->workers,
        .round_flops = plan->cost.flops * (double)(plan->batch * length->epoch.draws),
        .params = b->layout.param_count,
    };

    return log_plan_make(b->config->train.log_every, &load);
}

bool log_plan_is_due(const struct log_plan *p, int64_t round)
{
    int64_t every = p->every;

    while (p->rows > 0 && round > every * p->rows)
        every *= 2;
    return every > 0 && round > 0 && round % every == 0;
}
