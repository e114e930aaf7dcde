/*
 * result.h - what one cell came to, as result.json in its folder tells it.
 *
 * result.json holds what `muster train --json` prints of the run. The table of a study is made from
 * these files alone, so that cells of earlier calls count like those of this one.
 */
#ifndef STUDY_RESULT_H
#define STUDY_RESULT_H

#include <stdbool.h>

#include "base/status.h"

/* The numbers that are compared, in the order of the table. */
enum study_number {
    STUDY_TEST_ACCURACY,
    STUDY_NODE_ACCURACY, /* over the nodes of a graph: mean, least, most */
    STUDY_NODE_ACCURACY_MIN,
    STUDY_NODE_ACCURACY_MAX,
    STUDY_TEST_LOSS,
    STUDY_VALIDATION_ACCURACY,
    STUDY_VALIDATION_LOSS,
    STUDY_TRAIN_LOSS,
    STUDY_CONSENSUS, /* distance from the mean, both of length 1, mean over nodes */
    STUDY_SECONDS,
    STUDY_SAMPLES_PER_S,
    STUDY_ROUNDS,
    STUDY_EPOCHS,
    STUDY_BYTES,
    STUDY_BATCHES, /* of a worker in an epoch */
    STUDY_NUMBERS,
};

/* How a number is called: in result.json and the CSV, and over its column. */
struct study_number_name {
    const char *key, *heading; /* heading NULL: not in the table for people */
    double scale;              /* what is shown is this times the value */
    int digits;                /* behind the point */
};
extern const struct study_number_name study_numbers[STUDY_NUMBERS];

enum study_state { STUDY_NOT_RUN, STUDY_FINISHED, STUDY_FAILED, STUDY_STATES };
extern const char *const study_state_names[STUDY_STATES];

struct study_result {
    enum study_state state;
    bool diverged;                 /* a failed one: its loss, or a weight, was not finite */
    double numbers[STUDY_NUMBERS]; /* NaN: nothing to say */
    double chance;                 /* test accuracy of the best constant guess; NaN: not known */
    double test_samples;           /* NaN: not known */
};

void study_result_clear(struct study_result *r);

/* Writes another name and folder into the result.json of this folder, if there is one. */
enum status study_result_rename(const char *folder, const char *name, const char *run_dir);

/*
 * Whether training came to nothing: a number was not finite, or the run ended with an accuracy that
 * a constant guess has, too, within three standard deviations of its count of hits. (Over a graph
 * it is the mean of the nodes'.)
 */
bool study_result_diverges(const struct study_result *r);

/* From the cell's folder; a folder without result.json is a cell that has not run. */
enum status study_result_read(const char *folder, struct study_result *r);

#endif
