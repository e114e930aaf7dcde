/*
 * sweep.h - settings with lists to every combination of their values.
 */
#ifndef STUDY_SWEEP_H
#define STUDY_SWEEP_H

#include "study/study.h"

/* The path of the setting that, like the seed, repeats a case. */
#define SWEEP_FOLD "data.fold"

/* The section whose lists are no sweeps: values to choose from (tune.h). */
#define SWEEP_TUNE "tune"

/* One combination, with its fold and seed: settings without lists, and the values that vary. */
struct sweep_point {
    struct node *root;
    struct study_values values; /* in the order of the lists; fold and seed are the last */
};

struct sweep_points {
    struct sweep_point *items;
    int64_t count;
};

/* Every combination of the lists, the last list fastest, folds and then seeds innermost. Adds to
 * `c`. */
enum status sweep_expand(struct sweep_points *c, const struct node *root);
void sweep_points_release(struct sweep_points *c);

/* Whether there is a list to expand. A number of folds without a fold is one of all of them. */
bool sweep_has_lists(const struct node *root);

/* Whether some choice of the section has a list of numbers as the value of this option: a list of
 * lists is a sweep then. */
bool sweep_is_list_option(const char *section, const char *option);

/* Whether two values of a list mean the same: also 0.1 and 0.10, ps-sync and ps_sync. */
bool sweep_same_value(const char *a, const char *b);

void sweep_values_release(struct study_values *v);
void sweep_values_add_copy(struct study_values *v, const struct study_value *value);

/* Removes the values whose path is gone from the settings. */
void sweep_values_drop_missing(struct study_values *v, const struct node *root);

#endif
