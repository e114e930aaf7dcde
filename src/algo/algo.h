/*
 * algo.h - training algorithms: one round of one endpoint. Evaluation, recording, checkpoints,
 * stopping and progress exist once, in the loop around the rounds (train/loop.c).
 *
 * An endpoint is a computing worker, the server of an algorithm that has one, or a responder. They
 * see a problem and a transport, nothing else, so that every algorithm runs on every problem and
 * transport.
 */
#ifndef ALGO_ALGO_H
#define ALGO_ALGO_H

#include "algo/scratch.h"
#include "comm/delay.h"
#include "comm/transport.h"
#include "conf/registry.h"
#include "optim/optim.h"
#include "optim/schedule.h"
#include "problem/problem.h"

struct topology;       /* graph/topology.h */
struct topology_facts; /* the same */
struct shared_model;   /* algo/parts/shared_model.h */

/* The kind of an algorithm's messages to responders. */
enum { ALGO_ASK = TRANSPORT_CONTROL - 1 };

/* How the endpoints of a run coordinate. */
enum algo_kind {
    ALGO_LOCKSTEP,      /* all workers do the same rounds */
    ALGO_SERVER_BASED,  /* a server has the model, and a round is one of its updates */
    ALGO_SHARED_MEMORY, /* workers step on worker.shared_vector, and wait for no other */
    ALGO_PEER_TO_PEER,  /* workers wait for no other; a responder next to each answers others */
};

/* Which model the run stands for: what is evaluated and saved. */
enum algo_run_model {
    ALGO_RUN_MODEL_SAME, /* all parameters are alike: worker 0's; or the server's */
    ALGO_RUN_MODEL_MEAN, /* the mean of the workers' states; each worker's own is recorded beside it
                          */
    ALGO_RUN_MODEL_EACH, /* nodes differ on purpose: each is evaluated, and their mean */
};

/* Which graphs an algorithm is right for. */
enum algo_graph_need {
    ALGO_GRAPH_ANY,      /* also of one direction */
    ALGO_GRAPH_BALANCED, /* rows of the mixing matrix add up to 1 */
    ALGO_GRAPH_BOTH_WAYS /* and nodes receive from those that they send to */
};

/* What it means for an algorithm if messages get lost in one direction of a link only. */
enum algo_one_way {
    ALGO_ONE_WAY_REJECTED, /* it makes no sense of them, or drifts away */
    ALGO_ONE_WAY_BIASED,   /* runs with a warning: does not keep the mean, and ends elsewhere */
    ALGO_ONE_WAY_EXACT,    /* ends where it would without losses */
};

/* Where a run ends, with exact gradients and a constant learning rate, if workers' data differ. */
enum algo_limit {
    ALGO_LIMIT_UNDECLARED,
    ALGO_LIMIT_OPTIMUM,     /* the optimum of the mean loss */
    ALGO_LIMIT_BIASED,      /* near it: the distance shrinks with the learning rate */
    ALGO_LIMIT_MEAN_OF_OWN, /* the mean of the workers' own optima */
    ALGO_LIMIT_OWN,         /* every worker at its own optimum */
};

/* What one worker alone computes, compared with algorithm single. */
enum algo_one_worker {
    ALGO_ONE_WORKER_UNDECLARED,
    ALGO_ONE_WORKER_SAME_BITS, /* the same, with every optimiser that `check` accepts */
    ALGO_ONE_WORKER_ROUNDING,  /* the same within rounding */
    ALGO_ONE_WORKER_OWN_FORM,  /* something else that finds its optimum: the page says what */
};

/* How BatchNorm's running statistics are shared between workers. */
enum statistics { STATISTICS_AVERAGE, STATISTICS_LOCAL, STATISTICS_RECALIBRATE };

/* What a round did, for the loop's records. */
struct round_result {
    struct batch_result batch; /* of all batches that were drawn in the round */
    int64_t gradients;         /* gradient evaluations */
    int64_t passes;            /* samples that went through the model for them */
    double gradient_norm;      /* before clipping; 0 when it was not needed */
};

/* What a server knows of one of its workers. */
struct client {
    int64_t updates, samples;  /* applied gradients, and their samples */
    int64_t empty;             /* rounds in which it had no data */
    int64_t correct, correct5; /* of the samples: top-1 and top-5 */
    double loss_sum;           /* over the samples */
    int64_t staleness_sum, staleness_max;
    int64_t staleness[16];              /* histogram: 0, 1, 2, ..., the last for all above */
    double delayed;                     /* seconds, and */
    struct transport_counters counters; /* the rest of its time and bytes: as of its last message */
    struct transport_counters before;   /* what of that is from before the run was resumed */
};

