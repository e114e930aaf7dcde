/*
 * fedprox.c - FedProx: federated averaging whose clients are pulled back to where they began.
 *
 *     y_i  <-  x, then local steps along grad f_i(y_i; batch) + mu (y_i - x)    for clients i in S
 *     x    <-  x + sum_S n_i (y_i - x) / sum_S n_i
 *
 * With mu = 0 it is fedavg, to the bit.
 *
 * Li, Sahu, Zaheer, Sanjabi, Talwalkar, Smith: "Federated Optimization in Heterogeneous Networks",
 * 2020, Alg. 2.
 */
#include <string.h>

#include "algo/list.h"
#include "algo/parts/clients.h"

static const struct field fedprox_fields[] = {
    CLIENT_FIELDS,
    FIELD_REAL(struct client_options, mu, 0.01, 0, 1e6,
               "strength of the pull of a client's model towards the shared model"),
    CLIENT_FIELD_WEIGHTS,
    CLIENT_FIELD_OPTIMIZER,
    FIELD_LAST,
};

/* gradient += mu (y - x) */
static void pull_back(struct worker *w, const struct client_training *t)
{
    const float mu = (float)((const struct client_options *)w->options)->mu;

    for (int64_t i = 0; i < w->optim->n; i++)
        w->gradient[i] += mu * (w->state[i] - t->start[i]);
}

static enum status fedprox_round(struct worker *w)
{
    const struct client_options *o = w->options;
    float *start = scratch_take(&w->scratch);

    memcpy(start, w->state, (size_t)w->optim->n * sizeof *start);
    TRY(clients_train(w, &(struct client_training){
                             .correct = o->mu > 0 ? pull_back : NULL,
                             .start = start,
                         }));
    scratch_give(&w->scratch, start);
    return STATUS_OK;
}

const struct algo_ops fedprox_algo = {
    .entry = {.name = "fedprox",
              .summary = "fedavg with clients that are pulled towards the shared model",
              .fields = fedprox_fields,
              .options_size = sizeof(struct client_options)},
    .kind = ALGO_LOCKSTEP,
    .run_model = ALGO_RUN_MODEL_SAME,
    .limit = ALGO_LIMIT_BIASED,
    .one_worker = ALGO_ONE_WORKER_OWN_FORM,
    .bytes = "2 * (W - 1) * (4 * S + 16)",
    .test_options = "local_steps: 4, mu: 0.1",
    .scratch_count = 2,
    .draws = clients_draws,
    .training_count = clients_training_count,
    .has_own_epochs = true,
    .has_own_optimizers = clients_keep_optimizers,
    .check = clients_check,
    .round = fedprox_round,
    .join = clients_join,
};
