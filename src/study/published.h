/*
 * published.h - published results of a study, compared with what was measured here.
 *
 * An experiment file may hold, as data and not as settings,
 *
 *     published:
 *       - {at: {run: sync, transport.workers: 2}, accuracy: [87.5, 88.2], seconds: 149}
 *
 * A claim is about every row of the table that agrees with `at`: the entry's name, and values of
 * the settings by their path, including defaults. It holds numbers, each one value or [low, high]:
 * accuracy in percent (over a graph the mean of the nodes), loss, seconds, rounds_to_97, or
 * `diverges: true` (compared_run_diverges).
 */
#ifndef STUDY_PUBLISHED_H
#define STUDY_PUBLISHED_H

#include "study/comparison.h"

enum claim_kind {
    CLAIM_ACCURACY,
    CLAIM_LOSS,
    CLAIM_SECONDS,
    CLAIM_ROUNDS_TO_97,
    CLAIM_DIVERGES,
    CLAIM_KINDS,
};

/*
 * Reached is as good as published, or worse by no more than the tolerance of the kind; better is
 * beyond it by more than that. A row of which a run failed has no number to compare, and one of
 * which nothing has finished has none yet. `diverges` is reached where any run of the row does, and
 * better where none does.
 */
enum verdict {
    VERDICT_NONE, /* the run has no such number */
    VERDICT_WORSE,
    VERDICT_REACHED,
    VERDICT_BETTER,
    VERDICT_FAILED,
    VERDICT_NOT_RUN,
    VERDICTS,
};
extern const char *const verdict_names[VERDICTS];

struct claim {
    const struct node *at; /* borrowed; NULL: every row */
    enum claim_kind kind;
    double low, high;
};

struct published {
    struct claim *claims;
    int64_t count;
};

const char *published_claim_name(const struct claim *c); /* "accuracy" */

/* Reads root's `published`, if there is one; borrows from root. */
enum status published_read(struct published *p, const struct node *root);
void published_release(struct published *p);

/* One claim about one row, judged. */
struct judgement {
    const struct claim *claim;        /* borrowed */
    const struct comparison_row *row; /* borrowed */
    double measured;                  /* the mean over seeds; NaN: nothing to compare */
    enum verdict verdict;
};

struct judgements {
    struct judgement *items;
    int64_t count;
    int64_t by_verdict[VERDICTS];
    int64_t idle; /* claims that are about no row */
};

/* `folder` is the study's, in whose runs rounds_to_97 is looked up; NULL: it left no files. */
void published_judge(const struct published *p, const struct comparison *t, const char *folder,
                     struct judgements *j);
void published_judgements_release(struct judgements *j);

/* For people, and as the claims of the study's results. */
void published_judgements_text(const struct judgements *j, struct text *out);
void published_judgements_results(const struct judgements *j, struct results *r);

#endif
