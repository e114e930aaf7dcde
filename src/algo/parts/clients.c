/*
 * clients.c - the clients of federated averaging: who is drawn, their local steps, their mean.
 */
#include "algo/parts/clients.h"

#include <math.h>
#include <string.h>

#include "algo/parts/invariant.h"
#include "base/rng.h"

const char *const client_weights_names[] = {"uniform", "samples", NULL};
const char *const client_optimizer_names[] = {"reset", "local", NULL};

enum status clients_check(const struct algo_setting *s)
{
    const struct client_options *o = s->options;

    if (o->clients >= 1 && o->clients != floor(o->clients))
        return FAIL(STATUS_BAD_INPUT,
                    "algorithm.clients: %g is neither a whole number nor a fraction below 1",
                    o->clients);
    if (o->clients > s->workers)
        return FAIL(STATUS_BAD_INPUT,
                    "algorithm.clients: %g is more than the number of workers, %d", o->clients,
                    s->workers);
    return STATUS_OK;
}

int64_t clients_draws(const void *options, int64_t own_batches)
{
    const struct client_options *o = options;

    return o->local_steps > 0 ? o->local_steps : o->local_epochs * own_batches;
}

int clients_training_count(const void *options, int workers)
{
    const struct client_options *o = options;

    if (!(o->clients > 0))
        return workers;
    if (o->clients >= 1)
        return (int)o->clients;
    const int count = (int)lround(o->clients * workers);

    return count > 0 ? count : 1;
}

bool clients_keep_optimizers(const void *options)
{
    return ((const struct client_options *)options)->optimizer_state == CLIENT_OPTIMIZER_LOCAL;
}

bool clients_include(const struct worker *w, int worker)
{
    const struct rng r = rng_make(w->seed, RNG_CLIENTS, (uint32_t)w->round);
    const int workers = w->transport->workers;
    const uint64_t own = rng_bits(&r, (uint64_t)worker, 0);
    int before = 0;

    for (int i = 0; i < workers; i++) {
        const uint64_t bits = rng_bits(&r, (uint64_t)i, 0);
        before += bits < own || (bits == own && i < worker);
    }
    return before < clients_training_count(w->options, workers);
}

/* --- local steps --- */

static enum status step_once(struct worker *w, const struct client_training *t)
{
    problem_draw(w->problem);
    w->problem->global_batch = 0;
    if (w->problem->batch_size == 0)
        return STATUS_OK;
    TRY(worker_gradient(w));
    worker_clip(w);
    if (t->correct != NULL) {
        t->correct(w, t);
        TRY(worker_report_vectors(w, &(struct vector_work){w->optim->n, 3, 4}));
    }
    TRY(worker_step(w));
    worker_give_gradient(w);
    return STATUS_OK;
}

enum status clients_train(struct worker *w, const struct client_training *t)
{
    const int64_t draws = clients_draws(w->options, w->problem->batches_per_epoch);

    if (!clients_include(w, worker_rank(w)))
        return STATUS_OK;
    if (!clients_keep_optimizers(w->options))
        optim_reset(w->optim);
    for (int64_t i = 0; i < draws; i++)
        TRY(step_once(w, t));
    return STATUS_OK;
}

/* --- the mean --- */

/* A client without data has made no step, and does not count. */
static int64_t weight_of(const struct worker *w)
{
    const struct client_options *o = w->options;

    if (w->result.gradients == 0)
        return 0;
    return o->weights == CLIENT_WEIGHTS_SAMPLES ? w->problem->own_samples : 1;
}

enum status clients_join(struct worker *w)
{
    struct average mean;

    TRY(average_begin_weighted(&mean, w, weight_of(w)));
    TRY(average_state(&mean, w));
    return invariant_alike(w, w->state, w->optim->n);
}
