/*
 * loop_parts.h - the loop's state, shared by the files that make it up: loop.c (beginning and
 * report), drive.c (rounds), meet.c (what workers tell each other), free.c (workers that wait for
 * nobody), examine.c and each.c (evaluation), keep.c (checkpoints), lost.c (evaluations that a
 * kill took). Private to them.
 */
#ifndef TRAIN_LOOP_PARTS_H
#define TRAIN_LOOP_PARTS_H

#include "metrics/recorder.h"
#include "metrics/spread.h"
#include "optim/schedule.h"
#include "train/loop.h"
#include "train/progress.h"
#include "train/rounds.h"
#include "train/snapshots.h"

/* Kinds of the loop's own messages. */
enum {
    LOOP_PARCEL = TRANSPORT_CONTROL,
    LOOP_SLICE = TRANSPORT_CONTROL + 3,
    LOOP_LINKS = TRANSPORT_CONTROL + 4,
};

/* When the clock was stopped, and what was in the account then. */
struct pause {
    double since;
    struct transport_account account;
};

struct loop {
    const struct build *build;
    struct actor *actor;
    struct worker *worker; /* the actor's */
    const struct loop_files *files;
    struct loop_report *report;
    bool is_lead, is_server;
    int64_t total;               /* rounds of the run, of this actor */
    struct pace pace;            /* how its rounds make epochs */
    struct schedule_clock clock; /* of the next round */

    struct loop_place place;
    struct tally mine;               /* this actor's, of the whole run */
    struct tally *everybody;         /* [workers], as of the last meeting */
    struct transport_account before; /* of the resumed run, and less what was off the clock */
    double started, off;  /* transport_now of the start, and seconds off the clock since */
    double off_before;    /* the latter when a server's workers last wrote */
    double earlier;       /* seconds of training before this process */
    struct pause arrived; /* when this actor came to the last meeting */
    double setup;         /* seconds that the algorithm took to begin, off the clock */
    double *table;        /* room for a meeting */
    int64_t next_tick;    /* the round of the next meeting that only the time asks for */
    double met_at;        /* transport_now of the last meeting */
    int64_t met_round;
    bool stops;              /* the leader was asked to stop */
    bool has_ended;          /* all workers have done their last round */
    bool puts_aside;         /* the view under way makes snapshots of every node too */
    bool gathers;            /* the checkpoint under way takes everybody's parcel */
    int64_t evaluated_round; /* of the last snapshot that was evaluated */

    float *view; /* room for the model that is evaluated; NULL where it is the state */
    struct snapshots *snapshots; /* of an asynchronous run, with its leader */
    struct recorder recorder;    /* the leader's */
    struct spread_log spreads;   /* the leader's, over a graph */
    struct progress progress;
};

/* --- meet.c --- */

/* Whether all workers are in the same place, and may come together: always those that keep step;
 * free ones with models of their own when all have ended. */
bool meet_is_possible(const struct loop *l);

/* Whether all come together after this round, and not only because of the time. */
bool meet_is_due(const struct loop *l);

/* Brings everybody's tally to all, and the leader's decision; sets the place. */
enum status meet(struct loop *l);

/* Of a run that had ended before: what everybody did, as the checkpoint has it. */
enum status meet_again(struct loop *l);

/* Between these two the clock stands still, and the transport's account too. */
struct pause meet_pause(const struct loop *l);

/*
 * The same after a meeting, for all who were there: since the last of them came. Who comes to know
 * of it later, because others use the cores for the evaluation already, has not trained meanwhile.
 */
struct pause meet_pause_all(const struct loop *l);
void meet_go_on(struct loop *l, const struct pause *p);

/* Everybody waits until the leader is done with what it does alone. */
enum status meet_wait(struct loop *l);

/* Of free workers, who know of themselves only: how many have rounds left. All workers. */
enum status meet_count_open(struct loop *l, int64_t *open);

/* --- lost.c --- */

/* Of an asynchronous run that goes on: tells what was not evaluated when it was killed. */
enum status lost_tell(const struct loop *l);

/* --- drive.c --- */

/* Whether the run is evaluated after the rounds that are done. */
bool drive_evaluates(const struct loop *l);

