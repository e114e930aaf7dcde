/*
 * scale_axes.h - the lists of `muster scale`: what is varied, and the experiment of one
 * combination.
 */
#ifndef CLI_SCALE_AXES_H
#define CLI_SCALE_AXES_H

#include "conf/flags.h"

enum scale_axis_name { SCALE_MODEL, SCALE_PARTITION, SCALE_ALGORITHM, SCALE_WORKERS, SCALE_AXES };

struct scale_axis {
    char **values;
    int64_t count;
};

struct scale_axes {
    struct scale_axis axes[SCALE_AXES];
};

/* Reads the lists from what the flags set, and checks every name and number of them. */
enum status scale_axes_read(struct scale_axes *a, const struct flags *f, const struct node *root);
void scale_axes_release(struct scale_axes *a);

/* How many combinations there are, and the position on each axis of one; workers change fastest. */
int64_t scale_axes_count(const struct scale_axes *a);
void scale_axes_at(const struct scale_axes *a, int64_t index, int64_t at[SCALE_AXES]);

/* What stands at a position of an axis. */
const char *scale_axes_value(const struct scale_axes *a, enum scale_axis_name axis, int64_t at);

/* The experiment of one combination; options of others that are listed are left out. */
struct node *scale_axes_experiment(const struct scale_axes *a, const struct flags *f,
                                   const struct node *root, const int64_t at[SCALE_AXES]);

#endif
