/*
 * adopt.h - which folder of an experiment holds which of its cells.
 *
 * A file that grows - another seed, another value, baselines - gives its cells other names. A run
 * of an earlier call is known by its settings, not by its folder's name: it is taken over and its
 * folder renamed. Runs that are no cell's are left as they are.
 */
#ifndef STUDY_ADOPT_H
#define STUDY_ADOPT_H

#include "study/state.h"

/* A run that a folder holds. */
struct study_past {
    char *name; /* of the folder */
    struct study_print print;
    bool is_finished;
    int64_t cell; /* whose it is; -1: nobody's */
};

struct adoption {
    struct study_past *past;
    int64_t count;
    int64_t *past_of; /* [study->count]; -1: the cell has none */
};

/*
 * Looks at all runs in the folder. A cell takes the one with its own name and settings, else one
 * with its settings; else the one with its name, if it may go on with it, which is an error of
 * study_state if not, and the cell was asked for; else one that differs in what decides
 * nothing and does not vary in this study. On failure nothing is left behind.
 */
enum status adoption_find(struct adoption *a, const struct study *s, const char *folder);

/* The name of the folder with the cell's run; NULL: it has none. */
const char *adoption_name(const struct adoption *a, int64_t cell);

/* Gives the folders the names of their cells. Killed on the way, the next call goes on with it. */
enum status adoption_move(const struct adoption *a, const struct study *s, const char *folder);

/* Tells which runs are nobody's. */
void adoption_tell(const struct adoption *a, const char *folder);
void adoption_release(struct adoption *a);

#endif
