/*
 * landscape_options.h - the section `landscape` of a study: a landscape of all its runs is drawn
 * when they have ended.
 */
#ifndef STUDY_LANDSCAPE_OPTIONS_H
#define STUDY_LANDSCAPE_OPTIONS_H

#include <stdbool.h>

#include "conf/field.h"

enum { LANDSCAPE_GRID_DEFAULT = 25, LANDSCAPE_GRID_MAX = 1000 };

/* As the flags of `muster landscape`. */
struct landscape_options {
    bool is_wanted; /* there is such a section */
    int64_t grid, samples, seed;
    int directions; /* enum landscape_directions */
    bool sharpness;
};

extern const struct field landscape_fields[];

/* Of a study's tree, with what `quick` says about it. */
enum status landscape_options_read(struct landscape_options *o, const struct node *root,
                                   bool is_quick);

/* Whether the runs of a study that are not left out can have a landscape: with snapshots, of one
 * network and data set. `section` is where a failure is reported. */
struct study;
enum status landscape_options_check(const struct study *s, const struct node *section);

#endif
