/*
 * subject.h - what a report is about: runs, the cases that they belong to, and their results.
 *
 * A study brings its results.json. Runs that were started one by one are grouped here: a case is
 * all that have the same settings but for the seed, and only the settings that differ are named.
 */
#ifndef REPORT_SUBJECT_H
#define REPORT_SUBJECT_H

#include "record/results.h"
#include "report/damage.h"

struct subject_case {
    char *name;      /* for legends: "sync, workers 4" */
    char *algorithm; /* of its first run; NULL: not known */
    int64_t workers; /* 0: not known */
    double speedup;  /* NaN: no case differs in the number of workers alone */
};

struct subject_run {
    char *dir;           /* NULL: it has left no files */
    int64_t case_number; /* in results.cases */
};

/* cases[results.case_count], runs[results.run_count]: beside those of the results. */
struct subject {
    char *title;
    char *folder;           /* where its report belongs */
    bool is_study;          /* with a results.json */
    bool has_chosen_target; /* its target was chosen for the report, not given */
    struct results results;
    struct subject_case *cases;
    struct subject_run *runs;
    struct damage *damage; /* what was warned about */
};

/* What of it is wanted; zeroed: all. */
struct subject_choice {
    const char *only;             /* names of runs or entries, with commas; * matches any text */
    struct milestones milestones; /* none: those of the study, or a target that half of the cases
                                     reach */
};

/* paths[count] are runs, studies, or folders of runs. */
enum status subject_open(struct subject *s, char *const *paths, int count,
                         const struct subject_choice *choice);
void subject_release(struct subject *s);

/* Whether a run counts in the mean of its case: if it finished, or none of the case has. */
bool subject_counts(const struct subject *s, int64_t run);

/* Whether cases have different values of this key. */
bool subject_varies(const struct subject *s, const char *key);

/* "optimizer.lr" is called lr, and "optimizer.name" optimizer; mem_free. */
char *subject_short_key(const char *key);

/* The case with the fewest workers that otherwise has the settings of this one. */
int64_t subject_reference(const struct subject *s, int64_t case_number);

/* --- private to subject*.c --- */

/* Results of runs that belong to no study; dirs[count]. */
enum status subject_gather(const struct rundir_list *dirs, struct damage *damage,
                           struct results *r);

/* Counts, means, milestones (m, or those of the study, or a target that half of the cases reach)
 * and speed-ups, of runs that have their cases. */
void subject_numbers(struct subject *s, const struct milestones *m);

/* Drops the runs that `only` does not name, and the cases without runs. */
enum status subject_select(struct subject *s, const char *only);

#endif
