/*
 * endpoint.h - one endpoint's part in a run: the loop around the rounds with schedule, records,
 * evaluation, checkpoints, stopping and progress. Everything that is the same for every algorithm
 * is here, once.
 *
 * Every worker runs it, and the server where there is one. One of them is the leader: it alone
 * writes files and prints. Synchronous workers have sync points at evaluations and about once a
 * second, where the leader says whether to stop.
 */
#ifndef TRAIN_LOOP_ENDPOINT_H
#define TRAIN_LOOP_ENDPOINT_H

#include "record/result.h"
#include "train/checkpoint.h"
#include "train/worker_memory.h"

struct endpoint_setup {
    const char *run_dir; /* metrics.jsonl, model.safetensors, checkpoints/ */
    bool save;           /* false: no model, no checkpoints */
    bool is_temporary;   /* run_dir will be removed: no message names it */
    const char *from;    /* the checkpoint to resume from; NULL: a new run */
    int64_t from_round;  /* its round */
    void *shared;    /* coordinator->shared_bytes of memory that all workers see; NULL without */
    void *process;   /* coordinator->process_new: what the endpoints of this process share */
    int processes;   /* of the run */
    bool is_virtual; /* the transport's time */
    int argc;        /* the command that started it */
    char *const *argv;
};

/* What one worker did, and where its time went. */
struct worker_report {
    struct counters counters;
    struct client client;                 /* what the server saw of it, where there is one */
    double test_loss, test_accuracy;      /* of its own model, not yet averaged; NaN: it has none */
    double distance, normalized_distance; /* from the mean of all, over graphs; else 0 */
    double passes, epoch; /* forward passes and own epochs, as of the evaluation; over graphs */
};

/* What a run came to. Accuracies are fractions; NaN where there is nothing to say. */
struct run_report {
    int64_t rounds, samples;
    double epochs;
    double train_loss, train_accuracy; /* over the last epoch, while training */
    double validation_loss, validation_accuracy, validation_accuracy5;
    double test_loss, test_accuracy, test_accuracy5;
    double final_train_loss, final_train_accuracy; /* of the final model on the training set */
    struct result_own own;         /* the problem's own metrics, of the last evaluation */
    double seconds, samples_per_s; /* training only */
    double bytes;                  /* that all endpoints sent, a server included */
    double setup_seconds;          /* before it: what the algorithm took to begin */
    bool is_good_enough;           /* train.stop has ended the run */
    bool was_finished;             /* a resumed run that had nothing left to do */
    int workers;
    bool is_server_based;             /* the reports are what the server saw of its clients */
    struct worker_report *per_worker; /* [workers]; mem_free */
    double replaced; /* samples of batches that could not be read; NaN: that is an error */
    struct rundir_names broken; /* the first of their files, by name (broken_names.h) */
    int64_t *link_bytes;        /* [workers][workers] from, to; over graphs, else NULL; mem_free */
};

/*
 * Trains to the end as this endpoint. The leader always fills the report, as far as the run came.
 * On a signal all write a checkpoint and the leader answers STATUS_INTERRUPTED; on NaN whoever sees
 * it answers STATUS_DIVERGED.
 */
enum status endpoint_run(const struct build *b, struct transport *t,
                         const struct endpoint_setup *setup, struct run_report *report);

#endif