/* One endpoint as an algorithm sees it. All borrowed; the run owns them. */
struct worker {
    const struct algo_ops *algo;
    const void *options; /* of the algorithm */
    struct transport *transport;
    struct problem *problem;  /* NULL: a server */
    struct optim *optim;      /* with a server the worker's own is not used */
    struct optim *outer;      /* of `outer_optimizer`; NULL: there is none */
    float *state;             /* [state_count]: parameters and buffers */
    struct scratch scratch;   /* vectors to use within a round */
    struct team_pool *teams;  /* of threads, for updates; NULL: the worker's thread alone */
    float *gradient;          /* [param_count], of scratch; NULL outside of worker_take_gradient and
                                 worker_give_gradient */
    int64_t *batches_tracked; /* [layout->tracked_count]; NULL: not kept */
    float **vectors;          /* [vector_count][state_count], the algorithm's own; zero at start */
    int64_t *numbers;         /* [number_count], the algorithm's own; zero at start */
    float *shared_vector;     /* one state vector for all workers, with shared memory; else NULL */
    struct shared_model *shared_model; /* of a worker and its responder, peer-to-peer; else NULL */
    struct client *clients;            /* [workers], on a server; else NULL */
    /* [workers], on a server: rounds after which each worker leaves; NULL: all stay to the end. */
    const int64_t *client_rounds;
    void *memory; /* the algorithm's own and never saved: begin makes it, end frees it */

    const struct tensor_layout *layout; /* of the state */
    const struct delays *delays;
    const struct topology *topology; /* NULL: none */
    uint64_t seed;
    enum statistics statistics;
    double clip_norm;  /* 0: off */
    double loss_decay; /* of moving_loss */
    bool paranoid;     /* check what an algorithm keeps invariant, at the cost of sums */
    int64_t rounds;    /* of the whole run; 0: not known; about, where a worker has no own number */
    bool is_resumed;   /* begun by an earlier process: vectors, numbers and the optimiser are its */

    /* Of this round, set by the loop. A server's worker counts its own rounds. Where asynchronous
     * workers end together (train.ends: total) none of theirs is known to be the last. */
    int64_t round; /* from 0 */
    bool is_last;  /* no round follows */
    double epoch;  /* where in the run the round begins */
    struct optim_rates rates;
    struct schedule_clock clock; /* the same for a schedule of the algorithm's own */

    int64_t steps;      /* gradients so far: numbers the delays */
    double delayed;     /* seconds slept for them */
    double moving_loss; /* of batches: m <- (1 - decay) m + decay loss; NaN: none so far */
    bool is_stopped;    /* with a server: it wants no more from this worker */
    bool asks_stop;     /* with a server: asked to stop the run, and the server knows */
    struct round_result result;
};

/* What an algorithm is to work with, before there are workers. All borrowed. */
struct algo_setting {
    const struct algo_ops *algo;
    const void *options; /* of the algorithm */
    const struct optim_ops *optim;
    const void *optim_options;
    bool schedule_brings_momentum;
    const struct topology_facts *topology_facts; /* of the graph; NULL: one worker, or no graph */
    const char *graph;                           /* its name, for messages; NULL: not known */
    int workers;
    bool is_open_ended;                 /* how many rounds the run will have is not known */
    bool has_given_start;               /* the first weights are those of a file */
    const struct tensor_layout *layout; /* of the state; NULL: not known yet */
};

