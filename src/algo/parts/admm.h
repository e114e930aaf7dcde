/*
 * admm.h - what the methods of consensus ADMM have in common: their options, the penalty rho, the
 * dual of a node, and B steps of an optimiser on
 *
 *     f_i(x) + p_i x + rho sum_j |x - m_j|^2
 *
 * A method says where the points m_j between a node and its neighbours are, and how the dual moves.
 * The gradient of what is added to f_i is p_i + 2 rho w_i (x - x_i) - rho lag_i, with the lag
 * sum_j w (m_j - x_i): a node keeps no neighbour's model.
 */
#ifndef ALGO_PARTS_ADMM_H
#define ALGO_PARTS_ADMM_H

#include "algo/parts/mixing.h"

struct admm_options {
    double rho_init, rho_scaling;
    int64_t primal_iterations;
    int primal_optimizer; /* the position in admm_optimizers */
    double primal_lr, primal_lr_end;
    int lr_decay; /* the position in admm_decays */
    bool persistent_primal_opt;
    int exchange; /* enum admm_exchange */
};

extern const char *const admm_optimizers[], *const admm_decays[];

/* Which neighbours' models are used if messages get lost. */
enum admm_exchange { ADMM_AS_RECEIVED, ADMM_CONFIRMED, ADMM_STALE };

/* clang-format off */
#define ADMM_FIELDS(exchanges, exchange_help)                                                     \
    FIELD_REAL(struct admm_options, rho_init, 0.5, 1e-12, 1e12, "penalty before the first round"), \
    FIELD_REAL(struct admm_options, rho_scaling, 1, 1e-6, 1e6,                                    \
               "factor on the penalty at the start of every round"),                              \
    FIELD_INT(struct admm_options, primal_iterations, 2, 1, 1e6,                                  \
              "number of primal steps in a round, each on its own mini-batch"),                   \
    FIELD_CHOICE(struct admm_options, primal_optimizer, "adam", admm_optimizers,                  \
                 "optimizer of the primal steps, with its default options"),                      \
    FIELD_REAL(struct admm_options, primal_lr, 0, 0, 1e6,                                         \
               "its learning rate; 0: that of the run's optimizer and schedule"),                 \
    FIELD_REAL(struct admm_options, primal_lr_end, 0, 0, 1e6,                                     \
               "its learning rate in the last round, unless lr_decay is constant"),               \
    FIELD_CHOICE(struct admm_options, lr_decay, "constant", admm_decays,                          \
                 "how the rate changes from primal_lr to primal_lr_end over the rounds"),         \
    FIELD_BOOL(struct admm_options, persistent_primal_opt, false,                                 \
               "keep the optimizer's state, and its first rate, between rounds"),                 \
    FIELD_CHOICE(struct admm_options, exchange, "as-received", exchanges, exchange_help),         \
    FIELD_LAST
/* clang-format on */

/* The worker's vectors: the dual, and a persistent optimiser's. A method's own follow at
 * admm_vector_count. */
enum { ADMM_DUAL };
enum { ADMM_RHO, ADMM_STEPS, ADMM_SLACK, ADMM_NUMBERS };

struct admm {
    struct mixing mixing;
    float *weights; /* [params], of scratch: w_i; NULL: the number of neighbours in the lag */
    float *start;   /* [params], of scratch: x_i before the steps */
    struct choice chosen;
    struct optim primal;
};

/* For algo_ops. */
int admm_vector_count(const struct admm_options *o);
int64_t admm_draws(const void *options, int64_t own_batches);
const char *admm_optimizer(const void *options);
bool admm_spans_run(const void *options);
enum algo_one_way admm_one_way(const void *options);
enum status admm_check(const struct algo_setting *s);

void admm_init(struct admm *a, struct worker *w);
void admm_release(struct admm *a);

/* First thing in a round: finds the neighbours, and returns the round's penalty. */
double admm_start_round(struct admm *a, struct worker *w);

/*
 * The primal steps of a round, after the lag is there. Each is a gradient (mixing_gradient), and
 * then admm_step, which adds the penalty to it. The end gives lag and weights back.
 */
void admm_start_steps(struct admm *a, struct worker *w);
enum status admm_step(struct admm *a, struct worker *w, double rho);
void admm_end_steps(struct admm *a, struct worker *w);

#endif
