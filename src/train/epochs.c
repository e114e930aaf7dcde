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

bool epochs_end_own(const struct build *b)
{
    return !build_is_synchronous(b) && b->config->train.ends == ENDS_OWN;
}

bool epochs_end_together(const struct build *b)
{
    return has_own_rounds(b) && b->config->train.ends == ENDS_TOTAL;
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

static struct epoch_length length_for_all(const struct build *b)
{
    if (!build_is_synchronous(b))
        return (struct epoch_length){b->plan->all_batches, 1};
    const int64_t batches = b->algo->has_own_epochs ? most_batches(b) : b->plan->epoch_batches;

    return (struct epoch_length){batches,
                                 algo_draws(b->algo, b->config->algorithm.options, batches)};
}

struct epoch_length epochs_length(const struct build *b, int rank)
{
    if (has_own_rounds(b))
        return (struct epoch_length){problem_plan_batches(b->plan, rank), 1};
    return length_for_all(b);
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

int64_t epochs_first_round(const struct epoch_length *p, int64_t epoch)
{
    return divide_up(epoch * p->batches, p->draws);
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

/* --- rounds --- */

/* What a limit is about: one worker, or all of them together. */
struct limited {
    struct epoch_length epoch;
    int64_t samples; /* of an epoch */
    int64_t budget;  /* of samples or rounds */
};

static struct limited limited_worker(const struct build *b, int worker)
{
    return (struct limited){
        .epoch = {problem_plan_batches(b->plan, worker), 1},
        .samples = build_worker_samples(b, worker),
        .budget = divide_up((int64_t)b->budget.value, b->workers),
    };
}

static struct limited limited_run(const struct build *b)
{
    int64_t samples = 0;

    for (int w = 0; w < b->workers; w++) {
        const int64_t cut = b->plan->epoch_batches * b->plan->batch;
        const int64_t count = build_worker_samples(b, w);
        samples += b->plan->epoch_batches > 0 && cut < count ? cut : count;
    }
    return (struct limited){
        .epoch = length_for_all(b),
        .samples = samples,
        .budget = (int64_t)b->budget.value,
    };
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

static int64_t rounds_of_samples(const struct build *b, const struct limited *l)
{
    if (b->algo->has_own_epochs)
        return divide_up(l->budget, round_samples(b));

    const int64_t batches = l->budget / l->samples * l->epoch.batches +
                            divide_up(l->budget % l->samples * l->epoch.batches, l->samples);

    return divide_up(batches, l->epoch.draws);
}

/* Without a limit by max_steps. */
static int64_t rounds_asked_for(const struct build *b, const struct limited *l)
{
    const int64_t epochs = b->config->train.epochs;

    switch (b->budget.unit) {
    case AMOUNT_SAMPLES:
        return rounds_of_samples(b, l);
    case AMOUNT_ROUNDS:
        return l->budget;
    case AMOUNT_BYTES:
    case AMOUNT_SECONDS:
        return ROUNDS_UNKNOWN;
    case AMOUNT_EPOCHS:
    case AMOUNT_NONE:
    case AMOUNT_UNITS:
        break;
    }
    return epochs == 0 ? ROUNDS_UNKNOWN : divide_up(epochs * l->epoch.batches, l->epoch.draws);
}

/* A worker without samples has nothing to do. */
static int64_t rounds_of(const struct build *b, const struct limited *l)
{
    const int64_t limit = b->config->train.max_steps;

    if (l->samples == 0)
        return 0;
    const int64_t rounds = rounds_asked_for(b, l);
    return limit > 0 && limit < rounds ? limit : rounds;
}

int64_t epochs_own_rounds(const struct build *b, int worker)
{
    const struct limited own = limited_worker(b, worker);

    return rounds_of(b, &own);
}

int64_t epochs_total_rounds(const struct build *b, int rank)
{
    int64_t sum = 0;

    if (!epochs_end_own(b))
        return epochs_of_all(b).rounds;
    if (has_own_rounds(b))
        return epochs_own_rounds(b, rank);
    for (int w = 0; w < b->workers; w++)
        sum += epochs_own_rounds(b, w);
    return sum < ROUNDS_UNKNOWN ? sum : ROUNDS_UNKNOWN;
}

struct run_length epochs_of_all(const struct build *b)
{
    const struct limited all = limited_run(b);

    return (struct run_length){.rounds = rounds_of(b, &all), .epoch = all.epoch};
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
        .rounds =
            epochs_end_own(b) ? epochs_own_rounds(b, rank) : divide_up(all.rounds, b->workers),
        .epoch = {.batches = batches > 0 ? batches : 1, .draws = 1},
    };
}
