/*
 * training_clock.h - how long an endpoint has trained, and what of the transport's counters belongs
 * to training.
 *
 * The clock stands still between pause and resume: what is evaluated, recorded and saved then is
 * not training. It starts paused. A resumed run continues with the counters of the checkpoint.
 */
#ifndef TRAIN_LOOP_TRAINING_CLOCK_H
#define TRAIN_LOOP_TRAINING_CLOCK_H

#include "comm/transport.h"
#include "record/counters.h"

/* The transport's time and counters at one moment. */
struct clock_reading {
    double at;
    struct transport_counters counters;
};

struct training_clock {
    struct transport *transport; /* borrowed */
    double started_at;
    double resumed_seconds; /* of training before this process */
    double paused_seconds;  /* of the pauses that have ended */
    /* Added to the transport's: those of the resumed run, less what was counted while paused. */
    struct transport_counters offset;
    bool is_paused;
    struct clock_reading pause; /* when it began */
};

/* Paused. saved: the endpoint's counters in the checkpoint, or those of a run that starts. */
void training_clock_init(struct training_clock *c, struct transport *t,
                         const struct counters *saved);

struct clock_reading training_clock_read(const struct training_clock *c);

/* Stops the clock at this reading, which may be some time ago. */
void training_clock_pause(struct training_clock *c, const struct clock_reading *since);
void training_clock_resume(struct training_clock *c);

/* Seconds, bytes and where the time went, of training up to this reading. Not while paused. */
void training_clock_count(const struct training_clock *c, const struct clock_reading *r,
                          struct counters *counters);

#endif
