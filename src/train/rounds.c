/*
 * rounds.c - how many rounds a run has, by its epochs, its limit or its budget.
 */
#include "train/rounds.h"

/* a / b, rounded up. */
static int64_t divide_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

struct pace rounds_pace(const struct build *b, int rank)
{
    if (b->algo->kind == ALGO_FREE)
        return (struct pace){divide_up(b->partition.counts[rank], b->batch), 1};
    if (!build_keeps_step(b))
        return (struct pace){b->all_batches, 1};
    return (struct pace){b->epoch_batches, algo_draws(b->algo, b->experiment->algorithm.options)};
}

int64_t rounds_epochs(const struct pace *p, int64_t rounds)
{
    return rounds * p->draws / p->batches;
}

int64_t rounds_epochs_begun(const struct pace *p, int64_t rounds)
{
    return divide_up(rounds * p->draws, p->batches);
}

double rounds_epoch(const struct pace *p, int64_t rounds)
{
    return (double)rounds * (double)p->draws / (double)p->batches;
}

bool rounds_end_epoch(const struct pace *p, int64_t round, int64_t every)
{
    return round > 0 && rounds_epochs(p, round) / every > rounds_epochs(p, round - 1) / every;
}

double rounds_passes(const struct build *b, double samples)
{
    double all = 0;

    for (int w = 0; w < b->workers; w++)
        all += (double)b->partition.counts[w];
    return samples / all;
}

double rounds_own_passes(const struct build *b, int worker, double samples)
{
    const double own = (double)b->partition.counts[worker];

    return own > 0 ? samples / own : 0;
}

/* Samples of an epoch: of one worker when it is free, else of all. */
static int64_t epoch_samples(const struct build *b, int rank)
{
    int64_t all = 0;

    if (b->algo->kind == ALGO_FREE)
        return b->partition.counts[rank];
    for (int w = 0; w < b->workers; w++) {
        const int64_t cut = b->epoch_batches * b->batch, count = b->partition.counts[w];
        all += b->epoch_batches > 0 && cut < count ? cut : count;
    }
    return all;
}

int64_t loop_rounds(const struct build *b, int rank)
{
    const struct train_options *o = &b->experiment->train;
    const struct pace pace = rounds_pace(b, rank);
    int64_t batches = o->epochs * pace.batches;

    if (o->epochs == 0 && b->budget == 0)
        return o->max_steps;
    if (b->budget > 0) {
        const int64_t share =
            b->algo->kind == ALGO_FREE ? divide_up(b->budget, b->workers) : b->budget;
        const int64_t samples = epoch_samples(b, rank);
        batches =
            share / samples * pace.batches + divide_up(share % samples * pace.batches, samples);
    }
    const int64_t rounds = divide_up(batches, pace.draws);

    return o->max_steps > 0 && o->max_steps < rounds ? o->max_steps : rounds;
}
