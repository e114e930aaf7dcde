/*
 * tally.h - what one worker has done so far. Only doubles, so that one sum over a table with a row
 * per worker brings everybody's tally to all.
 *
 * Counts since the start of an epoch or since the last logged row are kept whole, not added up from
 * meeting to meeting: when workers meet depends on the time, and the sums must not.
 */
#ifndef TRAIN_TALLY_H
#define TRAIN_TALLY_H

#include "algo/algo.h"

struct tally {
    double rounds;
    double steps; /* gradients, which number the delays */
    double draws; /* batches, empty ones too: the place in the data */
    double samples, gradients, passes;
    double epoch_samples, epoch_correct, epoch_loss;
    double logged_samples, logged_loss;
    double moving_loss;                                /* NaN: no batch so far */
    double seconds;                                    /* of training */
    double delayed;                                    /* seconds slept for injected delays */
    double bytes;                                      /* sent */
    double computing, waiting, transferring, sleeping; /* seconds, as the transport counts them */
};

enum { TALLY_NUMBERS = (int)(sizeof(struct tally) / sizeof(double)) };

/* One round more. */
void tally_add(struct tally *t, const struct round_result *r);

/* After the row of an epoch, and after a logged one. */
void tally_close_epoch(struct tally *t);
void tally_close_log(struct tally *t);

#endif
