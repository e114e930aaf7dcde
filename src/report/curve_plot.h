/*
 * curve_plot.h - lines with bands over linear or logarithmic axes, with a legend.
 *
 *     curve_plot(&(struct curve_set){.name = "loss", .title = "Test loss", .curves = curves, ...},
 * &f);
 */
#ifndef REPORT_CURVE_PLOT_H
#define REPORT_CURVE_PLOT_H

#include "report/axis.h"
#include "report/figure.h"
#include "report/legend.h"

/* A point that is not finite, or not above 0 on a logarithmic axis, interrupts the line. */
struct curve_point {
    double x, y;
    double low, high; /* of the band; NaN: none here */
};

enum curve_spread {
    CURVE_BAND, /* low to high as an area */
    CURVE_BARS, /* low to high as a bar at each point */
};

struct curve {
    const char *name;
    enum svg_colour colour; /* of an algorithm: svg_fill */
    const char *dash;       /* of a setting: curve_dash; NULL: a whole line */
    const struct curve_point *points;
    int64_t count; /* of more than CURVE_POINTS_MAX, those with the extremes are drawn */
    enum curve_spread spread;
    bool has_marks;           /* a dot at each point */
    bool is_hidden_in_legend; /* such as a band that belongs to another line */
};

enum { CURVE_POINTS_MAX = 500 };

struct curve_set {
    const char *name;  /* of the figure: "test_loss" */
    const char *title; /* of the figure; borrowed by it */
    const char *x_title, *y_title;
    bool is_x_log, is_y_log, is_y_from_zero;
    enum axis_unit x_unit, y_unit;
    const double *x_ticks; /* [x_tick_count], ascending; NULL: round numbers */
    int64_t x_tick_count;
    const struct curve *curves;
    int64_t count;
    double width, height; /* of the drawing, in pixels; 0: 720 x 420 */
};

/* Dashes of a setting, counted from 0, which is a whole line (NULL); they repeat. */
const char *curve_dash(int64_t setting);

/* Fills f but for its caption. False: no point can be drawn, and nothing is filled. */
bool curve_plot(const struct curve_set *set, struct figure *f);

/* The same into a box of a drawing, which the titles of the axes are in, without a legend. */
void curve_plot_into(const struct curve_set *set, struct svg *s, struct svg_box box);

/* The entries of the legend: entries[set->count]; answers how many there are. */
int64_t curve_plot_entries(const struct curve_set *set, struct legend_entry *entries);

#endif
