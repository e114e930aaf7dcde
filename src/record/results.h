/*
 * results.h - results.json and results.csv of a study: its cases with means, deviations and
 * intervals over their seeds, and all of its runs.
 *
 * Here: the numbers that are compared, the files and their reader. Not here: how the numbers are
 * computed (study/comparison.c); the result of one run (result.h).
 */
#ifndef RECORD_RESULTS_H
#define RECORD_RESULTS_H

#include "record/metrics_history.h"
#include "record/rundir.h"

enum { RESULTS_VERSION = 1 };

/* The numbers that are compared, in the order of the table. */
enum result_number {
    RESULT_ACCURACY,          /* of the run model; of nodes that differ the mean over them, */
    RESULT_NODE_ACCURACY_MIN, /* and the least and most */
    RESULT_NODE_ACCURACY_MAX,
    RESULT_MEAN_MODEL_ACCURACY,  /* of nodes that differ: that of the mean of their models */
    RESULT_FINAL_TRAIN_ACCURACY, /* of the final model on the training set, as RESULT_ACCURACY */
    RESULT_ACCURACY_GAP,         /* that - RESULT_ACCURACY */
    RESULT_LOSS,
    RESULT_MEAN_MODEL_LOSS,
    RESULT_FINAL_TRAIN_LOSS,
    RESULT_AT_ACCURACY, /* of the last evaluation at or before milestones.at */
    RESULT_AT_LOSS,
    RESULT_AT_USED,       /* in that unit, by then */
    RESULT_TARGET_ROUNDS, /* used by the first evaluation that reached the target */
    RESULT_TARGET_SAMPLES,
    RESULT_TARGET_SECONDS,
    RESULT_TARGET_BYTES,
    RESULT_TEST_ACCURACY, /* of the run model, which is the mean where nodes differ */
    RESULT_NODE_ACCURACY, /* mean over the nodes, where these differ */
    RESULT_TEST_LOSS,
    RESULT_NODE_LOSS,
    RESULT_OPTIMUM_DISTANCE, /* of problems with a known optimum */
    RESULT_VALIDATION_ACCURACY,
    RESULT_VALIDATION_LOSS,
    RESULT_TRAIN_LOSS,
    RESULT_STALENESS, /* of gradients that an asynchronous server applied: mean, most */
    RESULT_STALENESS_MAX,
    RESULT_CONSENSUS, /* distance from the mean, both of length 1, mean over nodes */
    RESULT_SECONDS,
    RESULT_SAMPLES_PER_S,
    RESULT_ROUNDS,
    RESULT_EPOCHS,
    RESULT_BYTES,
    RESULT_BATCHES, /* of a worker in an epoch */
    RESULT_NUMBERS,
};

/* How a number is called: in result.json and the CSV, and over its column; milestones say over
 * theirs what they are. */
struct result_number_name {
    const char *key, *heading; /* heading NULL: not in the table for people */
    double scale;              /* what is shown is this times the value */
    int digits;                /* after the point; below 0: so many significant ones */
};
extern const struct result_number_name result_numbers[RESULT_NUMBERS];

/* Over the seeds (and folds) that finished. The deviation is the standard deviation of a sample (n
 * - 1). */
struct mean_deviation {
    double mean;       /* NaN: no seed has such a number */
    double deviation;  /* NaN: fewer than two seeds have it */
    double half_width; /* of the 95 % t interval of the mean; NaN like the deviation */
    int64_t count;     /* how many seeds have it */
};

/* What varies in a study: keys and values, without fold and seed. */
struct results_value {
    const char *key, *text;
};
struct results_values {
    struct results_value *items;
    int64_t count;
};

/* The stages of a search by successive halving. */
enum { RESULTS_STAGES_MAX = 16 };
struct results_stages {
    int64_t count; /* 0: it is none */
    int64_t epochs[RESULTS_STAGES_MAX];
};

struct results_case {
    const char *run; /* its entry in the file of the study; NULL: there are none */
    struct results_values values;
    int64_t seeds, failed, not_run, diverged; /* how many of its runs finished, failed, ... */
    int64_t stage; /* the last one that it takes part in, from 1; 0: none */
    struct mean_deviation numbers[RESULT_NUMBERS];
    const char *reason; /* why the first run that failed did; NULL: not known; not in the files */

    /* What was chosen by validation before its runs (study/tune.h); no values: nothing. Written
     * only. */
    struct results_values tuned;
    double tuned_loss;
    struct rundir_names tuning_runs; /* from the folder of the study */
};

struct results_run {
    const char *name; /* of its folder */
    const char *run;  /* as of its case */
    struct results_values values;
    const char *fold;    /* NULL: the fold does not vary */
    const char *seed;    /* NULL: the seed does not vary */
    const char *status;  /* "finished", "failed", "not run" */
    const char *reason;  /* of a failed one: why; NULL: not known */
    const char *run_dir; /* NULL: it left no files */

    /* A run that was not trained, but is the beginning of a longer one, whose run_dir it has. */
    const char *part_of; /* the name of that run; NULL: it was trained */
    int64_t as_of_round; /* where it ends there; 0: not known yet */
    double numbers[RESULT_NUMBERS];
};

/* A published number about a case, next to the measured one. */
struct results_claim {
    const char *run;    /* the entry, and the values that vary */
    const char *number; /* "accuracy", "loss", "seconds", "rounds_to_97", "diverges" */
    double low, high;   /* NaN: it is no number */
    double measured;    /* the mean over seeds; NaN: nothing to compare */
    const char *verdict;
};

/* The best case of a search. */
struct results_best {
    bool is_wanted;                /* it is a search, and has ended */
    const struct results_case *of; /* NULL: none is any good */
    const char *command;           /* that trains with its settings; NULL: there is none */
};

/* Zeroed it is empty. Texts are borrowed, or in `texts`; the lists are owned. */
struct results {
    const char *name, *folder; /* folder NULL: the study left no files */
    struct milestones milestones;
    struct results_stages stages;
    struct results_best best;
    bool is_by_validation; /* a search, also one without folds */
    struct results_case *cases;
    struct results_run *runs;
    struct results_claim *claims;
    int64_t case_count, run_count, claim_count;
    struct rundir_names texts;
};
void results_release(struct results *r);

/* Whether a search stopped the case before its last stage. */
bool results_is_stopped(const struct results *r, const struct results_case *c);

/* Whether cases are compared by the validation loss: of a search, and where runs have folds. */
bool results_use_validation(const struct results *r);

/* What the runs of a case differ in: "seeds", "folds", "runs" (in both); NULL: in nothing. */
const char *results_repetitions(const struct results *r);

/* Whether these results have the number: milestones only if they were asked for. */
bool results_have(const struct results *r, int number);

/* A copy that lives as long as the results; NULL for NULL. */
const char *results_keep(struct results *r, const char *text);

/* What varies among the cases: their keys in the order in which they come up; mem_free the names.
 */
struct results_keys {
    const char **names; /* borrowed */
    int64_t count;
};
struct results_keys results_find_keys(const struct results *r);
const char *results_find_value(const struct results_values *v, const char *key); /* or NULL */

/* Whether a run is one of a case: the same entry and the same values. */
bool results_belongs(const struct results_run *run, const struct results_case *c);

void results_add_json(const struct results *r, struct text *out);
void results_add_csv(const struct results *r, struct text *out);

/* results.json of a study's folder, also as earlier versions wrote it. A missing file is an error,
 * too. After an error it is empty. */
enum status results_read(const char *folder, struct results *r);

#endif
