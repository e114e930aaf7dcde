/*
 * checkpoint_ranges.c - checks counters, positions, weights and what algorithms, optimisers and
 * servers keep, after they were read from a file.
 */
#include "train/checkpoint_ranges.h"

#include <math.h>
#include <string.h>

static const double COUNT_MAX = 9007199254740992.0; /* 2^53 */
static const double ROUNDS_MAX = 1099511627776.0;   /* 2^40: times the batches of a round */
static const double EPOCHS_MAX = 4294967295.0;      /* the sampler's */

static enum status fail_range(const char *path, const char *what, double value)
{
    return FAIL(STATUS_BAD_INPUT, "%s: damaged: %s is %g, which no run can have", path, what,
                value);
}

static bool is_count(int64_t x)
{
    return x >= 0 && (double)x <= COUNT_MAX;
}

static enum status check_counts(const int64_t *x, int64_t count, const char *what, const char *path)
{
    for (int64_t i = 0; i < count; i++)
        if (!is_count(x[i]))
            return fail_range(path, what, (double)x[i]);
    return STATUS_OK;
}

static enum status check_counters(const struct counters *c, const char *path)
{
    const char *bad = counters_impossible(c);

    if (bad != NULL)
        return FAIL(STATUS_BAD_INPUT,
                    "%s: damaged: the counter \"%s\" has a value that no run can "
                    "have",
                    path, bad);
    if (c->rounds > ROUNDS_MAX)
        return fail_range(path, "a number of rounds", c->rounds);
    return STATUS_OK;
}

enum status ranges_check_totals(const struct run_totals *t, const char *path)
{
    TRY(check_counters(&t->counters, path));
    if (t->round < 0 || (double)t->round > ROUNDS_MAX)
        return fail_range(path, "the round", (double)t->round);
    if (t->best_round < 0 || (double)t->best_round > ROUNDS_MAX)
        return fail_range(path, "the round of the best model", (double)t->best_round);
    if (isnan(t->best_loss))
        return fail_range(path, "the lowest validation loss", t->best_loss);
    return STATUS_OK;
}

/* --- workers --- */

/* A run whose weights are not finite ends, and is not saved. */
enum status ranges_check_weights(const struct worker_memory *a, const char *path)
{
    for (int64_t i = 0; i < a->build->layout.param_count; i++)
        if (!isfinite(a->state[i]))
            return FAIL(STATUS_BAD_INPUT, "%s: damaged: a weight is not finite", path);
    return STATUS_OK;
}

/* The algorithm's are counts, or the bits of real numbers (algo/parts/stored_real.h). */
static enum status check_numbers(const struct worker_memory *a, const char *path)
{
    for (int i = 0; i < a->number_count; i++) {
        double real;

        memcpy(&real, &a->numbers[i], sizeof real);
        if (!is_count(a->numbers[i]) && !isfinite(real))
            return fail_range(path, "a number of the algorithm", (double)a->numbers[i]);
    }
    return STATUS_OK;
}

static enum status check_optimizers(const struct worker_memory *a, const char *path)
{
    if (optim_is_sound(&a->optim) && (a->worker.outer == NULL || optim_is_sound(&a->outer)))
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT, "%s: damaged: the state of the optimiser is incomplete", path);
}

/* Where the sampler of a worker is. */
static enum status check_position(const struct worker_memory *a, const struct counters *c,
                                  const char *path)
{
    if (a->problem == NULL)
        return STATUS_OK;
    if (c->steps > ROUNDS_MAX * (double)a->problem->batches_per_epoch)
        return fail_range(path, "the number of a worker's gradients", c->steps);
    if (c->draws / (double)a->problem->batches_per_epoch >= EPOCHS_MAX)
        return fail_range(path, "the number of a worker's batches", c->draws);
    return STATUS_OK;
}

/* --- a server's workers --- */

enum status ranges_check_client(const struct client *c, const char *path)
{
    const int64_t counts[] = {c->updates,
                              c->samples,
                              c->empty,
                              c->correct,
                              c->correct5,
                              c->staleness_sum,
                              c->staleness_max,
                              c->counters.bytes_sent,
                              c->counters.messages_sent};
    const double numbers[] = {c->loss_sum,
                              c->delayed,
                              c->counters.computing,
                              c->counters.waiting,
                              c->counters.transferring,
                              c->counters.sleeping};

    TRY(check_counts(counts, sizeof counts / sizeof *counts, "a count of the server", path));
    TRY(check_counts(c->staleness, sizeof c->staleness / sizeof *c->staleness,
                     "a count of stale gradients", path));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!isfinite(numbers[i]))
            return fail_range(path, "a number of the server", numbers[i]);
    return STATUS_OK;
}

enum status ranges_check_logged(const struct logged_sums *logged, int workers, const char *path)
{
    for (int w = 0; w < workers; w++) {
        const double counts[] = {logged[w].samples, logged[w].correct, logged[w].correct5};

        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            if (!isfinite(counts[i]))
                return fail_range(path, "a count of logged samples", counts[i]);
        if (!isfinite(logged[w].loss))
            return fail_range(path, "a logged loss", logged[w].loss);
    }
    return STATUS_OK;
}

enum status ranges_check_memory(const struct worker_memory *a, const struct counters *counters,
                                const char *path)
{
    const struct build *b = a->build;

    TRY(check_counters(counters, path));
    TRY(check_position(a, counters, path));
    TRY(ranges_check_weights(a, path));
    TRY(check_counts(a->batches_tracked, b->layout.tracked_count, "a number of batches", path));
    if (a->sent != NULL)
        TRY(check_counts(a->sent, b->workers, "a number of bytes", path));
    TRY(check_numbers(a, path));
    return check_optimizers(a, path);
}
