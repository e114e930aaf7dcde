/*
 * drawn_cases.h - the cases of a random search whose settings have ranges (range.h).
 */
#ifndef STUDY_DRAWN_CASES_H
#define STUDY_DRAWN_CASES_H

#include "study/entries.h"
#include "study/sweep.h"

/* The first range of the entries; NULL: there is none. An error: one among other values of a list,
 * or one without values. */
struct range_place {
    const struct node *value; /* borrowed */
    char *path;               /* of its option; mem_free */
};
enum status drawn_cases_find_range(const struct study_entries *entries, struct range_place *found);

/*
 * Draws `count` different cases, or as many as there are: of each range a value, of each list one
 * of its items. ends[i] gets the number of points up to the end of entry i. A function of the
 * entries and their seed: a larger count adds to a smaller one.
 */
enum status drawn_cases_make(const struct study_entries *entries, int64_t count,
                             struct sweep_points *all, int64_t *ends);

#endif
