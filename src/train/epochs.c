/*
 * epochs.c - how many rounds a run has, by its epochs, its limit or its budget.
 */
#include "train/epochs.h"

#include "train/loop/coordinator.h"

/* a / b, rounded up. */
static int64_t divide_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static bool has_own_rounds(const struct build *b)
{
    return coordinator_of(b->algo)->has_own_rounds;
}

static int64_t most_batches(const struct build *b)
{
    int64_t most = 0;

    for (int w = 0; w < b->workers; w++) {
        const int64_t own = problem_plan_batches(b->plan, w);
        most = own > most ? own : most;
    }
    return most;
}

struct epoch_length epochs_length(const struct build *b, int rank)
{
    if (has_own_rounds(b))
        return (struct epoch_length){problem_plan_batches(b->plan, rank), 1};
    if (!build_is_synchronous(b))
        return (struct epoch_length){b->plan->all_batches, 1};
    const int64_t batches = b->algo->has_own_epochs ? most_batches(b) : b->plan->epoch_batches;

    return (struct epoch_length){batches,
                                 algo_draws(b->algo, b->config->algorithm.options, batches)};
}

int64_t epochs_ended(const struct epoch_length *p, int64_t rounds)
{
    return rounds * p->draws / p->batches;
}

int64_t epochs_begun(const struct epoch_length *p, int64_t rounds)
{
    return divide_up(rounds * p->draws, p->batches);
}

double epochs_at(const struct epoch_length *p, int64_t rounds)
{
    return (double)rounds * (double)p->draws / (double)p->batches;
}

bool epochs_end_at(const struct epoch_length *p, int64_t round, int64_t every)
{
    return round > 0 && epochs_ended(p, round) / every > epochs_ended(p, round - 1) / every;
}

double epochs_of_samples(const struct build *b, double samples)
{
    double all = 0;

    for (int w = 0; w < b->workers; w++)
        all += (double)build_worker_samples(b, w);
    return samples / all;
}

double epochs_of_worker(const struct build *b, int worker, double samples)
{
    const double own = (double)build_worker_samples(b, worker);

    return own > 0 ? samples / own : 0;
}

/* Samples of an epoch: of one worker if it is independent, else of all. */
static int64_t epoch_samples(const struct build *b, int rank)
{
    int64_t all = 0;

    if (has_own_rounds(b))
        return build_worker_samples(b, rank);
    for (int w = 0; w < b->workers; w++) {
        const int64_t cut = b->plan->epoch_batches * b->plan->batch;
        const int64_t count = build_worker_samples(b, w);
        all += b->plan->epoch_batches > 0 && cut < count ? cut : count;
    }
    return all;
}

/* Samples of a round where workers have epochs of their own: the mean over the workers that may
 * train, times how many do. */
static int64_t round_samples(const struct build *b)
{
    const void *options = b->config->algorithm.options;
    int64_t all = 0;

    for (int w = 0; w < b->workers; w++) {
        const int64_t own = problem_plan_batches(b->plan, w);
        const int64_t draws = algo_draws(b->algo, options, own);
        all += draws / own * build_worker_samples(b, w) + draws % own * b->plan->batch;
    }
    return divide_up(all * algo_training_count(b->algo, options, b->workers), b->workers);
}

static int64_t rounds_of_budget(const struct build *b, int rank)
{
    const struct epoch_length length = epochs_length(b, rank);
    const int64_t share = has_own_rounds(b) ? divide_up(b->budget, b->workers) : b->budget;

    if (b->algo->has_own_epochs)
        return divide_up(share, round_samples(b));

    const int64_t samples = epoch_samples(b, rank);
    const int64_t batches =
        share / samples * length.batches + divide_up(share % samples * length.batches, samples);

    return divide_up(batches, length.draws);
}

int64_t epochs_total_rounds(const struct build *b, int rank)
{
    const struct train_options *o = &b->config->train;
    const struct epoch_length length = epochs_length(b, rank);

    if (o->epochs == 0 && b->budget == 0)
        return o->max_steps;
    const int64_t rounds = b->budget > 0 ? rounds_of_budget(b, rank)
                                         : divide_up(o->epochs * length.batches, length.draws);

    return o->max_steps > 0 && o->max_steps < rounds ? o->max_steps : rounds;
}

struct run_length epochs_run_length(const struct build *b, int rank)
{
    return (struct run_length){.rounds = epochs_total_rounds(b, rank),
                               .epoch = epochs_length(b, rank)};
}

struct run_length epochs_served_length(const struct build *b, int rank)
{
    const struct run_length all = epochs_run_length(b, rank);
    const int64_t batches = problem_plan_batches(b->plan, rank);

    if (build_is_synchronous(b))
        return all;
    return (struct run_length){
        .rounds = divide_up(all.rounds, b->workers),
        .epoch = {.batches = batches > 0 ? batches : 1, .draws = 1},
    };
}
