/*
 * run_summary.h - the runs of a folder, a few words about each: for a list of them.
 *
 * It only reads, and what is damaged keeps nothing else from being listed. Files that grow with
 * the length of a run are not read.
 */
#ifndef RECORD_RUN_SUMMARY_H
#define RECORD_RUN_SUMMARY_H

#include "record/record.h"

/* A run, or an experiment: then what its runs have in common. Texts are owned; NULL: not known. */
struct run_summary {
    char *name; /* of its folder in the one that was listed */
    bool is_study, is_damaged;
    enum record_state state;
    int64_t runs, states[RECORD_STATES]; /* of an experiment: how many, and how many of each */
    char *algorithm, *model, *data;      /* "varies": not the same in all runs */
    int64_t workers;                     /* 0: not known; -1: varies */
    int64_t round, rounds_total;         /* -1: not known */
    double epochs, epochs_total;         /* NaN: not known, or not how its length is given */
    double accuracy, accuracy_most;      /* test accuracy, of nodes their mean; least and most */
    double test_loss;
    char *begun, *as_of; /* ISO 8601: the first start, and the end or the last sign of life */
    char *message;       /* what is damaged; lines */
};

struct run_summaries {
    struct run_summary *items; /* the newest last */
    int64_t count;
};

/* The runs and experiments in a folder; of one experiment its runs, of one run itself. */
enum status run_summaries_read(const char *folder, struct run_summaries *l);
void run_summaries_release(struct run_summaries *l);

#endif
