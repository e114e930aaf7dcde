/*
 * evaluation.h - the rows of a round, and evaluation of the run model: now, or of snapshots later.
 */
#ifndef TRAIN_LOOP_EVALUATION_H
#define TRAIN_LOOP_EVALUATION_H

#include "train/loop/loop.h"
#include "train/loop/round_rows.h"

/* What the rows of a round are made of. */
struct round_record {
    struct round_facts facts;
    struct run_totals totals;       /* after the round */
    const struct counters *workers; /* [workers], after the round */
};

/* Of the round that was just done, by what the leader knows. */
struct round_record evaluation_record_of(const struct loop *l, const struct due_actions *due);

/* The leader's own facts of the round that was just done; weight_square is that of its state. */
struct round_facts evaluation_facts(const struct loop *l, const struct due_actions *due);

/* The rows of a round in which nothing is evaluated: logged, of an epoch's end, or both. */
enum status evaluation_write_rows(struct loop *l, const struct round_record *r);

/*
 * The rows of an evaluation, of an epoch's end, or of both. `saved` while all workers wait, who all
 * take part: after a checkpoint, if that is due, and closed; a signal cuts the evaluation, and then
 * the checkpoint is from before it. `snapshot` copies the run model to the queue, while others
 * train: the leader alone.
 */
enum status evaluation_record_saved(struct loop *l, const struct due_actions *due);
enum status evaluation_record_snapshot(struct loop *l, const struct due_actions *due,
                                       const struct model_values *values);

/* One part, by the leader with all cores, or by all workers, each with its own; nothing by those
 * who do not take part. All that the run model's evaluation needs. */
enum status evaluation_of_part(struct loop *l, const float *state, enum problem_part part,
                               struct evaluation *e);

/* The final model on the training set, for the report. All that finish the run. */
enum status evaluation_training_set(struct loop *l, const struct due_actions *due);

/* Whether the evaluation of any worker was cut, which then stops all, and whether the leader found
 * the run good enough. All workers. */
enum status evaluation_agree_on_cut(struct loop *l);

/* An evaluation that a signal has stopped is no failure: it is noted. Answers other ones. */
enum status evaluation_note_cut(struct loop *l, enum status s);

/* What rows about one worker say: its training, and of its own model if that was evaluated. */
void evaluation_add_worker(const struct loop *l, const struct round_record *r, int worker,
                           struct metric_row *row);

/* Records the snapshots of an asynchronous run: those that are evaluated, or all. Nothing without a
 * queue. */
enum status evaluation_drain_queue(struct loop *l, bool all);

/* What went wrong and where; the files so far stay. */
enum status evaluation_fail_diverged(const struct loop *l, int64_t round, const char *what);

/* A row of the run, with its header. */
struct metric_row evaluation_row(const struct loop *l, const struct run_totals *totals);
double evaluation_accuracy(const struct loop *l, double correct, double samples);

/* Whether every node has a model of its own on purpose, and rows say how it is. */
bool evaluation_has_nodes(const struct loop *l);

/* --- the parts of rows (evaluation_rows.c) --- */

struct metric_row evaluation_run_row(struct loop *l, const struct round_record *r);
enum status evaluation_write_worker_rows(struct loop *l, const struct round_record *r);

/* A run that had ended before has its rows already: they are not written again. */
bool evaluation_is_recorded(const struct loop *l);
enum status evaluation_write_row(struct loop *l, const struct metric_row *row);

/* Makes it a row of one worker, with its own counts; and adds the quality of its own model. */
void evaluation_set_worker(const struct loop *l, int w, const struct counters *c,
                           struct metric_row *row);
void evaluation_add_own_model(const struct loop *l, int w, struct metric_row *row);

double evaluation_weight_square(const struct loop *l, const float *state);
enum status evaluation_check_weights(const struct loop *l, const struct round_record *r);

/* --- log_rows.c --- */

/* The log rows of a round: of the run, and of each worker. */
enum status log_rows_write(struct loop *l, const struct round_record *r);

/* The square of the run model's norm, as far as the leader has that model between evaluations; else
 * NaN. */
double log_rows_weight_square(const struct loop *l);

/* --- evaluation_workers.c --- */

/* Each worker's own model, before it is mixed with the others'. All workers. */
enum status evaluation_workers_run(struct loop *l);

/* Least, mean and most over the workers: into a row, and at the end of a line. */
void evaluation_workers_to_row(const struct loop *l, struct metric_row *row);
void evaluation_workers_to_line(const struct loop *l, struct text *line);

#endif
