/*
 * coordinator.h - how the endpoints of a run coordinate: when they exchange counters, how they
 * stop, which model the run has, and what a checkpoint collects.
 *
 *     lockstep  all workers do the same rounds; they wait for each other where something is due
 *     server    a server makes the updates, and is the leader; workers work until it stops them
 *     shared    independent workers with one model in shared memory
 *     peers     independent workers with models of their own; responders answer for them
 *
 * The kind of an algorithm decides which it is (coordinator_of). The loop (loop.c) is the same for
 * all. Only the files of the four and the registry know kinds of algorithms.
 */
#ifndef TRAIN_LOOP_COORDINATOR_H
#define TRAIN_LOOP_COORDINATOR_H

#include "comm/world.h"
#include "train/build.h"
#include "train/checkpoint.h"

struct loop;
struct due_actions;
struct endpoint_setup;
struct metric_row;
struct round_record;

struct coordinator {
    const char *name;    /* of the kind, as `muster algorithms` prints it */
    const char *summary; /* the same in a few words */
    const char *model;   /* which model a run has; NULL: the algorithm says (enum algo_run_model) */
    bool shares_memory;  /* all workers must be on one host */
    bool has_server;     /* the leader is a server, and makes the optimiser's steps */
    bool has_responders; /* one next to each worker, if there are several */
    bool has_own_rounds; /* each worker has rounds and epochs of its own length */

    /* Memory between all workers of a run, in bytes; NULL: none. */
    size_t (*shared_bytes)(const struct build *b);

    /* What the endpoints of one process share; NULL: nothing. */
    void *(*process_new)(const struct build *b, int processes);
    void (*process_free)(void *process, int workers);

    size_t memory_bytes; /* of loop.coordination, zero at the start */

    /* Before the first round, when the endpoint's state is restored. Optional. All workers. */
    enum status (*begin)(struct loop *l);

    /* When the algorithm has begun. Optional. */
    enum status (*open)(struct loop *l);

    /* Where workers end together (epochs_end_together): takes one of the rounds of all, counted
     * from 0 since this process began. By each worker before each of its rounds. */
    enum status (*claim_round)(struct loop *l, int64_t *number);

    /* The algorithm's part of a round. */
    enum status (*round)(struct worker *w);

    /* Between round and join, where the run is evaluated: each worker's own model. Optional. */
    enum status (*evaluate_workers)(struct loop *l);

    /* After a round: counters to the leader, and whether to stop (loop.is_stopped). */
    enum status (*sync)(struct loop *l, const struct due_actions *due);

    /* What the row of one worker says, next to its counters. */
    void (*add_worker)(const struct loop *l, const struct round_record *r, int worker,
                       struct metric_row *row);

    /* What is due after a round: rows, evaluation, checkpoint. Off the training clock. */
    enum status (*record)(struct loop *l, const struct due_actions *due);

    /* The run model: the one that the run is evaluated and saved as. Called like `collect`. */
    enum status (*run_model)(struct loop *l, struct model_values *values);

    /* Whether all workers take part in an evaluation, each with some of its samples. Then all of
     * them have the run model. Optional: the leader evaluates. */
    bool (*shares_evaluation)(const struct loop *l);

    /* The state of each worker for a checkpoint, as far as the leader does not have it already. By
     * the leader with c and states[workers + 1]; by all workers that take part, with NULL. */
    enum status (*collect)(struct loop *l, struct checkpoint *c, struct worker_state *states);

    /* The run is good enough (quality_stop.h): the leader stops independent workers. Optional: all
     * know it, or the leader ends the loop alone. */
    enum status (*halt)(struct loop *l);

    /* After the last round, or a stop; sets loop.is_cut. */
    enum status (*end)(struct loop *l);

    /* The run fails. A worker whose loss is not finite says so; the leader records what it can of
     * the last rounds, and answers the round in which a worker diverged, or 0. Optional. */
    void (*diverge)(struct loop *l);
    int64_t (*salvage)(struct loop *l);

    /* A run that had finished: evaluates it again, for its result. */
    enum status (*repeat)(struct loop *l);

    /* However the endpoint ends, before its memory is freed: others no longer read it. Optional. */
    void (*leave)(struct loop *l);

    /* In place of the loop, on every worker but the leader. Optional. */
    enum status (*follow)(struct loop *l);

    /* In place of everything, on endpoints that are neither workers nor the leader. Optional. */
    enum status (*respond)(const struct build *b, struct transport *t,
                           const struct endpoint_setup *setup);
};

extern const struct coordinator lockstep_coordinator, server_coordinator, shared_coordinator,
    peers_coordinator;

/* By the kind of the algorithm. */
const struct coordinator *coordinator_of(const struct algo_ops *algo);

/* The endpoint that records and decides. */
int coordinator_leader(const struct build *b);

/* What the world of a run needs next to its workers. own_server: the server has a process. */
enum world_server coordinator_endpoints(const struct algo_ops *algo, bool own_server);

#endif
