/*
 * match_folders.h - which folder of a study holds which of its runs.
 *
 * A file that grows - another seed, another value, baselines - gives its runs other names. A run
 * of an earlier call is recognised by its settings, not by its folder's name: it is matched with
 * the run of today and its folder renamed. Folders that match no run are left as they are.
 */
#ifndef STUDY_MATCH_FOLDERS_H
#define STUDY_MATCH_FOLDERS_H

#include "study/fingerprint.h"

/* A run of an earlier call, in a folder. */
struct found_run {
    char *name; /* of the folder */
    struct fingerprint fingerprint;
    bool is_finished;
    int64_t run; /* the run of the study that it is; -1: none */
};

struct match_folders {
    struct found_run *found;
    int64_t count;
    int64_t *found_of; /* [study->count]; -1: the run has no folder */
};

/*
 * Matches all runs in the folder. A run gets the one with its own name and settings, else one with
 * its settings; else the one with its name, if it may continue it (if not, and the run was asked
 * for, that is an error of resume_decision_make); else one that differs only in what decides
 * nothing and does not vary in this study. On failure nothing is left behind.
 */
enum status match_folders_find(struct match_folders *a, const struct study *s, const char *folder);

/* The name of the run's folder of an earlier call; NULL: there is none. */
const char *match_folders_name(const struct match_folders *a, int64_t run);

/* Gives the folders the names of their runs. After a kill the next call completes it. */
enum status match_folders_rename(const struct match_folders *a, const struct study *s,
                                 const char *folder);

/* Warns about folders that match no run. */
void match_folders_warn(const struct match_folders *a, const char *folder);
void match_folders_release(struct match_folders *a);

#endif
