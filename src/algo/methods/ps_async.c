/*
 * ps_async.c - asynchronous SGD with a parameter server: each gradient is applied when it arrives,
 * to a model that others have moved since it was computed.
 *
 *     push of g from worker p, computed at version v, when the server is at version t:
 *         tau = t - v                                           its staleness
 *         g  <-  g + lambda g (.) g (.) (x - backup_p)          with compensation
 *         x  <-  x - a_k / (1 + tau) direction(g)               a_k alone without staleness_lr
 *         t  <-  t + 1, and p gets x
 *
 * Bounded staleness (SSP) lets worker p start its iteration c_p only if c_p - min_q c_q <= s; who
 * is too far ahead gets its model when the slowest has come. A worker that has done its own rounds
 * (worker.client_rounds) gets a stop in place of a model, and no longer counts. With s = 0 a
 * clock's gradients are gathered and applied at once: that is ps-sync.
 *
 * Here: the rule, who may compute, the options. Not here: messages (parts/ps.c), compensation's
 * arithmetic (parts/dc_asgd.c).
 *
 * Ho et al., "More Effective Distributed ML via a Stale Synchronous Parallel Parameter Server",
 * 2013; Zhang et al., "Staleness-aware Async-SGD for Distributed Deep Learning", 2016; Zheng et
 * al., "Asynchronous Stochastic Gradient Descent with Delay Compensation", 2017.
 */
#include <string.h>

#include "algo/list.h"
#include "algo/parts/dc_asgd.h"
#include "algo/parts/ps.h"
#include "base/check.h"
#include "comm/trace.h"

enum staleness_lr { STALENESS_LR_NONE, STALENESS_LR_INVERSE };

struct async_options {
    int64_t staleness; /* -1: not bounded */
    int compensation;  /* enum dc_asgd_mode */
    double lambda;     /* below 0: the usual one of the compensation */
    double ms_decay;
    bool ms_per_worker;
    int staleness_lr; /* enum staleness_lr */
};

static const char *const compensation_names[] = {"none", "constant", "adaptive", NULL};
static const char *const staleness_lr_names[] = {"none", "inverse", NULL};

static const struct field async_fields[] = {
    FIELD_INT(struct async_options, staleness, -1, -1, 1e6,
              "iterations that a worker may be ahead of the slowest; -1: any, 0: ps-sync"),
    FIELD_CHOICE(struct async_options, compensation, "none", compensation_names,
                 "correction of stale gradients (DC-ASGD)"),
    FIELD_REAL(struct async_options, lambda, -1, -1, 1e6,
               "strength of the compensation; below 0: 0.04 if constant, 2 if adaptive"),
    FIELD_REAL(struct async_options, ms_decay, 0.95, 0, 1,
               "decay rate of the mean square, for adaptive compensation"),
    FIELD_BOOL(struct async_options, ms_per_worker, false,
               "keep a mean square for each worker instead of one for all"),
    FIELD_CHOICE(struct async_options, staleness_lr, "none", staleness_lr_names,
                 "learning rate of stale gradients: inverse divides it by 1 + staleness"),
    FIELD_LAST,
};

/* The server's numbers: then a clock and a state for each worker. */
enum { CLOCKS = PS_NUMBERS };

static const struct async_options *options_of(const struct worker *w)
{
    return w->options;
}

static bool gathers(const void *options)
{
    return ((const struct async_options *)options)->staleness == 0;
}

static bool async_is_asynchronous(const void *options)
{
    return !gathers(options);
}

static int async_number_count(const void *options, int workers, bool is_server)
{
    (void)options;
    return is_server ? CLOCKS + 2 * workers : 0;
}

/* A backup for each worker, then the mean squares. */
static int async_vector_count(const void *options, int workers, bool is_server)
{
    const struct async_options *o = options;

    if (!is_server || gathers(o) || o->compensation == DC_ASGD_NONE)
        return 0;
    if (o->compensation == DC_ASGD_CONSTANT)
        return workers;
    return workers + (o->ms_per_worker ? workers : 1);
}

/* --- who computes --- */

/* [workers]: pushes of each. */
static int64_t *clocks_of(const struct worker *w)
{
    return w->numbers + CLOCKS;
}

/* BUSY: it has a model and has not pushed yet. GONE: it has done its own rounds and was stopped. */
enum client_state { IDLE, BUSY, GONE };

/* [workers]: enum client_state. */
static int64_t *states_of(const struct worker *w)
{
    return w->numbers + CLOCKS + w->transport->workers;
}

static bool has_finished(const struct worker *w, int p)
{
    return w->client_rounds != NULL && clocks_of(w)[p] >= w->client_rounds[p];
}

/* Of those that have not finished: no worker waits for one that has. */
static int64_t slowest_clock(const struct worker *w)
{
    const int64_t *clocks = clocks_of(w);
    int64_t slowest = INT64_MAX;

    for (int p = 0; p < w->transport->workers; p++)
        if (!has_finished(w, p) && clocks[p] < slowest)
            slowest = clocks[p];
    return slowest;
}

static enum status dismiss_finished(struct worker *w)
{
    int64_t *states = states_of(w);

    for (int p = 0; p < w->transport->workers; p++) {
        if (states[p] != IDLE || !has_finished(w, p))
            continue;
        TRY(ps_send_stop(w, p));
        states[p] = GONE;
    }
    return STATUS_OK;
}

/* Gives the model to all that wait for one and may have it; a worker that has finished leaves. */
static enum status release_workers(struct worker *w)
{
    const struct async_options *o = options_of(w);
    const int64_t slowest = slowest_clock(w);
    int64_t *states = states_of(w);
    int *ranks = ps_ranks(w), count = 0;

