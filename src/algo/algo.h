/*
 * algo.h - training algorithms: one round of one actor. Evaluation, recording, checkpoints,
 * stopping and progress exist once, in the loop around the rounds (train/drive.c).
 *
 * An actor is a computing worker, the server of an algorithm that has one, or a responder. Actors
 * see a problem and a transport, nothing else, so that every algorithm runs on every problem and
 * transport.
 */
#ifndef ALGO_ALGO_H
#define ALGO_ALGO_H

#include "comm/delay.h"
#include "comm/transport.h"
#include "conf/registry.h"
#include "optim/optim.h"
#include "problem/problem.h"

struct topology;       /* comm/topology.h */
struct topology_facts; /* the same */
struct desk;           /* algo/desk.h */

/* The kind of all messages to responders. A message of one byte is the loop's own. */
enum { ALGO_ASK = TRANSPORT_CONTROL - 1 };

/* How the actors keep step with each other. */
enum algo_kind {
    ALGO_LOCKSTEP, /* all workers do the same rounds, and meet between some of them */
    ALGO_SERVED,   /* a server has the model, and a round is one of its updates */
    ALGO_FREE,     /* workers wait for nobody until all have ended */
};

/* Which model the run stands for: what is evaluated and saved. */
enum algo_view {
    ALGO_VIEW_SAME, /* all parameters are alike: worker 0's; or the server's */
    ALGO_VIEW_MEAN, /* the mean of the workers' states; each worker's own is recorded beside it */
    ALGO_VIEW_EACH, /* nodes differ on purpose: each is evaluated, and their mean */
};

/* Which graphs an algorithm is right for. */
enum algo_links {
    ALGO_LINKS_ANY,      /* also of one direction */
    ALGO_LINKS_BALANCED, /* rows of the mixing matrix add up to 1 */
    ALGO_LINKS_BOTH_WAYS /* and nodes hear those whom they tell */
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
    int64_t updates, samples; /* applied gradients, and their samples */
    int64_t empty;            /* rounds in which it had no data */
    double loss_sum;          /* over the samples */
    int64_t staleness_sum, staleness_max;
    int64_t staleness[16];            /* histogram: 0, 1, 2, ..., the last for all above */
    double delayed;                   /* seconds, and */
    struct transport_account account; /* the rest of its time and bytes: as of its last message */
    struct transport_account before;  /* what of that is from before the run was resumed */
};

/* One actor as an algorithm sees it. All borrowed; the run owns them. */
struct worker {
    const struct algo_ops *algo;
    const void *options; /* of the algorithm */
    struct transport *transport;
    struct problem *problem; /* NULL: a server */
    struct optim *optim;     /* a served worker's own is not used */
    float *state;            /* [state_count]: parameters and buffers */
    float *gradient;         /* [param_count] */
    int64_t *counters;       /* [model->counter_count]: batches in the statistics; NULL: not kept */
    float **vectors;         /* [vector_count][state_count], the algorithm's own; zero at start */
    int64_t *numbers;        /* [number_count], the algorithm's own; zero at start */
    float *shared;           /* one state vector for all workers, with `shares`; else NULL */
    struct desk *desk;       /* what a worker and its responder share, with `answer`; else NULL */
    struct client *clients;  /* [workers], on a server; else NULL */
    void *memory;            /* the algorithm's own and never saved: begin makes it, end frees it */

    const struct model *model; /* of the state: its tensors, and how statistics are averaged */
    const struct delays *delays;
    const struct topology *topology; /* NULL: none */
    uint64_t seed;
    enum statistics statistics;
    double clip_norm;  /* 0: off */
    double loss_decay; /* of moving_loss */
    bool paranoid;     /* check what an algorithm keeps invariant, at the cost of sums */
    int64_t rounds;    /* of the whole run; 0: not known */

    /* Of this round, set by the loop. */
    int64_t round; /* from 0 */
    bool is_last;  /* no round follows */
    double epoch;  /* where in the run the round begins */
    struct optim_rates rates;

    int64_t steps;      /* gradients so far: numbers the delays */
    double delayed;     /* seconds slept for them */
    double moving_loss; /* of batches: m <- (1 - decay) m + decay loss; NaN: none so far */
    bool is_stopped;    /* a served worker: the server wants no more */
    bool asks_stop; /* a served worker's process was asked to stop the run; the server has heard */
    struct round_result result;
};

