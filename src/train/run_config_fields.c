/*
 * run_config_fields.c - the options of a run that belong to no registry: the top of the schema,
 * train, transport and delays.
 */
#include "train/run_config.h"

#define NO_LIMIT 1e18

const struct field run_config_fields[] = {
    FIELD_TEXT(struct run_config_options, name, NULL,
               "name of the run; without it, made from the model and the data set"),
    FIELD_INT(struct run_config_options, seed, 1, 0, 9e15,
              "what initial weights, sample order, splits and dropout are drawn from"),
    FIELD_LAST,
};

/* In the order of enum convolution. */
static const char *const convolutions[] = {"auto", "direct", NULL};

/* In the order of enum uneven_policy, and of enum statistics. */
static const char *const uneven_policies[] = {"auto", "wait", "repeat", "shortest", NULL};
static const char *const ends_names[] = {"auto", "own", "total", NULL}; /* enum run_ends */
static const char *const pairwise_names[] = {"auto", "always", "never", NULL};
static const char *const statistics_names[] = {"average", "local", "recalibrate", NULL};

static const char *const server_places[] = {"thread", "own", NULL};

const struct field train_fields[] = {
    FIELD_INT(struct train_options, batch_size, 32, 1, 1e7, "samples in a mini-batch"),
    FIELD_INT(struct train_options, epochs, 0, 0, 1e9,
              "passes of each worker over its training samples (0: as many as max_steps takes, and "
              "without max_steps 6)"),
    FIELD_INT(struct train_options, max_steps, 0, 0, 1e12,
              "stop after this many rounds, or after `epochs` where that is sooner (0: no limit); "
              "asynchronous workers count them as `ends` says"),
    FIELD_TEXT(struct train_options, budget, NULL,
               "ends the run, however many epochs that takes, with the round in which all workers "
               "together have used samples:N, rounds:N, bytes:N (that were sent) or seconds:N (of "
               "training); N may be 20k, 1.5G, and 90s or 5min"),
    FIELD_CHOICE(struct train_options, ends, "auto", ends_names,
                 "asynchronous workers: each does its own epochs or max_steps and leaves (own), or "
                 "all go on until they have done as many together (total); auto: own"),
    FIELD_INT(struct train_options, threads, 0, 0, 1024,
              "threads per worker (0: the cores divided by the workers); any number gives the "
              "same bits"),
    FIELD_REAL(struct train_options, clip_norm, 0, 0, NO_LIMIT,
               "scale gradients down to this L2 norm (0: off)"),
    FIELD_CHOICE(struct train_options, convolution, "auto", convolutions,
                 "auto takes Winograd where it pays; direct is exact to rounding"),
    FIELD_CHOICE(struct train_options, uneven, "auto", uneven_policies,
                 "a worker that is through its samples before others waits (joins with weight "
                 "zero) or repeats them; or the shortest part ends the epoch; auto repeats over "
                 "graphs and waits elsewhere"),
    FIELD_CHOICE(struct train_options, statistics, "average", statistics_names,
                 "BatchNorm's running statistics of several workers: averaged, local, or measured "
                 "anew"),
    FIELD_INT(struct train_options, evaluate_every, 1, 0, 1e9,
              "epochs between two evaluations (0: only at the end)"),
    FIELD_INT(struct train_options, evaluate_rounds, 0, 0, NO_LIMIT,
              "rounds between two evaluations, the first before the first round, whatever "
              "evaluate_every says (0: by epochs)"),
    FIELD_CHOICE(struct train_options, pairwise_distances, "auto", pairwise_names,
                 "over graphs, distances between any two nodes at evaluations; auto: up to 256 "
                 "nodes, and above that from the mean only"),
    FIELD_BOOL(struct train_options, record_correct, false,
               "write correct.jsonl: which test samples each node answers rightly, at every "
               "evaluation"),
    FIELD_REAL(struct train_options, loss_decay, 0.2, 0, 1,
               "how much of the moving training loss a new mini-batch's loss replaces"),
    FIELD_INT(struct train_options, log_every, 0, 0, NO_LIMIT,
              "mini-batches between two rows of the training loss (0: one row per epoch)"),
    FIELD_INT(struct train_options, save_every, 1, 0, 1e9,
              "epochs between two checkpoints (0: only at the end or when stopped)"),
    FIELD_INT(struct train_options, keep, 2, 1, 1000, "checkpoints to keep: the newest ones"),
    FIELD_BOOL(struct train_options, trace, false,
               "write trace.json: when each worker computed, waited and sent"),
    FIELD_BOOL(struct train_options, paranoid, false,
               "check in every round what the algorithm promises: that workers hold the same "
               "parameters, over graphs that sums over all nodes are kept"),
    FIELD_LAST,
};

const struct field transport_fields[] = {
    FIELD_TEXT(struct transport_options, name, NULL,
               "transport; muster help transports lists them and marks the default"),
    FIELD_INT(struct transport_options, workers, 0, 0, 100000,
              "computing workers; a parameter server comes on top (0: as many as the launcher "
              "started, else 1)"),
    FIELD_CHOICE(
        struct transport_options, server, "thread", server_places,
        "where a parameter server runs: a thread beside worker 0, or a process of its own"),
    FIELD_LAST,
};

const struct field delay_fields[] = {
    FIELD_TEXT(struct delay_options, delay, NULL,
               "holds every worker up before it sends: 30ms, gaussian:30ms,5ms, lognormal:, "
               "exponential:, pareto:, small, medium, long, s000:small, ..."),
    FIELD_TEXT(struct delay_options, slow_worker, NULL,
               "WORKER:FACTOR or WORKER:DELAY, several by commas"),
    FIELD_LAST,
};
