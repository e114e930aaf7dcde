/*
 * scaffold.c - SCAFFOLD: federated averaging whose clients correct their steps by what they know of
 * the difference between their own gradient and the mean gradient.
 *
 *     y_i  <-  x, then K_i steps  y_i <- y_i - a (g_i(y_i) - c_i + c)        for clients i in S
 *     c_i  <-  c_i + D_i             D_i = (x - y_i) / (K_i a) - c for clients, 0 for the others
 *     x    <-  x + server_lr mean_S (y_i - x)
 *     c    <-  c + sum_i D_i / W                           which is |S| / W times the mean over S
 *
 * (x - y_i) / (K_i a) - c + c_i is the mean of the gradients that the client has seen: option II of
 * the paper. c is the mean of all c_i, which --paranoid checks.
 *
 * Karimireddy, Kale, Mohri, Reddi, Stich, Suresh: "SCAFFOLD: Stochastic Controlled Averaging for
 * Federated Learning", 2020, Alg. 1.
 */
#include <string.h>

#include "algo/list.h"
#include "algo/parts/clients.h"
#include "algo/parts/invariant.h"
#include "base/mem.h"
#include "optim/list.h"

static const struct field scaffold_fields[] = {
    CLIENT_FIELDS,
    FIELD_REAL(struct client_options, server_lr, 1, 1e-9, 1e6,
               "factor on the mean movement of the clients"),
    FIELD_LAST,
};

enum { C, C_OWN, SCAFFOLD_VECTORS }; /* C is the same on all workers */
enum { SLACK, SCAFFOLD_NUMBERS };

struct scaffold {
    float *change; /* [param_count], of scratch: D_i, from the round to the end of its join */
    struct invariant_past past;
};

static int scaffold_vector_count(const void *options, int workers, bool is_server)
{
    (void)options;
    (void)workers;
    (void)is_server;
    return SCAFFOLD_VECTORS;
}

static int scaffold_alike_count(const void *options)
{
    (void)options;
    return C + 1;
}

static int scaffold_number_count(const void *options, int workers, bool is_server)
{
    (void)options;
    (void)workers;
    (void)is_server;
    return SCAFFOLD_NUMBERS;
}

static enum status scaffold_check(const struct algo_setting *s)
{
    const char *name = s->optim->entry.name;

    TRY(clients_check(s));
    if (s->optim != &sgd_optim)
        return FAIL(STATUS_BAD_INPUT,
                    "optimizer.name: scaffold needs sgd without momentum, not %s: it derives the "
                    "mean gradient of a client from how far it has moved",
                    name);
    if (s->optim->momentum(s->optim_options) > 0)
        return FAIL(STATUS_BAD_INPUT,
                    "optimizer.momentum: scaffold needs sgd without momentum: it derives the mean "
                    "gradient of a client from how far it has moved");
    if (s->schedule_brings_momentum)
        return FAIL(STATUS_BAD_INPUT, "schedule: changes the momentum, which scaffold does not "
                                      "support; choose one that changes the learning rate only");
    return STATUS_OK;
}

static enum status scaffold_begin(struct worker *w)
{
    w->memory = MEM_NEW(struct scaffold);
    return STATUS_OK;
}

static void scaffold_end(struct worker *w)
{
    mem_free(w->memory);
    w->memory = NULL;
}

/* gradient += c - c_i; with one worker both are the same, and this is exactly nothing. */
static void correct(struct worker *w, const struct client_training *t)
{
    const float *c = w->vectors[C], *own = w->vectors[C_OWN];

    (void)t;
    for (int64_t i = 0; i < w->optim->n; i++)
        w->gradient[i] += c[i] - own[i];
}

/* x becomes the change D_i. Where nothing was learnt of the gradient, it is zero. */
static void end_steps(struct worker *w, float *x)
{
    const struct client_options *o = w->options;
    const float *c = w->vectors[C];
    const float by_server = (float)o->server_lr;
    const double length = (double)w->result.gradients * w->rates.lr;
    float *own = w->vectors[C_OWN];

    if (!(length > 0)) {
        memset(x, 0, (size_t)w->optim->n * sizeof *x);
        return;
    }
    for (int64_t i = 0; i < w->optim->n; i++) {
        const float moved = x[i] - w->state[i];

        if (by_server != 1.0F)
            w->state[i] = x[i] - by_server * moved;
        x[i] = (float)((double)moved / length) - c[i];
        own[i] += x[i];
    }
}

static enum status scaffold_round(struct worker *w)
{
    struct scaffold *s = w->memory;

    s->change = scratch_take(&w->scratch);
    memcpy(s->change, w->state, (size_t)w->optim->n * sizeof *s->change);
    TRY(clients_train(w, &(struct client_training){.correct = correct}));
    end_steps(w, s->change);
    return worker_report_vectors(w, &(struct vector_work){w->optim->n, 4, 6});
}

/* c <- c + sum_i D_i / W */
static enum status move_common(struct worker *w, const float *change)
{
    const int64_t n = w->optim->n;
    const float share = 1.0F / (float)w->transport->workers;
    float *c = w->vectors[C];

    for (int64_t i = 0; i < n; i++)
        c[i] += share * change[i];
    TRY(worker_report_vectors(w, &(struct vector_work){n, 2, 3}));
    return invariant_alike(w, c, n);
}

static enum status join_controls(struct worker *w, struct scaffold *s)
{
    const int64_t n = w->optim->n;
    const int workers = w->transport->workers;
    struct invariant v = {
        .text = "c is the mean of all c_i", .x = w->vectors[C_OWN], .y = w->vectors[C], .count = n};

    invariant_allow(w, &v.slack, &(struct invariant_rounding){s->change, n, workers, 1});
    invariant_allow(w, &v.slack, &(struct invariant_rounding){v.x, n, 1, 1});
    if (workers > 1)
        TRY(transport_sum(w->transport,
                          &(struct sum){.data = s->change, .count = n, .type = SUM_FLOAT}));
    TRY(move_common(w, s->change));
    invariant_allow(w, &v.slack, &(struct invariant_rounding){v.y, n, 1, 1});
    return invariant_check_kept(w, &v, &s->past, &w->numbers[SLACK]);
}

static enum status scaffold_join(struct worker *w)
{
    struct scaffold *s = w->memory;

    TRY(clients_join(w));
    TRY(join_controls(w, s));
    scratch_give(&w->scratch, s->change);
    s->change = NULL;
    return STATUS_OK;
}

const struct algo_ops scaffold_algo = {
    .entry = {.name = "scaffold",
              .summary = "fedavg with control variates: no bias where clients' data differ",
              .fields = scaffold_fields,
              .options_size = sizeof(struct client_options)},
    .kind = ALGO_LOCKSTEP,
    .run_model = ALGO_RUN_MODEL_SAME,
    .limit = ALGO_LIMIT_OPTIMUM,
    .one_worker = ALGO_ONE_WORKER_SAME_BITS,
    .bytes = "2 * (W - 1) * (4 * S + 4 * P + 16)",
    .test_options = "local_steps: 4",
    .work_count = 1,
    .scratch_count = 2,
    .alike_count = scaffold_alike_count,
    .vector_count = scaffold_vector_count,
    .number_count = scaffold_number_count,
    .draws = clients_draws,
    .training_count = clients_training_count,
    .has_own_epochs = true,
    .check = scaffold_check,
    .optimizers = "sgd without momentum",
    .begin = scaffold_begin,
    .round = scaffold_round,
    .join = scaffold_join,
    .end = scaffold_end,
};