/*
 * Adding an algorithm: its file with one of these, and its line in list.h. Optional unless said.
 *
 * limit, one_worker, bytes: required: what the algorithm promises. tests/conform/test_algorithms.c
 *           and tests/e2e/test_algorithms.sh hold every algorithm to it and fail for one that
 *           declares nothing; `muster algorithms NAME` prints it.
 * bytes, bytes_once  what all workers send and a server sends to them, in a round and once in a
 *           run (NULL: 0), as an expression of W (workers), L (links of the graph, each direction
 *           counts), S (values of the state), P (parameters among them), G (values of grids among
 *           those) and the options by name, with + - * / ( ) max min floor. "low .. high" where
 * chance decides. A round is that of `kind`; of a free algorithm it is one step of one worker.
 * test_options  "period: 4": options with which the tests hold it to its promises, in addition to
 *           the defaults where those are too slow for a short run; NULL: the defaults alone.
 * more_test_options  another set that the same tests use, but for one_worker; NULL: none.
 * check     what it refuses of its options, the optimiser and the graph, and why: called before
 *           anything is computed, and again before begin, which need not look again.
 * begin     before the first round of a run, also of a resumed one: is_resumed is set, and vectors
 *           and numbers are back.
 * round     required: one round of a worker. With a server, workers set is_stopped when it says so.
 * join      what follows a round and mixes the workers' states. The loop looks at each worker's own
 *           state between round and join where it evaluates.
 * serve     of a server-based algorithm: one update of the server.
 * dismiss   of a server-based algorithm: after the last update, tells all workers to stop. Of one
 *           with responders: when no worker asks any more, the worker's state is to be the node's
 *           model.
 * answer    of a peer-to-peer algorithm, required: a message that worker `from` sent to the
 *           responder, which may be overwritten. Called by the responder's thread while the worker
 *           computes, with a worker struct of its own that has no problem; never waits for another
 *           node.
 * end       frees what begin made, also after a failure; sends nothing. Scratch that is still
 *           taken is given back after it.
 */
struct algo_ops {
    struct entry entry;
    enum algo_kind kind;
    enum algo_run_model run_model;
    enum algo_limit limit;
    enum algo_one_worker one_worker;
    const char *bytes, *bytes_once, *test_options, *more_test_options;
    bool takes_minimizers;  /* works with L-BFGS, which evaluates a batch several times */
    const char *optimizers; /* those that `check` accepts, in words; NULL: no check on them */
    bool one_worker_only;
    /* The batches that a worker draws in a round in which it trains, if one pass over its samples
     * has own_batches of them (NULL: 1); and how many workers train in a round (NULL: all). */
    int64_t (*draws)(const void *options, int64_t own_batches);
    int (*training_count)(const void *options, int workers);
    /* An epoch of a worker is a pass over its own samples, after which it begins the next one,
     * whatever others have: train.uneven means nothing. The epochs of the run are those of the
     * worker with most batches, as if it trained in every round. */
    bool has_own_epochs;
    /* Optimisers of workers differ although all parameters are alike (NULL: they do not). */
    bool (*has_own_optimizers)(const void *options);
    const char *(*optimizer)(const void *options); /* what makes its steps; NULL: the run's */
    bool needs_graph;                /* needs worker.topology where there is more than one worker */
    enum algo_graph_need graph_need; /* with needs_graph */
    bool needs_grid;                 /* needs a network with a tensor that is a grid */
    bool is_for_fixed_graphs; /* its theory is for graphs that do not change: they get a warning */
    enum algo_one_way (*one_way)(const void *options); /* NULL: ALGO_ONE_WAY_REJECTED */
    /* Vectors of the state's length, for the estimate of memory: those that a worker holds while it
     * waits for others, `vectors` excepted (a gradient in a sum, what its responder has); its
     * messages on their way at once; and scratch that it uses at once, 0: 1, its gradient. */
    int work_count, message_count, scratch_count;

    int (*vector_count)(const void *options, int workers, bool is_server); /* NULL: 0 */
    int (*number_count)(const void *options, int workers, bool is_server); /* NULL: 0 */

    /*
     * What all workers in lockstep have alike after every join is saved once for all: the first of
     * `vectors` (NULL: 0), and a second optimiser, whose steps all workers make alike on the
     * parameters: worker.outer. NULL, or a choice without an entry: none.
     */
    int (*alike_count)(const void *options);
    const struct choice *(*outer_optimizer)(const void *options);

    /*
     * The parameters that the run stands for, in place of what `run_model` says: they are evaluated
     * and saved, with BatchNorm's statistics as for the mean. The same on all workers in lockstep;
     * or a server's. Whether there are any depends on the options alone. NULL, or the answer NULL:
     * none.
     */
    const float *(*run_model_vector)(const struct worker *w);

    /* How often each value of the state's grids has had a gradient, one grid after the other; after
     * begin. NULL: it does not count this. */
    const float *(*certainty)(const struct worker *w);

    /* Whether nobody waits for the others (NULL: no): evaluation then takes snapshots. */
    bool (*is_asynchronous)(const void *options);

    /* Whether what a run computes depends on how many rounds it has (NULL: no), so that a longer
     * one cannot go on from its end: for instance because it does something else if is_last. */
    bool (*spans_run)(const void *options);

    enum status (*check)(const struct algo_setting *s);
    enum status (*begin)(struct worker *w);
    enum status (*round)(struct worker *w);
    enum status (*join)(struct worker *w);
    enum status (*serve)(struct worker *w);
    enum status (*dismiss)(struct worker *w);
    enum status (*answer)(struct worker *w, int from, float *x, size_t bytes);
    void (*end)(struct worker *w);
};

