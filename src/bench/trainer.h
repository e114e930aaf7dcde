/*
 * trainer.h - a training run that is measured instead of recorded: the same problem, model and
 * optimiser as `muster train`, round after round on data in memory.
 *
 * Results are checked against the reference implementation before they are timed: the same network
 * planned with every layer for itself and direct convolutions. Nothing here prints.
 */
#ifndef BENCH_TRAINER_H
#define BENCH_TRAINER_H

#include "comm/world.h"
#include "problem/supervised_plan.h"
#include "train/worker_memory.h"

/* How far the gradient of one batch is from the reference's. */
struct trainer_check {
    double loss_error;     /* relative */
    double gradient_error; /* |g - r| / |r|, Euclidean */
};

/*
 * Sums of floats err by 1e-6, Winograd by 1e-5; where that carries a share s of the units over the
 * edge of a ReLU or a maximum, the gradient changes by the square root of s: 3e-3 for 1e-5. A wrong
 * kernel is off by 0.1 and more.
 */
#define TRAINER_LOSS_TOLERANCE     1e-4
#define TRAINER_GRADIENT_TOLERANCE 2e-2

struct trainer {
    struct run_config config;
    struct build *build;
    const struct supervised_plan *plan; /* of the build */
    struct worker_memory *memory;
    struct world *world; /* of one worker */
    struct trainer_check check;
};

/*
 * From the tree of a run config; what it leaves open is chosen for measuring: SGD with
 * lr 0.005 and momentum 0.9, and data that fits the model - Fashion-MNIST, CIFAR-10 or the floor
 * plan where they do, noise elsewhere. Fails when the check does. The tree is changed.
 */
enum status trainer_new(struct node *root, struct trainer **trainer);
void trainer_free(struct trainer *t);

struct trainer_window {
    int64_t rounds, samples;
    double seconds;
};

/* Rounds until `seconds` have gone by, at least one. */
enum status trainer_window(struct trainer *t, double seconds, struct trainer_window *w);

/* GFLOP/s that the threads of the trainer reach at best, in registers. */
double trainer_peak(struct trainer *t);

/* Seconds per round, by stage. */
struct trainer_stages {
    int64_t rounds;
    double gather, loss, optimizer, other;
    double *forward, *backward; /* [layer_count] */
};

enum status trainer_stages_measure(struct trainer *t, double seconds, struct trainer_stages *s);
void trainer_stages_release(struct trainer_stages *s);

/* trainer_setup.c: fills in what the settings leave open. */
enum status trainer_fill_in(struct node *root);

#endif
