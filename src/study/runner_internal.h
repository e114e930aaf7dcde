/*
 * runner_internal.h - what the parts of the runner share: the folder of the study
 * (runner_folder.c), its runs one after the other (runner.c), and as child processes
 * (runner_jobs.c).
 */
#ifndef STUDY_RUNNER_INTERNAL_H
#define STUDY_RUNNER_INTERNAL_H

#include "base/lock.h"
#include "study/match_folders.h"
#include "study/runner.h"

struct runner {
    const struct study *study;
    const struct runner_request *request;
    struct runner_outcome *outcome;
    struct lock lock;             /* on the folder; of the process that decides, as is the next */
    struct match_folders matches; /* the folders of earlier calls */
    const char *decisions;        /* [study->count], enum resume_decision */
    enum status first_failure;
    int64_t wanted, number; /* runs that were asked for, and the number of the current one */
    int64_t before, all;    /* runs that count before these: of tuning; and all together */
    bool reports;           /* of several processes, the one that prints and writes the table */
};

/* Of a run that is read from a longer one: the folder of that one. mem_free. */
char *runner_folder_of(const struct runner *w, int64_t run);

/* Into the outcome, from the run's folder. */
enum status runner_read_result(const struct runner *w, int64_t run);

/* Opens the folder, so that a call that ends early can be resumed; its text is the folder. */
enum status runner_open(void *runner, struct text *folder);

/* Opens the folder, unless that is done, and decides about every run: one letter for each, and then
 * the folder. */
enum status runner_decide(void *runner, struct text *decision);

/* Whether a run was asked for, and whether this call runs it. */
bool runner_is_wanted(const struct runner *w, int64_t run);
bool runner_is_due(const struct runner *w, int64_t run);
int64_t runner_count_due(const struct runner *w);

/* Before a run: says which one, and removes what is known of its end. */
enum status runner_begin_run(struct runner *w, int64_t run);

/* After it, with the status of its training: reads its result, or reports why there is none. The
 * status is that of the study: a run that failed does not end it. */
enum status runner_end_run(struct runner *w, int64_t run, enum status s);

enum status runner_fail_interrupted(const struct runner *w);

/* All runs that are due, as child processes. */
enum status runner_run_jobs(struct runner *w);

/* What output.results asks for: the file of a run that has ended, and its removal before. */
enum status runner_write_series(const struct runner *w, int64_t run);
enum status runner_remove_series(const struct runner *w, int64_t run);

/* The same for output.models; a file that is there stays. */
enum status runner_write_models(const struct runner *w, int64_t run);
enum status runner_remove_models(const struct runner *w, int64_t run);

/* A file for torch.load about a run, in the folder of the study: <run>_<what>.pt, or numbered;
 * mem_free */
char *runner_pt_path(const struct runner *w, int64_t run, const char *what);

/* results.json and results.csv, of what is known by now. */
enum status runner_write_results(const struct runner *w);

#endif
