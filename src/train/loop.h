/*
 * loop.h - the loop around the rounds: schedule, records, evaluation, checkpoints, stopping,
 * progress. Everything that is the same for every algorithm is here, once.
 *
 * Every worker runs it, and the server where there is one. One of them leads: it alone writes files
 * and talks. Workers that keep step meet at evaluations, and about every second, where the leader
 * says whether to stop.
 */
#ifndef TRAIN_LOOP_H
#define TRAIN_LOOP_H

#include "train/actor.h"
#include "train/checkpoint.h"
#include "train/respond.h"

struct loop_files {
    const char *run_dir;  /* metrics.jsonl, model.safetensors, checkpoints/ */
    bool save;            /* false: no model, no checkpoints */
    bool is_temporary;    /* run_dir will be removed: no message names it */
    const char *from;     /* the checkpoint to go on from; NULL: a new run */
    void *shared;         /* loop_shared_bytes of memory that all workers see; NULL without */
    struct lodge *lodges; /* [workers], of algorithms with responders; else NULL */
};

/* What one worker did, and where its time went. */
struct worker_report {
    struct tally tally;
    struct client client; /* what the server saw of it, where there is one */
    double test_loss,
        test_accuracy; /* of its own model, before the average; NaN: the run's alone */
    double distance, normalized_distance; /* from the mean of all, over graphs; else 0 */
    double passes, epoch; /* forward passes and own epochs, as of the evaluation; over graphs */
};

/* What a run came to. Accuracies are fractions; NaN where there is nothing to say. */
struct loop_report {
    int64_t rounds, samples;
    double epochs;
    double train_loss, train_accuracy; /* over the last epoch, while training */
    double validation_loss, validation_accuracy;
    double test_loss, test_accuracy, test_accuracy5;
    double seconds, samples_per_s; /* training only */
    double setup_seconds;          /* before it: what the algorithm took to begin */
    bool was_finished;             /* a resumed run that had nothing left to do */
    int workers;
    bool is_served;             /* the reports are what the server saw of its clients */
    struct worker_report *each; /* [workers]; mem_free */
};

/* The rounds that the experiment asks of this actor. */
int64_t loop_rounds(const struct build *b, int rank);

/* Shared memory that the run needs; 0: none. */
size_t loop_shared_bytes(const struct build *b);

/*
 * Trains to the end as the actor of this endpoint. The leader fills the report with what there is,
 * in any case. On a signal all write a checkpoint and the leader answers STATUS_INTERRUPTED; on NaN
 * whoever sees it answers STATUS_DIVERGED.
 */
enum status loop_run(const struct build *b, struct transport *t, const struct loop_files *files,
                     struct loop_report *report);

/* Whether this endpoint leads. */
bool loop_is_lead(const struct build *b, const struct transport *t);

#endif
