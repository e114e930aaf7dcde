/*
 * compared_run.h - what a study compares of one run, read from the run's record.
 *
 * The table of a study is made from the files of its runs alone, so that runs of earlier calls
 * count like those of this one: result.json, and for milestones metrics.jsonl.
 */
#ifndef STUDY_COMPARED_RUN_H
#define STUDY_COMPARED_RUN_H

#include <stdbool.h>

#include "base/status.h"
#include "record/results.h"

enum result_state { RESULT_NOT_RUN, RESULT_FINISHED, RESULT_FAILED, RESULT_STATES };
extern const char *const result_state_names[RESULT_STATES];

struct compared_run {
    enum result_state state;
    bool diverged;                  /* a failed one: its loss, or a weight, was not finite */
    double numbers[RESULT_NUMBERS]; /* NaN: nothing to say */
    double chance;                  /* test accuracy of the best constant guess; NaN: not known */
    double test_samples;            /* NaN: not known */
    double validation_chance, validation_samples, validation_base_loss; /* of that part; or NaN */
    int64_t workers;                                                    /* 0: not known */
    bool is_part;        /* it is read from a longer run (epoch_cases.h), */
    int64_t as_of_round; /* in which it ends here; 0: not known, or it is no part */
    char data[96];       /* checksum and size of what it was trained on; "": not known */
    char reason[192];    /* of a failed one: why, without remedies; "": not known */
};

void compared_run_clear(struct compared_run *c);

/*
 * Whether training came to nothing: a number was not finite, or the run ended with an accuracy that
 * a constant guess has, too, within three standard deviations of its count of hits. (Over a graph
 * it is the mean of the nodes'.) Where settings are chosen by validation, the validation part says
 * so, and not the test set: by its accuracy, or without classes by a loss that is not lower than
 * that of the best constant answer.
 */
enum judged_by { JUDGED_BY_TEST, JUDGED_BY_VALIDATION };
bool compared_run_diverges(const struct compared_run *c, enum judged_by by);

/* Takes over why a run failed from the message of the failure. */
void compared_run_explain(struct compared_run *c, const char *message);

/* From the run's folder; a folder without result.json is a run that has not run. */
enum status compared_run_read(const char *folder, struct compared_run *c);

/* Adds the numbers of the milestones to those of a run that has finished, from its metrics.jsonl.
 */
void compared_run_find(const char *folder, const struct milestones *m, struct compared_run *c);

#endif
