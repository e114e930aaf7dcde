/*
 * amount.h - an amount of training, as options and flags say it: samples:360000, epochs:3,
 * rounds:500, bytes:1.5G, seconds:90 or seconds:5min.
 *
 * Whatever runs are limited to or compared at: all workers together, and seconds of training.
 */
#ifndef RECORD_AMOUNT_H
#define RECORD_AMOUNT_H

#include <stdbool.h>

#include "base/status.h"

enum amount_unit {
    AMOUNT_NONE, /* no amount was given */
    AMOUNT_SAMPLES,
    AMOUNT_EPOCHS,
    AMOUNT_ROUNDS,
    AMOUNT_BYTES,
    AMOUNT_SECONDS,
    AMOUNT_UNITS,
};

struct amount {
    enum amount_unit unit;
    double value; /* above 0; whole, but for epochs and seconds */
};

/* "samples". */
const char *amount_unit_name(enum amount_unit unit);

/* Numbers may end in k, M, G or T for powers of 1000, and seconds in s, min or h. Fails with what
 * is wrong about the text, without saying where it stood. */
enum status amount_read(const char *text, struct amount *a);

/* As amount_read reads it, the same for amounts that are equal: "bytes:1500000000". mem_free. */
char *amount_text(const struct amount *a);

#endif
