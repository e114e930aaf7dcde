/*
 * fedavg.c - federated averaging: in each round some workers train alone on their own samples, and
 * the mean of their models, weighted by samples, is the next common model.
 *
 *     y_i  <-  x, then E passes over worker i's samples, or K steps             for clients i in S
 *     x    <-  x + sum_S n_i (y_i - x) / sum_S n_i
 *
 * McMahan, Moore, Ramage, Hampson, Agueera y Arcas: "Communication-Efficient Learning of Deep
 * Networks from Decentralized Data", 2017, Alg. 1.
 */
#include "algo/list.h"
#include "algo/parts/clients.h"

static const struct field fedavg_fields[] = {
    CLIENT_FIELDS,
    CLIENT_FIELD_WEIGHTS,
    CLIENT_FIELD_OPTIMIZER,
    FIELD_LAST,
};

static enum status fedavg_round(struct worker *w)
{
    return clients_train(w, &(struct client_training){0});
}

const struct algo_ops fedavg_algo = {
    .entry = {.name = "fedavg",
              .summary = "federated averaging: drawn workers train alone, then the weighted mean",
              .fields = fedavg_fields,
              .options_size = sizeof(struct client_options)},
    .kind = ALGO_LOCKSTEP,
    .run_model = ALGO_RUN_MODEL_SAME,
    .limit = ALGO_LIMIT_BIASED,
    .one_worker = ALGO_ONE_WORKER_SAME_BITS,
    .bytes = "2 * (W - 1) * (4 * S + 16)",
    .test_options = "local_steps: 4, optimizer_state: local",
    .draws = clients_draws,
    .training_count = clients_training_count,
    .has_own_epochs = true,
    .has_own_optimizers = clients_keep_optimizers,
    .check = clients_check,
    .round = fedavg_round,
    .join = clients_join,
};
