/*
 * runner.h - executes the runs of a study, one after the other or several at a time.
 */
#ifndef STUDY_RUNNER_H
#define STUDY_RUNNER_H

#include "study/compared_run.h"
#include "study/study.h"

struct runner_request {
    const char *out; /* folder of the study, new or of an earlier call; NULL: a new one in runs/ */
    const char *given; /* the text of the file, for experiment.yaml; NULL: leave what is there */
    bool save;         /* false: no models, no checkpoints */
    int jobs;          /* runs at a time; above 1 each is a process of its own */
    int argc;          /* the command line, for environment.json */
    char *const *argv;
    const char *part_of; /* the folder of the study that these runs tune (tune.h); else NULL, */
    int64_t others;      /* and the runs of that one, which are counted with these */
};

/* Whether a study has started in the folder. */
bool runner_is_study_folder(const char *folder);

struct runner_outcome {
    bool has_begun;               /* false: it failed before the first run */
    char *folder;                 /* NULL: it has none, or none stays (output.write) */
    struct compared_run *results; /* [study->count]; only in the process that prints */
    int64_t skipped;              /* runs that had finished before */
    int64_t failed;
};

/*
 * Makes or finds the folder, first tunes what is to be tuned (tune.h), skips finished runs, resumes
 * those that have a checkpoint, starts the others. Every run has its own folder in it, with all
 * files of a run; results.json and results.csv are rewritten after each run. A run that fails is
 * reported at once and the others continue: then the first failure's status is returned. An
 * interruption ends all.
 *
 * With jobs above 1 a run that crashes or is killed is one that failed, and each has its share of
 * the cores. The results are those of runs one after the other, but for times.
 *
 * Under a launcher all processes call this with the same study, and jobs is 1. The outcome is
 * filled as far as it came, also when it fails; release it in any case.
 */
enum status runner_run(struct study *s, const struct runner_request *q,
                       struct runner_outcome *outcome);
void runner_outcome_release(struct runner_outcome *o);

#endif
