/*
 * sweep.h - an experiment with lists to all its combinations.
 */
#ifndef STUDY_SWEEP_H
#define STUDY_SWEEP_H

#include "study/study.h"

/* One combination: the experiment without lists, and which values it has. */
struct combination {
    struct node *root;
    struct study_values values; /* in the order in which the lists stand; the seed is the last */
};

struct combinations {
    struct combination *items;
    int64_t count;
};

/* Every combination of the lists, the last list fastest, seeds innermost. Adds to `c`. */
enum status sweep(struct combinations *c, const struct node *root);
void combinations_release(struct combinations *c);

/* Whether there is a list to go through. */
bool sweep_has_lists(const struct node *root);

/* Whether some choice of the section has a list of numbers as the value of this option: a list of
 * lists is a sweep then. */
bool sweep_is_list_option(const char *section, const char *option);

/* Whether two values of a list mean the same: also 0.1 and 0.10, ps-sync and ps_sync. */
bool study_same_value(const char *a, const char *b);

void study_values_release(struct study_values *v);

/* Removes the values whose path is gone from the experiment. */
void study_values_forget(struct study_values *v, const struct node *root);

#endif
