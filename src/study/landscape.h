/*
 * landscape.h - the loss around the paths of runs: a plane, the losses on a grid in it and along
 * the paths.
 */
#ifndef STUDY_LANDSCAPE_H
#define STUDY_LANDSCAPE_H

#include "record/landscape.h"
#include "record/rundir.h"

/* In the order of landscape_direction_names. */
enum landscape_directions { DIRECTIONS_PCA, DIRECTIONS_RANDOM, DIRECTIONS_FILTER };
extern const char *const landscape_direction_names[]; /* ends with NULL */

struct landscape_request {
    const struct rundir_list *runs; /* each with snapshots, all of the same network and data */
    char *const *names;      /* [runs->count], what they are shown as; NULL: by their folders */
    const char *subject;     /* for the title: the name of their study; NULL: the runs */
    const struct node *over; /* settings that replace those of the first run: data.dir */
    const char *folder;      /* where the files are written, and reused from */
    enum landscape_directions directions;
    int64_t grid;        /* points along a side, at least 2 */
    int64_t samples;     /* of the test set, rounded up to whole blocks; 0: all */
    uint64_t seed;       /* of random directions */
    bool measures_again; /* does not reuse losses */
};

/* What runs are shown as: by the names of their folders, or by their paths where two are the same.
 * [runs->count]; mem_free each and all. */
char **landscape_run_names(const struct rundir_list *runs);

/* Runs on different data sets are an error: no loss is that of both. */
enum status landscape_check_data(const struct rundir_list *runs);

/* Measures or reuses, and writes the files. *reused: nothing had to be measured. */
enum status landscape_make(const struct landscape_request *q, struct landscape *l, bool *reused);

#endif
