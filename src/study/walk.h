/*
 * walk.h - running the cells of a study, one after the other.
 */
#ifndef STUDY_WALK_H
#define STUDY_WALK_H

#include "study/result.h"
#include "study/study.h"

struct study_request {
    const char *out; /* folder of the study, new or of an earlier call; NULL: a new one in runs/ */
    const char *given; /* the text of the file, for experiment.yaml; NULL: leave what is there */
    bool save;         /* false: no models, no checkpoints */
    int argc;          /* the command line, for environment.json */
    char *const *argv;
};

/* Whether a study has been begun in the folder. */
bool study_is_folder(const char *folder);

struct study_outcome {
    bool has_begun;               /* false: it never got so far as to run something */
    char *folder;                 /* NULL: it has none, or none stays (output.write) */
    struct study_result *results; /* [study->count]; only in the process that tells */
    int64_t skipped;              /* cells that had finished before */
    int64_t failed;
};

/*
 * Makes or finds the folder, skips what is finished, goes on with what has a checkpoint, begins the
 * others. Every cell has a folder of its own in it, with all files of a run; results.json and
 * results.csv are written anew after each. A cell that fails is told at once and the others go on:
 * then the answer is the first failure's status. An interruption ends all.
 *
 * Under a launcher all processes call this with the same study. The outcome is filled as far as it
 * came, also when it fails; release it in any case.
 */
enum status study_run(const struct study *s, const struct study_request *q,
                      struct study_outcome *outcome);
void study_outcome_release(struct study_outcome *o);

#endif
