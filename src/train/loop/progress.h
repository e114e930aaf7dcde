/*
 * progress.h - the line that shows a person how training goes.
 */
#ifndef TRAIN_LOOP_PROGRESS_H
#define TRAIN_LOOP_PROGRESS_H

#include <stdbool.h>

struct progress {
    double shown_at;   /* clock of the last line */
    double started_at; /* clock of the first round of this process */
    double started_done;
};

struct progress_state {
    double done;           /* the part of the run, 0 to 1 */
    double epoch;          /* passes over the training samples so far */
    double loss, accuracy; /* of the epoch so far; accuracy NaN: none */
    double samples_per_s;
    double evaluated;     /* accuracy of the last snapshot that was evaluated; NaN: none */
    double evaluated_age; /* epochs since */
};

void progress_start(struct progress *p, double done);

/* Five times a second. */
bool progress_is_due(const struct progress *p);

/* At most five times a second, unless final. */
void progress_show(struct progress *p, const struct progress_state *s, bool final);

#endif
