/*
 * progress.h - the line that shows a person how training goes.
 */
#ifndef TRAIN_LOOP_PROGRESS_H
#define TRAIN_LOOP_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    double shown_at;   /* clock of the last line */
    double started_at; /* clock of the first round of this process */
    int64_t started_round;
};

struct progress_state {
    int64_t round, rounds_total;
    double epoch;          /* passes over the training samples so far */
    double loss, accuracy; /* of the epoch so far; accuracy NaN: none */
    double samples_per_s;
    double evaluated;     /* accuracy of the last snapshot that was evaluated; NaN: none */
    double evaluated_age; /* epochs since */
};

void progress_start(struct progress *p, int64_t round);

/* Five times a second. */
bool progress_is_due(const struct progress *p);

/* At most five times a second, unless final. */
void progress_show(struct progress *p, const struct progress_state *s, bool final);

#endif