/* What an algorithm is to work with, before there are actors. All borrowed. */
struct algo_setting {
    const struct algo_ops *algo;
    const void *options; /* of the algorithm */
    const struct optim_ops *optim;
    const void *optim_options;
    const struct topology_facts *links; /* of the graph; NULL: one worker, or no graph */
    const char *graph;                  /* its name, for messages; NULL: not known */
    int workers;
};

/*
 * Adding an algorithm: its file with one of these, and its line in list.h. Optional unless said.
 *
 * check     what it refuses of its options, the optimiser and the graph, and why: called before
 *           anything is computed, and again before begin, which need not look again.
 * begin     before the first round of a run, also of a resumed one (vectors and numbers are back).
 * round     required: one round of a worker. Served workers set is_stopped when they are told to.
 * join      what follows a round and mixes the workers' states. The loop looks at each worker's own
 *           state between round and join where it evaluates.
 * serve     of a served algorithm: one update of the server.
 * dismiss   of a served algorithm: after the last update, tells all workers to stop. Of one with
 *           responders: when no worker asks any more, the worker's state is to be the node's model.
 * answer    of a responder, which a free algorithm has beside each worker if it has this: one
 * message that worker `from` sent it. Called by the responder's thread while the worker computes,
 *           with a worker struct of its own that has no problem; never waits for another node.
 * end       frees what begin made, also after a failure; talks to nobody.
 */
struct algo_ops {
    struct entry entry;
    enum algo_kind kind;
    enum algo_view view;
    bool takes_minimizers; /* works with L-BFGS, which evaluates a batch several times */
    bool one_worker_only;
    bool shares;                                   /* needs worker.shared */
    int64_t (*draws)(const void *options);         /* batches that a round draws; NULL: 1 */
    const char *(*optimizer)(const void *options); /* what makes its steps; NULL: the run's */
    bool needs_graph;      /* needs worker.topology where there is more than one worker */
    enum algo_links links; /* with needs_graph */
    int work_count; /* vectors of the state's length that begin makes beside `vectors`, and those
                       of a responder: for the estimate of memory */

    int (*vector_count)(const void *options, int workers, bool is_server); /* NULL: 0 */
    int (*number_count)(const void *options, int workers, bool is_server); /* NULL: 0 */

    /* Whether nobody waits for the others (NULL: no): evaluation then takes snapshots. */
    bool (*is_asynchronous)(const void *options);

    /* Whether what a run computes depends on how many rounds it has (NULL: no), so that a longer
     * one cannot go on from its end. */
    bool (*spans_run)(const void *options);

    enum status (*check)(const struct algo_setting *s);
    enum status (*begin)(struct worker *w);
    enum status (*round)(struct worker *w);
    enum status (*join)(struct worker *w);
    enum status (*serve)(struct worker *w);
    enum status (*dismiss)(struct worker *w);
    enum status (*answer)(struct worker *w, int from, const float *x, size_t bytes);
    void (*end)(struct worker *w);
};

extern const struct registry algo_registry;

int64_t algo_draws(const struct algo_ops *a, const void *options);
bool algo_is_asynchronous(const struct algo_ops *a, const void *options);
bool algo_spans_run(const struct algo_ops *a, const void *options);

/* The name of the optimiser that makes the steps, in a run that has chosen `usual`. */
const char *algo_optimizer(const struct algo_ops *a, const void *options, const char *usual);

/* What the algorithm, or the kind of its graph, has against this setting. */
enum status algo_check(const struct algo_setting *s);

/* Through the checked doors; what is not there does nothing. */
enum status algo_begin(struct worker *w);
enum status algo_round(struct worker *w);
enum status algo_join(struct worker *w);
enum status algo_serve(struct worker *w);
enum status algo_dismiss(struct worker *w);
enum status algo_answer(struct worker *w, int from, const float *x, size_t bytes);
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
 * The gradient of the drawn batch at the worker's state, counted in the result; zero for an empty
 * batch. A loss that is not finite is STATUS_DIVERGED. Then the delay of this step, if there are
 * delays.
 */
enum status worker_gradient(struct worker *w);

/* Counts a batch that was drawn in this round and what its gradient found, by whomever. */
void worker_note_batch(struct worker *w, const struct batch_result *batch);

/* Clips, if asked for, and lets the optimiser move the parameters. */
void worker_update(struct worker *w);

/* Draws, then worker_gradient and worker_update with the worker's own batch: a step of plain SGD.
 * A worker without data in this round stays where it is. */
enum status worker_local_step(struct worker *w);

/* x[count] <- the mean over all workers, added in rank order. */
enum status worker_average(struct worker *w, float *x, int64_t count);

#endif