    TRY(dismiss_finished(w));
    for (int p = 0; p < w->transport->workers; p++) {
        if (states[p] != IDLE || (o->staleness >= 0 && clocks_of(w)[p] - slowest > o->staleness))
            continue;
        ranks[count++] = p;
        states[p] = BUSY;
        if (o->compensation != DC_ASGD_NONE)
            memcpy(w->vectors[p], w->state, (size_t)w->layout->param_count * sizeof *w->state);
    }
    return ps_send_model(w, &(struct peers){ranks, count});
}

static enum status async_begin(struct worker *w)
{
    TRY(ps_begin(w));
    if (!worker_is_server(w) || gathers(w->options))
        return STATUS_OK;
    for (int p = 0; p < w->transport->workers; p++)
        states_of(w)[p] = IDLE;
    return release_workers(w);
}

/* --- an update --- */

static float lambda_of(const struct async_options *o)
{
    if (o->lambda >= 0)
        return (float)o->lambda;
    return o->compensation == DC_ASGD_CONSTANT ? 0.04F : 2.0F;
}

/* A gradient that is not stale has nothing to make up for, and keeps its bits. */
static enum status compensate(struct worker *w, int sender, int64_t staleness)
{
    const struct async_options *o = options_of(w);
    const int workers = w->transport->workers;
    const struct dc_asgd_move move = {
        .now = w->state,
        .backup = o->compensation == DC_ASGD_NONE ? NULL : w->vectors[sender],
        .count = w->layout->param_count,
        .lambda = lambda_of(o),
    };

    if (o->compensation == DC_ASGD_ADAPTIVE) {
        float *ms = w->vectors[workers + (o->ms_per_worker ? sender : 0)];

        dc_asgd_observe(ms, w->gradient, o->ms_decay, move.count);
        if (staleness > 0)
            dc_asgd_adaptive(w->gradient, ms, &move);
    } else if (o->compensation == DC_ASGD_CONSTANT && staleness > 0) {
        dc_asgd_constant(w->gradient, &move);
    }
    return o->compensation == DC_ASGD_NONE
               ? STATUS_OK
               : worker_report_vectors(w, &(struct vector_work){move.count, 5, 4});
}

static enum status apply_push(struct worker *w, int sender, int64_t staleness)
{
    const struct optim_rates rates = w->rates;

    w->result = (struct round_result){0};
    worker_note_batch(w, &ps_push_of(w)->batch);
    TRY(compensate(w, sender, staleness));
    if (options_of(w)->staleness_lr == STALENESS_LR_INVERSE)
        w->rates.lr /= (double)(1 + staleness);
    TRY(worker_update(w));
    w->rates = rates;
    ps_move_statistics(w);
    w->numbers[PS_VERSION]++;
    return STATUS_OK;
}

/* The next push, whoever it is from. One from an empty batch only moves its worker's clock. */
static enum status take_push(struct worker *w, bool *was_applied)
{
    const struct ps_push *head = ps_push_of(w);
    int sender = 0;

    TRY(ps_receive_push(w, TRANSPORT_ANY, w->gradient, &sender));

    const int64_t staleness = w->numbers[PS_VERSION] - head->version;

    CHECK(staleness >= 0 && states_of(w)[sender] == BUSY);
    ps_note_client(w, sender, staleness);
    *was_applied = head->batch.samples > 0;
    if (*was_applied) {
        trace_count(w->transport, TRACE_STALENESS, sender, (double)staleness);
        TRY(apply_push(w, sender, staleness));
    }
    clocks_of(w)[sender]++;
    states_of(w)[sender] = IDLE;
    return STATUS_OK;
}

static enum status async_serve(struct worker *w)
{
    bool was_applied = false;

    if (gathers(w->options))
        return ps_serve_all(w);
    while (!was_applied) {
        TRY(release_workers(w));
        TRY(take_push(w, &was_applied));
    }
    return w->is_last ? STATUS_OK : release_workers(w); /* nobody starts what nobody takes */
}

/* What is still computed then is received, so that nothing is on its way when the run ends. */
static enum status async_dismiss(struct worker *w)
{
    int64_t *states = states_of(w);
    int sender = 0;

    if (gathers(w->options))
        return ps_dismiss_all(w);
    for (int p = 0; p < w->transport->workers; p++)
        if (states[p] != GONE)
            TRY(ps_send_stop(w, p));
    for (int p = 0; p < w->transport->workers; p++) {
        if (states[p] == BUSY) {
            TRY(ps_receive_push(w, p, w->gradient, &sender));
            w->numbers[PS_DISCARDED]++;
        }
        states[p] = GONE;
    }
    return STATUS_OK;
}

static enum status async_round(struct worker *w)
{
    return ps_round(w, gathers(w->options) ? PS_BATCH_ALL : PS_BATCH_OWN);
}

const struct algo_ops ps_async_algo = {
    .entry = {.name = "ps-async",
              .also = "async asgd dc-asgd ssp",
              .summary = "a server that applies each gradient when it arrives",
              .fields = async_fields,
              .options_size = sizeof(struct async_options)},
    .kind = ALGO_SERVER_BASED,
    .run_model = ALGO_RUN_MODEL_SAME,
    .limit = ALGO_LIMIT_BIASED,
    .one_worker = ALGO_ONE_WORKER_SAME_BITS,
    .bytes = "2 * (4 * S + 128)",
    .bytes_once = "0 .. W * (8 * S + 384)",
    .test_options = "staleness: 2",
    .message_count = 1,
    .vector_count = async_vector_count,
    .number_count = async_number_count,
    .is_asynchronous = async_is_asynchronous,
    .begin = async_begin,
    .round = async_round,
    .serve = async_serve,
    .dismiss = async_dismiss,
    .end = ps_end,
};
