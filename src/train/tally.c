/*
 * tally.c - counts rounds.
 */
#include "train/tally.h"

void tally_add(struct tally *t, const struct round_result *r)
{
    t->rounds++;
    t->samples += (double)r->batch.samples;
    t->gradients += (double)r->gradients;
    t->passes += (double)r->passes;
    t->epoch_samples += (double)r->batch.samples;
    t->epoch_correct += (double)r->batch.correct;
    t->epoch_loss += r->batch.loss_sum;
    t->logged_samples += (double)r->batch.samples;
    t->logged_loss += r->batch.loss_sum;
}

void tally_close_epoch(struct tally *t)
{
    t->epoch_samples = t->epoch_correct = t->epoch_loss = 0;
}

void tally_close_log(struct tally *t)
{
    t->logged_samples = t->logged_loss = 0;
}
