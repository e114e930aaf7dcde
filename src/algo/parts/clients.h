/*
 * clients.h - what federated averaging is made of: some workers are drawn as the clients of a
 * round, each trains alone on its own samples from the common model x, and x becomes the mean of
 * what they come back with.
 *
 *     y_i  <-  x, then K_i steps of the run's optimiser on worker i's batches        i in S
 *     x    <-  sum_S n_i y_i / sum_S n_i                  which is x + sum_S n_i d_i / sum_S n_i
 *
 * Every worker holds x. One that is not drawn computes nothing, but takes part in the sums.
 */
#ifndef ALGO_PARTS_CLIENTS_H
#define ALGO_PARTS_CLIENTS_H

#include "algo/parts/average.h"

/* Of all algorithms with clients. A table has those that mean something; the others stay 0. */
struct client_options {
    int64_t local_epochs, local_steps;
    double clients;
    int weights;         /* enum client_weights */
    int optimizer_state; /* enum client_optimizer */
    double mu;           /* fedprox */
    double server_lr;    /* scaffold */
};

enum client_weights { CLIENT_WEIGHTS_UNIFORM, CLIENT_WEIGHTS_SAMPLES };
enum client_optimizer { CLIENT_OPTIMIZER_RESET, CLIENT_OPTIMIZER_LOCAL };
extern const char *const client_weights_names[], *const client_optimizer_names[];

/* Rows of a field table. */
#define CLIENT_FIELDS                                                               \
    FIELD_INT(struct client_options, local_epochs, 1, 1, 1e6,                       \
              "passes of a client over its own samples in a round"),                \
        FIELD_INT(struct client_options, local_steps, 0, 0, 1e9,                    \
                  "steps of a client in a round, one batch each; 0: local_epochs"), \
        FIELD_REAL(struct client_options, clients, 0, 0, 1e9,                       \
                   "clients of a round: their number, or a fraction below 1; 0: all")
#define CLIENT_FIELD_WEIGHTS                                                      \
    FIELD_CHOICE(struct client_options, weights, "samples", client_weights_names, \
                 "weights of the clients in the mean: their numbers of samples, or all the same")
#define CLIENT_FIELD_OPTIMIZER                                                   \
    FIELD_CHOICE(                                                                \
        struct client_options, optimizer_state, "reset", client_optimizer_names, \
        "momentum and Adam's means of a client: zero in each round, or kept for its next")

/* Functions of struct algo_ops. */
enum status clients_check(const struct algo_setting *s);
int64_t clients_draws(const void *options, int64_t own_batches);
int clients_training_count(const void *options, int workers);
bool clients_keep_optimizers(const void *options);
enum status clients_join(struct worker *w); /* x <- the weighted mean of the clients' models */

/* Whether a worker is a client of this round: of the workers, those with the smallest random
 * numbers of the round are. */
bool clients_include(const struct worker *w, int worker);

/* The local steps of a round. */
struct client_training {
    /* Changes w->gradient, which is clipped already, before the step; NULL: nothing. */
    void (*correct)(struct worker *w, const struct client_training *t);
    const float *start; /* x, for `correct`; borrowed */
};

/* All steps of a round, if the worker is a client; else nothing. */
enum status clients_train(struct worker *w, const struct client_training *t);

#endif
