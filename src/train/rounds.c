/*
 * rounds.c - how many rounds a run has, by its epochs, its limit or its budget.
 */
#include "train/rounds.h"

int64_t rounds_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
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

int64_t rounds_per_epoch(const struct build *b, int rank)
{
    return b->algo->kind == ALGO_FREE ? rounds_up(b->partition.counts[rank], b->batch) : b->rounds;
}

int64_t loop_rounds(const struct build *b, int rank)
{
    const struct train_options *o = &b->experiment->train;
    const int64_t per_epoch = rounds_per_epoch(b, rank);
    int64_t rounds = o->epochs * per_epoch;

    if (b->budget > 0) {
        const int64_t share =
            b->algo->kind == ALGO_FREE ? rounds_up(b->budget, b->workers) : b->budget;
        const int64_t samples = epoch_samples(b, rank);
        rounds = share / samples * per_epoch + rounds_up(share % samples * per_epoch, samples);
    }
    return o->max_steps > 0 && o->max_steps < rounds ? o->max_steps : rounds;
}
