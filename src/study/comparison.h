/*
 * comparison.h - the table of a study: a row per case, means and intervals over its seeds.
 */
#ifndef STUDY_COMPARISON_H
#define STUDY_COMPARISON_H

#include "study/compared_run.h"
#include "study/study.h"

struct comparison_row {
    const struct study_run *run; /* borrowed: the first of the case */
    int64_t seeds, failed;       /* how many finished, how many failed */
    int64_t waiting;             /* how many have not run */
    int64_t diverged;            /* how many diverged (compared_run_diverges) */
    const char *reason;          /* of the first that failed; NULL: none, or not known; borrowed */
    struct mean_deviation numbers[RESULT_NUMBERS];
};

struct comparison {
    const struct study *study;          /* borrowed */
    const struct compared_run *results; /* borrowed; [study->count] */
    struct comparison_row *rows;        /* in the order of the runs */
    int64_t count;
    bool is_whole; /* runs that are left out are in it, too */
    enum judged_by judged_by;
};

/* Of all runs, or of those that are not left out. */
void comparison_init(struct comparison *t, const struct study *s,
                     const struct compared_run *results);
void comparison_init_kept(struct comparison *t, const struct study *s,
                          const struct compared_run *results);
bool comparison_shows(const struct comparison *t, int64_t run);
void comparison_release(struct comparison *t);

/* How the runs of a study are judged: one that chooses by validation, or has folds, keeps the test
 * set out of it. */
enum judged_by comparison_judged_by(const struct study *s);

/*
 * As the files of the study have it, and `muster run` shows it; results_release, before what it
 * borrows from. `folder` NULL: it left no files; `judged` NULL: nothing was published about it.
 */
struct judgements; /* published.h */
void comparison_results(const struct comparison *t, const char *folder,
                        const struct judgements *judged, struct results *r);

/* For people. */
void comparison_text(const struct results *r, struct text *out);

#endif
