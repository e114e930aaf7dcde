/*
 * leader.h - what the leader of a run has next to its loop: the totals of the run, the counters of
 * every worker, and the files that it writes. Only the leader has tables of all workers.
 */
#ifndef TRAIN_LOOP_LEADER_H
#define TRAIN_LOOP_LEADER_H

#include "record/consensus_distance.h"
#include "record/correct_answers.h"
#include "record/live.h"
#include "record/maps.h"
#include "record/recorder.h"
#include "record/snapshots.h"
#include "train/loop/endpoint.h"
#include "train/loop/evaluation_queue.h"
#include "train/loop/output_style.h"
#include "train/loop/progress.h"
#include "train/stop_rule.h"

struct loop;

struct leader {
    struct run_totals totals;         /* as of the last sync */
    struct counters *worker_counters; /* [workers], as of then */
    struct run_report *report;        /* borrowed */
    struct recorder recorder;
    struct consensus_log consensus_log; /* over a graph */
    struct correct_log correct_log;     /* where it is asked for, as the next */
    struct snapshot_log snapshot_log;
    struct map_log map_log;
    uint8_t *node_maps; /* [workers][points] of snapshots, until that of the run; or NULL */
    int node_map_count; /* nodes of which it has the map */
    struct progress progress;
    const struct output_style *style;
    struct live live;
    struct evaluation_queue *queue; /* of an asynchronous run */
    int64_t evaluated_round;        /* of the last snapshot that was evaluated */
    int64_t saved_round;            /* of the last checkpoint; -1: none */
    double *before_record;          /* checkpoint.before_record of the one resumed from, or NULL */
    struct stop_memory stop_memory; /* of train.stop */
    struct logged_sums *logged;     /* [workers]: what log rows have of them so far (log_rows.c) */
};

struct leader *leader_new(const struct build *b, struct run_report *report);
void leader_free(struct leader *d); /* NULL is fine */

/* Sets the totals from the counters of all workers. */
void leader_reduce(struct loop *l);

/* Opens the files of the run; and closes them, with the report filled as far as the run came. */
enum status leader_open(struct loop *l);
enum status leader_close(struct loop *l);

/* The run has failed: rows that are complete, the totals so far and, if it diverged, a row that
 * says null. What cannot be written any more is not: the message is that of the run. */
void leader_record_failure(struct loop *l);

/* The progress line and live.json, as often as they are due. */
bool leader_progress_is_due(const struct leader *d);
void leader_show_progress(struct loop *l);

/* How the run is doing. A disk that does not take it is no reason to stop training: it is warned
 * about once. */
void leader_write_live(struct loop *l);

#endif
