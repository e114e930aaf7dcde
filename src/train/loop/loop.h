/*
 * loop.h - one endpoint's training: the state of the loop around the rounds, and what its files
 * offer each other. Private to train/loop/; from outside it is endpoint.h.
 */
#ifndef TRAIN_LOOP_LOOP_H
#define TRAIN_LOOP_LOOP_H

#include "base/text.h"
#include "comm/control_kinds.h"
#include "train/loop/coordinator.h"
#include "train/loop/due.h"
#include "train/loop/endpoint.h"
#include "train/loop/leader.h"
#include "train/loop/log_plan.h"
#include "train/loop/training_clock.h"

struct loop {
    const struct build *build;
    const struct endpoint_setup *setup;
    const struct coordinator *coordinator;
    void *coordination; /* the coordinator's own memory */
    struct worker_memory *memory;
    struct worker *worker; /* memory->worker */
    struct training_clock clock;
    struct run_length length; /* of this endpoint */
    struct log_plan log;
    int64_t round;            /* done so far */
    int64_t rounds_before;    /* of all workers, before this process began; and the number of */
    int64_t claimed;          /* the next round among them: where workers end together */
    struct counters counters; /* this endpoint's, of the whole run */
    bool is_stopped;          /* no round follows: the run was asked to stop */
    bool is_used_up;          /* a budget of bytes or seconds: this round was the last */
    bool is_good_enough;      /* by train.stop: no more rounds are needed (quality_stop.h) */
    bool is_cut;              /* the run ended before all rounds were done */
    bool was_finished;        /* a resumed run that has nothing left to train */
    bool is_before_record;    /* resumed from a checkpoint of before an evaluation */
    bool has_snapshots;       /* resumed with snapshots that are still to be evaluated */
    bool is_evaluation_cut;   /* the last evaluation was stopped: a resumed run makes it */
    bool has_diverged;        /* the loss of this endpoint was not finite */
    float *run_model;         /* [state_count]: made when it is needed */
    int64_t *confusion;       /* [classes][classes] of an evaluation: made when it is needed */
    struct leader *leader;    /* NULL: this endpoint is not the leader */
};

/* --- loop.c --- */

/* All rounds that are left, and the end of the run. */
enum status loop_run(struct loop *l);

/* The learning rate and the position of the next round, for the worker. loop_set_round_of: the same
 * for any round of a run of the given length. */
void loop_set_round(struct loop *l);
void loop_set_round_of(struct loop *l, const struct run_length *length, int64_t round);

/* How far the run is, in rounds: of the leader, or of all workers where they end together. */
struct loop_progress {
    int64_t round, rounds_total;
};
struct loop_progress loop_progress(const struct loop *l);

/* A call of the algorithm, in the trace. */
enum status loop_call_traced(struct loop *l, enum status (*call)(struct worker *w));

/* A loss that is not finite: STATUS_DIVERGED with a message. The leader records a row of its own
 * divergence, and of that of a worker in lockstep in its process. */
enum status loop_record_divergence(struct loop *l);

/* Sets this endpoint's counters as of now, which it answers. */
struct clock_reading loop_count_now(struct loop *l);

/* After the rows of the round. */
void loop_close_rows(struct loop *l, const struct due_actions *due);

/* Calls `record` with the training clock stopped since this reading. It may be stopped already. */
enum status loop_off_clock(struct loop *l, const struct clock_reading *since,
                           enum status (*record)(struct loop *l, const struct due_actions *due),
                           const struct due_actions *due);

/* Whether these counters of the run, or of a worker that is on its own, use up its budget. */
bool loop_uses_up(const struct loop *l, const struct counters *totals);

/* Rounds of the run; 0: not known. */
int64_t loop_rounds_known(const struct loop *l);

/* Whether a resumed run makes the rows and the evaluation of the round that it begins after. */
bool loop_records_again(const struct loop *l);

/* All workers wait for each other; costs nothing that is counted. */
enum status loop_control_barrier(struct loop *l);

/* --- consensus_distance.c --- */

/* Whether the distances between any two nodes are measured. */
bool consensus_measures_pairs(const struct build *b);

/* How far workers are from the mean of all and, if that is measured, from each other. All
 * workers. */
enum status consensus_measure(struct loop *l);

/* The same for models[workers][stride] in memory, whose mean is in l->run_model. Release it. */
void consensus_of_models(const struct loop *l, const float *models, int64_t stride,
                         struct consensus_distance *distances);

/* --- lost_rows.c --- */

/* Warns of rows of metrics.jsonl that a resumed run should find and does not. The leader. */
enum status lost_rows_warn(const struct loop *l);

/* --- run_files.c --- */