/* All rounds, from where the place is. */
enum status drive_rounds(struct loop *l);

/* After the last round: what is still to be evaluated, and the final model. */
enum status drive_finish(struct loop *l);

/* The same as drive_rounds of a server's worker: it goes on until it is told to stop. */
enum status drive_served(struct loop *l);

/* Samples per second of training. */
double drive_speed(const struct loop *l);

/* --- free.c --- */

/* Whether workers are free and share no memory: responders answer for them. */
bool free_is_far(const struct loop *l);

/* Before the first round, and when the worker's desk is open. All workers. */
enum status free_prepare(struct loop *l);
enum status free_open(struct loop *l);

/* Free workers have ended at different times; the models are whole when all have. One that was
 * stopped early stops the run, also for those that were through. All workers. */
enum status free_end_together(struct loop *l, bool *is_cut);

/* The leader, for a checkpoint on the way: the responder beside that worker will send a parcel, as
 * RESPOND_LOOK. */
enum status free_ask_parcel(struct loop *l, int worker);

/* What a worker with a responder does in place of a meeting. */
enum status free_meet(struct loop *l);

/* The mean of all nodes' models as they are now, in l->view; or also each of them as a snapshot.
 * The leader. */
enum status free_view(struct loop *l, bool puts_aside);

/* --- each.c --- */

/* Each worker's own model, before it is mixed with the others'. All workers. */
enum status examine_each(struct loop *l);

/* Least, mean and most over the workers; NaN without any. */
struct each_range {
    double least, mean, most;
};
enum each_value {
    EACH_LOSS,
    EACH_ACCURACY,
    EACH_DISTANCE,
    EACH_NORMALIZED,
    EACH_PASSES,
    EACH_EPOCH
};
struct each_range each_range(const struct loop *l, enum each_value value);

/* All of them into a row. */
void each_to_row(const struct loop *l, struct metric_row *row);

/* "nodes: loss 0.1 - 0.2, ..." at the end of a line. */
void each_to_line(const struct loop *l, struct text *line);

/* --- apart.c --- */

/* How far workers are from each other and from the mean of all. All workers. */
enum status examine_spread(struct loop *l, const float *mean);

/* The same of models[workers][stride] in one place, whose mean is in l->view. Release it. */
void apart_models(const struct loop *l, const float *models, int64_t stride, struct spread *spread);

/* --- links.c --- */

/* graph.json: at the start the leader alone, without bytes; at the end all workers. */
enum status links_begin(const struct loop *l);
enum status links_end(struct loop *l);

/* --- examine.c --- */

/* What is due between two rounds. */
struct halt {
    bool evaluates, ends_epoch, saves;
};

/* The rows of an evaluation, of an epoch's end, or of both. All workers that keep step. */
enum status examine_halt(struct loop *l, const struct halt *h);

/* Evaluates what an asynchronous run has put aside: what is ready, or all of it. The leader. */
enum status examine_snapshots(struct loop *l, bool all);

/* The model that the run stands for, for who saves it. All workers that keep step. */
enum status examine_view(struct loop *l, struct model_values *values);

/* Seconds that a server's worker waited in training. Workers that keep step have waited for the
 * server's evaluations too; of others nobody knows which of those they waited for. */
double loop_client_waiting(const struct loop *l, const struct client *c);

struct metric_row loop_row(const struct loop *l);
double loop_accuracy(const struct loop *l, double correct, double samples);

/* What went wrong and where; what there is stays. */
enum status loop_fail_diverged(const struct loop *l, int64_t round, const char *what);

/* --- keep.c --- */

/* Writes checkpoints/<name>. All workers that keep step; others' leader alone. */
enum status keep_checkpoint(struct loop *l, const char *name);

/* The final model. As above. */
enum status keep_model(struct loop *l);

/* "best", if the last evaluation is the best so far. The leader knows; all workers take part. */
enum status keep_if_best(struct loop *l);
enum status keep_snapshot_if_best(struct loop *l, const struct loop_place *place, float *state);

/* Brings the actor to where the checkpoint stands. */
enum status keep_restore(struct loop *l);

#endif
