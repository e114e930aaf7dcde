/*
 * axis.h - an axis of a plot: its range, its ticks at round numbers and their labels.
 */
#ifndef REPORT_AXIS_H
#define REPORT_AXIS_H

#include <stdbool.h>

#include "report/svg.h"

enum axis_unit {
    AXIS_NUMBER,  /* 12k, 3M */
    AXIS_PERCENT, /* fractions: 0.5 is 50 % */
    AXIS_SECONDS, /* 200 ms, 3 s */
    AXIS_BYTES,   /* 12 MB */
};

enum { AXIS_TICKS_MAX = 16 };

struct axis {
    bool is_log;
    enum axis_unit unit;
    double low, high; /* values at both ends */
    double from, to;  /* where these are, in pixels */
    int tick_count;
    double ticks[AXIS_TICKS_MAX];
};

/*
 * Values that are not finite, and with is_log those not above 0, are left out; without any, the
 * axis goes from 0 to 1 (with is_log from 1 to 10).
 */
struct axis_range {
    bool is_log, from_zero; /* from_zero: 0 is on the axis (not with is_log) */
    enum axis_unit unit;
    double low, high; /* as axis_extend leaves them */
    double from, to;  /* in pixels */
    int ticks_wanted; /* 0: by the length of the axis */
    bool is_exact;    /* the ends are low and high, not the next tick */
    bool is_whole;    /* ticks at whole numbers only */
};
#define AXIS_EMPTY .low = (double)INFINITY, .high = -(double)INFINITY

void axis_extend(struct axis_range *r, double value);
void axis_init(struct axis *a, const struct axis_range *r);

/* In pixels; a value beyond the ends, or that is not finite, is put at an end. */
double axis_at(const struct axis *a, double value);
bool axis_has(const struct axis *a, double value); /* whether it can be drawn */

/* "1.5k", "30 %", "200 ms"; all labels of an axis have the same digits after the point. */
void axis_add_label(const struct axis *a, double value, struct text *out);

/* A number alone: 1234567 as 1.23M. */
void axis_add_short(struct text *out, double value, enum axis_unit unit);

/* Ticks, labels, a title; and a grid line at each tick, up to the far end of the plot. */
void axis_draw_below(const struct axis *x, struct svg *s, struct svg_box plot, const char *title);
void axis_draw_left(const struct axis *y, struct svg *s, struct svg_box plot, const char *title);

#endif
