/*
 * study.h - a study: many runs, from one file to the table that compares them.
 *
 *     study_read     the file, to a tree in the canonical schema (train/run_config.h), with
 *                    lists, `runs`, `baselines`, `quick`, `output` and `landscape` in addition
 *     study_new      every case, fold and seed as a run with its own settings
 *     study_check    all runs, before anything is computed
 *     runner_run     the runs one after the other, each in its folder; finished ones are skipped
 *     comparison     a row per case, means over its folds and seeds (study/comparison.h)
 *
 * A list is a sweep over its values, unless the key's value is a list by nature (model.layers,
 * model.widths). Runs are in the order of the file, the last key fastest, then folds, seeds
 * innermost. Runs with the same seed share initial weights, data subsets and graph, because random
 * numbers are functions of the seed and a purpose.
 */
#ifndef STUDY_STUDY_H
#define STUDY_STUDY_H

#include "conf/node.h"
#include "record/metrics_history.h"
#include "record/results.h"
#include "study/landscape_options.h"
#include "study/output.h"

/*
 * Reads an experiment file to the canonical tree. `given` gets the file's text as it stands, for
 * the copy in the output folder; text_release. A file in another layout is translated here, its
 * positions kept, so that callers know one layout only.
 */
enum status study_read(const char *path, struct text *given, struct node **root);

/* One value of what varies. */
struct study_value {
    char *path; /* "optimizer.momentum" */
    char *key;  /* as it is shown: "momentum"; "model" for model.name */
    char *text; /* "0.9" */
};

struct study_values {
    struct study_value *items;
    int64_t count;
};

/* One run. */
struct study_run {
    char *entry;                /* its name in `runs` or `baselines`; NULL: there are none */
    struct study_values values; /* what varies, in the order of the file, but for fold and seed */
    char *fold;                 /* NULL: the fold does not vary */
    char *seed;                 /* NULL: the seed does not vary */
    char *full_name;     /* <entry>[_key=value...][_fold=K][_seed=N]; NULL: the study is single */
    char *name;          /* the same as a folder may be called: see names.h */
    int64_t case_number; /* of its case; the runs of a case follow each other */
    int64_t stage;       /* of a search in stages: its last one, from 1; 0: there are none */
    struct node *root;   /* its settings */
    struct node *given;  /* the same before a search made it evaluate more often; or NULL */
    bool is_left_out;    /* names_select did not keep it: neither run nor shown */

    /* A run that is not trained, but read from a longer one (epoch_cases.h). */
    const struct study_run *whole; /* of the same study; NULL: it is trained */
    int64_t evaluation;            /* which evaluation of that run is this one's last, from 1 */

    /* What is chosen by validation before it starts (tune.h). */
    struct node *tune;             /* the section; NULL: nothing */
    const struct study_run *tuned; /* of the tuning study: one with the chosen values; else NULL */
    double tuned_loss;             /* the mean validation loss of that one's case */
};

struct study {
    char *name;
    struct study_output output;
    struct landscape_options landscape;
    bool is_single; /* a file without lists, runs and output: one run as of `muster train` */
    int64_t count, case_count;
    struct study_run *runs;
    bool is_by_validation;        /* a search: the validation loss decides which case is best */
    struct milestones milestones; /* what its table says about the course of its runs */
    struct results_stages stages; /* of a search by successive halving (halving.h) */
    struct study *tuning; /* the runs that choose settings for others (tune.h); NULL: none */
    struct node *root;    /* what is run, in full, without `quick`: makes the same runs again */
};

struct study_options {
    const char *name;        /* of a study that has none */
    const struct node *over; /* laid over everything: what flags set; NULL: nothing */
    bool quick;              /* lay `quick` over everything */
    bool is_many;            /* also one run alone is a study with a table */
    int64_t random;          /* only so many cases, chosen at random; 0: all */
};

enum { STUDY_RUNS_MAX = 10000 };

/* On failure nothing is left behind. Copies what it needs. */
enum status study_new(const struct node *root, const struct study_options *options,
                      struct study **study);
void study_free(struct study *s); /* NULL is fine */

/*
 * Reads and checks every run that is not left out: whatever a run would refuse before it begins to
 * train. A run that has a result in the folder `out` may lack its data.
 */
struct study_check {
    const char *out;    /* the study's folder, new or of an earlier call; NULL: a new one */
    bool may_lack_data; /* the data need not be there: the study is only shown */
};
enum status study_check(const struct study *s, const struct study_check *how);

#endif
