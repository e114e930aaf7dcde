/*
 * eta.h - how long a study will still take, from what was done so far.
 */
#ifndef STUDY_ETA_H
#define STUDY_ETA_H

#include <stdint.h>

/* A run that is under way. Shares are of its rounds, from 0 to 1. */
struct eta_run {
    double begun, now; /* when this call started it, and by now */
    double seconds;    /* since then */
};

struct eta {
    int64_t runs, done; /* of this call */
    double seconds;     /* since it began */
    const struct eta_run *running;
    int64_t count;
};

/*
 * Seconds until the last run ends, if runs go on at the speed of those so far; at least as long as
 * each run under way needs by its own speed. NaN: too little is done to say.
 */
double eta_seconds(const struct eta *e);

#endif
