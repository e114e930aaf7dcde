/*
 * figure.h - one picture of the generated set: a figure of one of ten kinds, turned, blurred, with
 * clutter lines and noise, as a function of (generator, sample number, kind).
 */
#ifndef DATA_FIGURE_H
#define DATA_FIGURE_H

#include <stdint.h>

#include "base/rng.h"

enum { FIGURE_SIDE = 28, FIGURE_KINDS = 10 };

extern const char *const figure_names[FIGURE_KINDS];

/* Writes [FIGURE_SIDE][FIGURE_SIDE] bytes. */
void figure_draw(uint8_t *out, const struct rng *r, uint64_t index, int kind);

#endif
