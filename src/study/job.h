/*
 * job.h - one run of a study as a child process: this program, as `muster run-one`, in the folder
 * of the run. What it says on stderr is repeated with the run's name; its last error is why it
 * failed.
 */
#ifndef STUDY_JOB_H
#define STUDY_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/child_process.h"
#include "study/eta.h"

struct job_setup {
    int64_t run;      /* its number in the study */
    const char *name; /* borrowed until the job has ended */
    char *folder;     /* with its experiment.yaml; owned from now on */
    bool save, is_temporary;
    int part, parts; /* its share of the cores, as of child_setup */
};

struct job {
    int64_t run;
    const char *name;
    char *folder; /* NULL: there is no job */
    struct child_process process;
    int64_t pid;
    struct text heard;   /* the beginning of a line */
    struct text failure; /* its last error */
    bool is_in_failure;  /* lines that follow belong to it */
    double started_at;
    double begun, now; /* shares of its rounds: where it started, and by now */
    bool has_begun;    /* they are known */
};

/* After a failure there is no job. */
enum status job_start(struct job *j, const struct job_setup *s);

/* Repeats what it has said since. */
void job_listen(struct job *j);

/*
 * Whether it has ended; *s is then the status of its run, with its message. A child that died has
 * its record completed. `is_stopping`: it was asked to end.
 */
bool job_has_ended(struct job *j, bool is_stopping, enum status *s);

/* How far it is, from its live.json. */
struct eta_run job_progress(struct job *j);

void job_release(struct job *j); /* may be called twice */

#endif