/* graph.jsonl with the graph of the first round, or of a resumed run as of the rounds that are
 * done; and a row for the round to come, if nodes move in it. The leader. */
enum status run_files_graph(const struct loop *l);
enum status run_files_moves(const struct loop *l);

/* The bytes of every link to the leader's report. All synchronous workers, over a graph. */
enum status run_files_gather_links(struct loop *l);

/* The report of each worker, as of now; and workers.json with it. The leader. */
void run_files_update_workers(const struct loop *l);
enum status run_files_workers(const struct loop *l);

/* confusion.json: matrix[classes][classes] of the run model, true class first. The leader. */
enum status run_files_confusion(const struct loop *l, int64_t round, enum problem_part part,
                                int64_t *matrix);

/* --- run_model.c --- */

/* The endpoint's own state as the run model: values of it, or of a copy in l->run_model. */
struct model_values run_model_own(const struct loop *l);
float *run_model_room(struct loop *l); /* l->run_model, made when it is needed */
void run_model_copy(struct loop *l, struct model_values *values);

/* Replaces the parameters by those that the algorithm names (algo_run_model_vector), if it does. */
void run_model_take_named(struct loop *l, struct model_values *values);

/* The mean of the workers' states, as far as they differ and are meant to be averaged, or what the
 * algorithm names. All workers in lockstep; then the leader has it, or all of them. */
enum status run_model_mean(struct loop *l, bool all_keep_it, struct model_values *values);

/* All workers get BatchNorm's statistics of the leader's run model. */
enum status run_model_share_statistics(struct loop *l, struct model_values *values);

/* x[count] <- the mean over all workers; and how much of a vector to average at once, so that it
 * needs little room. All workers in lockstep. */
enum status run_model_average(struct loop *l, float *x, int64_t count);
int64_t run_model_slice(int64_t count);

/* Measures BatchNorm's statistics again, if asked for. The leader. */
enum status run_model_recalibrate(struct loop *l, struct model_values *values);

/* --- snapshots.c --- */

/* snapshots.bin, with its size in the log, if snapshots are asked for; keep_round as with
 * recorder_open. The leader. */
enum status snapshots_open(struct loop *l, int64_t keep_round);

/* Adds the run model, if that is due. snapshots_take gets it first: all that the coordinator's
 * run_model needs. */
enum status snapshots_add(struct loop *l, const struct due_actions *due,
                          const struct model_values *values);
enum status snapshots_take(struct loop *l, const struct due_actions *due);

/* --- maps.c --- */

/* maps.bin, if the problem has a map and maps are asked for; keep_round as with recorder_open. The
 * leader. */
enum status maps_open(struct loop *l, int64_t keep_round);

/* Adds the maps of all nodes' own models, or that of the run model, if that is due with this
 * evaluation. All workers that evaluate. */
enum status maps_add(struct loop *l, const struct model_values *values);

/* Whether the evaluation after this round has maps; and adds those of a snapshot that had them: of
 * the run model, which comes after all nodes. The leader. */
bool maps_are_due(const struct loop *l);
enum status maps_add_snapshot(struct loop *l, const struct snapshot_result *r);

/* --- scans.c --- */

/* scans.jsonl of a resumed run as of the rounds that are done; a row before a round in which robots
 * have moved; and one with an evaluation, where robots are not known by the round. keep_round as
 * with recorder_open. Nothing without scans, and on others than the leader. */
enum status scans_open(const struct loop *l, int64_t keep_round);
enum status scans_add_round(const struct loop *l);
enum status scans_add_evaluation(const struct loop *l);

/* --- checkpointing.c --- */

/*
 * Writes a checkpoint to resume from. All that the coordinator's `collect` needs. Before an
 * evaluation: the resumed run begins with that, and the checkpoints before it stay until
 * checkpointing_prune, or checkpointing_discard where it has diverged.
 */
enum checkpoint_time { CHECKPOINT_AFTER_RECORD, CHECKPOINT_BEFORE_RECORD };
enum status checkpointing_save(struct loop *l, enum checkpoint_time when);
enum status checkpointing_prune(struct loop *l);
enum status checkpointing_discard(struct loop *l, enum status why); /* answers why */

/* The final model. As above. */
enum status checkpointing_save_model(struct loop *l);

/* "best", if the last evaluation is the best so far. The leader. */
enum status checkpointing_save_best(struct loop *l, const struct run_totals *totals, float *state);

/* Restores this endpoint from the checkpoint. */
enum status checkpointing_restore(struct loop *l);

/* A worker's state to the leader, and at the leader those of all others. */
enum status checkpointing_send_state(struct loop *l);
enum status checkpointing_receive_state(struct loop *l, int from, enum control_kind kind,
                                        struct worker_state *state);

#endif
