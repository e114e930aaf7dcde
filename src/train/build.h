/*
 * build.h - from a run config to everything that the workers of a process share: the plan of its
 * problem, topology, delays. All of it is read-only once it is made. What each worker has of its
 * own is in its memory (worker_memory.h).
 */
#ifndef TRAIN_BUILD_H
#define TRAIN_BUILD_H

#include "algo/algo.h"
#include "problem/problem_plan.h"
#include "record/amount.h"
#include "train/run_config.h"
#include "train/stop_rule.h"

/* How many workers compute, in all and on this host. */
struct build_size {
    int workers;
    int host_workers; /* workers that share this host's cores, this one included */
    int own_workers;  /* those of this process; 0: all on this host */
};

/* A state to start from; NULL: it is drawn by the seed (initial_weights.h). */
struct initial_weights {
    float *state;             /* [state_count] */
    int64_t *batches_tracked; /* [tracked_count] */
};

struct build {
    struct run_config *config; /* borrowed; values that depend on others are filled in */
    const struct algo_ops *algo;
    struct problem_plan *plan;
    struct tensor_layout layout; /* of the plan's state */
    struct delays delays;
    struct topology *topology; /* of algorithms over graphs with several workers; else NULL */
    struct topology_facts topology_facts; /* of the topology; zero where there is none */
    int workers, threads;                 /* threads of each worker */
    double memory;                        /* bytes that the run will take on this host, about */
    struct amount budget;                 /* without one epochs count */
    struct stop_rule stop;                /* the quality that ends the run */
    struct team_pool *teams;              /* of the workers, each with `threads` */
    struct scratch_pool *scratch;         /* vectors that workers use within a round */
    char *data; /* which data: "checksum 1a2b3c4d, 60000 training and 10000 test samples" */
    struct initial_weights initial;
    struct problem *evaluator; /* evaluates with all cores while workers wait; draws no batches */
};

/*
 * Plans the problem, makes topology and delays. Fills in the config's values that were left to the
 * problem (normalize, input_size, loss). Fails before it allocates what cannot fit in memory.
 */
enum status build_new(struct run_config *config, const struct build_size *size,
                      struct build **build);
void build_free(struct build *b);

/* Warns of what the algorithm accepts although its theory does not cover it, and of nodes that move
 * but never get near the others. The leader alone. */
void build_warn(const struct build *b);

/* Workers of a run that share the cores of this host, as far as the launcher says. */
int build_host_workers(int processes, int workers);

/* What the run config says about its problem, for so many workers as b->workers. */
struct problem_setting build_setting(const struct build *b);

/* Whether a metric of classes (accuracy) means anything. */
bool build_has_classes(const struct build *b);

/* Whether rows have the top-5 accuracy: those of training as those of evaluations. */
bool build_records_top5(const struct build *b);

/* Samples of a worker in one of its epochs. */
int64_t build_worker_samples(const struct build *b, int worker);

/* Whether workers are synchronous: round k of one is round k of all. */
bool build_is_synchronous(const struct build *b);

#endif
