/*
 * resume_decision.h - whether a run of a study is started, resumed, restarted or skipped, from its
 * settings and what its folder holds.
 */
#ifndef STUDY_RESUME_DECISION_H
#define STUDY_RESUME_DECISION_H

#include "study/study.h"

/* What is done with a run; the letters go from the first process to the others. */
enum resume_decision {
    RESUME_BEGIN = 'b',
    RESUME_CONTINUE = 'g', /* from its checkpoint, or from the beginning where there is none */
    RESUME_RESTART = 'a',  /* it is to be longer, but cannot continue from its end */
    RESUME_SKIP = 's',     /* it is finished */
    RESUME_DIVERGED = 'd', /* it diverged, and would again */
    RESUME_KEEP = 'l',     /* it was not asked for, and what its folder has counts */
    RESUME_OMIT = 'o',     /* it was not asked for, and does not count */
    RESUME_PART = 'p',     /* it is not trained, but read from a longer run (epoch_cases.h) */
};

/*
 * Compares the run's settings with those of the run in the folder. A run is finished when its
 * result.json says so and nothing that matters is different. More epochs resume it, or restart it
 * from scratch where what is computed depends on their number. A run that was run with other
 * settings, or longer, is an error that names them: nothing is overwritten.
 */
enum status resume_decision_make(const struct study_run *c, const char *folder,
                                 enum resume_decision *decision);

/* Whether a run with the settings `mine` is the run with the settings `its`, or a longer one. */
bool resume_decision_may_continue(const struct node *mine, const struct node *its);

/* Whether a folder holds a run that has started to compute. */
bool resume_decision_has_begun(const char *folder);

#endif