extern const struct registry algo_registry;

/* The names of those that are wanted, for messages: "a, b or c". mem_free. */
char *algo_names(bool (*is_wanted)(const struct algo_ops *a));

int64_t algo_draws(const struct algo_ops *a, const void *options, int64_t own_batches);
int algo_training_count(const struct algo_ops *a, const void *options, int workers);
bool algo_has_own_optimizers(const struct algo_ops *a, const void *options);
bool algo_is_asynchronous(const struct algo_ops *a, const void *options);
bool algo_spans_run(const struct algo_ops *a, const void *options);
enum algo_one_way algo_one_way(const struct algo_ops *a, const void *options);

int algo_alike_count(const struct algo_ops *a, const void *options);
const struct choice *algo_outer_optimizer(const struct algo_ops *a, const void *options);
const float *algo_run_model_vector(const struct worker *w);

/* Whether workers have models of their own; and whether that is what the run is about, so that each
 * is evaluated. */
bool algo_models_differ(const struct algo_ops *a);
bool algo_has_node_models(const struct algo_ops *a);

/* The name of the optimiser that makes the steps, in a run that has chosen `usual`. */
const char *algo_optimizer(const struct algo_ops *a, const void *options, const char *usual);

/* What the algorithm, or the kind of its graph, has against this setting. */
enum status algo_check(const struct algo_setting *s);

/* What it accepts although theory does not cover it, as a sentence; NULL: nothing. mem_free. */
char *algo_doubt(const struct algo_setting *s);

/* Checked calls of the algorithm's functions; what is not there does nothing. */
enum status algo_begin(struct worker *w);
enum status algo_round(struct worker *w);
enum status algo_join(struct worker *w);
enum status algo_serve(struct worker *w);
enum status algo_dismiss(struct worker *w);
enum status algo_answer(struct worker *w, int from, float *x, size_t bytes);
void algo_end(struct worker *w);

/* --- what most rounds are made of (worker.c) --- */

static inline int worker_rank(const struct worker *w)
{
    return w->transport->rank;
}

static inline bool worker_is_server(const struct worker *w)
{
    return w->transport->rank >= w->transport->workers;
}

/*
 * Room for the gradient, if it has none. What follows between the two calls should not wait for
 * others; what must, holds a vector of its own for that long (scratch.h). Scratch that a round has
 * taken is given back at its end in any case.
 */
void worker_take_gradient(struct worker *w);
void worker_give_gradient(struct worker *w);

/*
 * The gradient of the drawn batch at the worker's state, counted in the result; zero for an empty
 * batch. Takes room for it. A loss that is not finite is STATUS_DIVERGED. Then the delay of this
 * step, if there are delays.
 */
enum status worker_gradient(struct worker *w);

/* The delay of a gradient that took `computed` seconds, if there are delays; counts the gradient.
 */
enum status worker_delay(struct worker *w, double computed);

/* Counts a batch that was drawn in this round and what its gradient found, by whomever. */
void worker_note_batch(struct worker *w, const struct batch_result *batch);

/* A step of an optimiser on x along g, with a team of threads of the worker's. Not reported: that
 * is worker_report_update's, when no lock is held. */
void worker_apply(struct worker *w, struct optim *o, float *x, const float *g,
                  struct optim_rates rates);

/* Clips the gradient, if asked for; lets the optimiser move the parameters; and both. */
void worker_clip(struct worker *w);
enum status worker_step(struct worker *w);
enum status worker_update(struct worker *w);

/*
 * What was computed, for transports whose time is virtual (transport_work): a gradient of so many
 * samples; a step of an optimiser; so many operations on each of `count` floats, for which so many
 * vectors of that length were read or written. Said after it and with no lock held.
 */
enum status worker_report_gradient(struct worker *w, int64_t samples);
enum status worker_report_update(struct worker *w, const struct optim *o);
struct vector_work {
    int64_t count;
    int operations, vectors;
};
enum status worker_report_vectors(struct worker *w, const struct vector_work *v);

/* Draws, then worker_gradient and worker_update with the worker's own batch: a step of plain SGD.
 * Gives the gradient back. A worker without data in this round stays where it is. */
enum status worker_local_step(struct worker *w);

/* x[count] <- the mean over all workers, added in rank order. */
enum status worker_average(struct worker *w, float *x, int64_t count);

#endif
