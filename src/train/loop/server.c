/*
 * server.c - the coordinator of algorithms with a parameter server: the server makes the updates,
 * records and decides; its workers do rounds until it stops them. It knows them from their
 * messages.
 */
#include <math.h>

#include "base/mem.h"
#include "base/signals.h"
#include "train/loop/evaluation.h"

struct server {
    double paused_seconds; /* of the training clock, when the workers last wrote */
};

static struct server *server_of(const struct loop *l)
{
    return l->coordination;
}

/* --- the workers, as the server knows them --- */

/* Synchronous workers have also waited for the server's evaluations; for others it is unknown which
 * of those they waited for. */
static struct counters client_counters(const struct loop *l, const struct client *c)
{
    const double off = build_is_synchronous(l->build) ? server_of(l)->paused_seconds : 0;
    struct counters counters = {
        .rounds = (double)c->updates,
        .steps = (double)(c->updates + c->empty),
        .draws = (double)(c->updates + c->empty),
        .samples = (double)c->samples,
        .logged_samples = (double)c->samples,
        .logged_loss = c->loss_sum,
        .logged_correct = (double)c->correct,
        .logged_correct5 = (double)c->correct5,
        .lr = l->worker->rates.lr,
        .weight_square = (double)NAN,
        .gradients = (double)c->updates,
        .bytes = (double)c->counters.bytes_sent,
        .seconds = l->leader->totals.counters.seconds,
        .delayed = c->delayed,
    };

#define SET_SECONDS(name) counters.name = c->counters.name;
    TRANSPORT_SECONDS(SET_SECONDS)
#undef SET_SECONDS
    counters.waiting = fmax(0, counters.waiting - off);
    return counters;
}

static void read_clients(struct loop *l)
{
    for (int w = 0; w < l->build->workers; w++)
        l->leader->worker_counters[w] = client_counters(l, &l->memory->clients[w]);
}

/* The server counts what the workers did for it; their bytes come on top. */
static void reduce_totals(struct loop *l)
{
    struct counters *totals = &l->leader->totals.counters;

    l->leader->totals.round = l->round;
    *totals = counters_reduce(&l->counters, 1);
    for (int w = 0; w < l->build->workers; w++)
        totals->bytes += (double)l->memory->clients[w].counters.bytes_sent;
}

/* What the server knows: since the start of the run. */
static void server_add_worker(const struct loop *l, const struct round_record *r, int worker,
                              struct metric_row *row)
{
    const struct client *c = &l->memory->clients[worker];

    (void)r;
    if (c->samples > 0)
        metric_row_add(row, METRIC_TRAIN_LOSS, c->loss_sum / (double)c->samples);
    if (c->updates > 0)
        metric_row_add(row, METRIC_STALENESS, (double)c->staleness_sum / (double)c->updates);
    metric_row_add(row, METRIC_STALENESS_MAX, (double)c->staleness_max);
}

/* --- the server's loop --- */

/* Of workers that leave after their own. One of a resumed run may have done more than the run now
 * asks for. */
static void count_own_rounds(struct loop *l)
{
    l->length.rounds = 0;
    for (int w = 0; w < l->build->workers; w++) {
        const int64_t done = l->memory->clients[w].updates;
        const int64_t own = l->memory->client_rounds[w];

        l->length.rounds += done > own ? done : own;
    }
    l->was_finished = l->round >= l->length.rounds;
}

static enum status server_begin(struct loop *l)
{
    if (l->leader == NULL)
        return STATUS_OK;
    read_clients(l);
    if (l->memory->client_rounds != NULL && !l->is_good_enough &&
        !loop_uses_up(l, &l->leader->totals.counters))
        count_own_rounds(l);
    return STATUS_OK;
}

static enum status server_sync(struct loop *l, const struct due_actions *due)
{
    (void)loop_count_now(l);
    server_of(l)->paused_seconds = l->clock.paused_seconds;
    l->is_stopped = signals_stop_requested() || l->worker->asks_stop;
    reduce_totals(l);
    l->is_used_up = loop_uses_up(l, &l->leader->totals.counters);
    if (due_is_any(due) || leader_progress_is_due(l->leader))
        read_clients(l);
    return STATUS_OK;
}

/* Snapshots are recalibrated when they are evaluated, off the clock. */
static enum status server_run_model(struct loop *l, struct model_values *values)
{
    const bool is_under_way =
        !build_is_synchronous(l->build) && l->round < l->length.rounds && !l->is_stopped;

    *values = run_model_own(l);
    run_model_take_named(l, values);
    return is_under_way ? STATUS_OK : run_model_recalibrate(l, values);
}

static enum status record_rounds(struct loop *l, const struct due_actions *due)
{
    struct model_values values;

    if (build_is_synchronous(l->build) && due->evaluates)
        return evaluation_record_saved(l, due); /* while the workers wait */
    if (!due->evaluates) {
        const struct round_record r = evaluation_record_of(l, due);

        TRY(evaluation_write_rows(l, &r));
        TRY(snapshots_take(l, due));
    } else {
        TRY(server_run_model(l, &values));
        TRY(evaluation_record_snapshot(l, due, &values));
    }
    loop_close_rows(l, due);
    return due->saves ? checkpointing_save(l, CHECKPOINT_AFTER_RECORD) : STATUS_OK;
}

static enum status server_record(struct loop *l, const struct due_actions *due)
{
    const struct clock_reading now = training_clock_read(&l->clock);

    return due_is_any(due) ? loop_off_clock(l, &now, record_rounds, due) : STATUS_OK;
}

/* What its workers have follows from the number of their steps. */
static enum status server_collect(struct loop *l, struct checkpoint *c, struct worker_state *states)
{
    worker_state_pack(&states[l->worker->transport->rank], l->memory, &l->counters);
    c->states = states;
    return STATUS_OK;
}

static enum status server_end(struct loop *l)
{
    l->is_cut = l->round < l->length.rounds || l->is_evaluation_cut;
    read_clients(l);
    return algo_dismiss(l->worker);
}

static int64_t server_salvage(struct loop *l)
{
    read_clients(l);
    return 0;
}

static enum status server_repeat(struct loop *l)
{
    return server_record(l, &(struct due_actions){.evaluates = true, .ends_epoch = true});
}

/* --- its workers --- */

/* By the worker's own clock: the rounds that it has done. Which is the last one is known where
 * workers are synchronous or leave after their own rounds. */
static void set_served_round(struct loop *l, int64_t round)
{
    const struct run_length own = epochs_served_length(l->build, l->worker->transport->rank);

    loop_set_round_of(l, &own, round);
    l->worker->rounds = loop_rounds_known(l) == 0 ? 0 : own.rounds;
    l->worker->is_last =
        l->worker->is_last && (build_is_synchronous(l->build) || epochs_end_own(l->build));
}

static enum status server_follow(struct loop *l)
{
    struct worker *w = l->worker;
    const int64_t first = (int64_t)l->counters.steps;

    TRY(algo_begin(w));
    for (int64_t round = first; !w->is_stopped; round++) {
        set_served_round(l, round);
        w->asks_stop = signals_stop_requested();
        transport_compute_begin(w->transport);
        const enum status s = loop_call_traced(l, algo_round);
        transport_compute_end(w->transport);
        if (s == STATUS_DIVERGED) {
            l->round = w->round; /* the server's, when it gave its model */
            loop_set_round(l);
            return loop_record_divergence(l);
        }
        TRY(s);
    }
    return STATUS_OK;
}

const struct coordinator server_coordinator = {
    .name = "server-based",
    .summary = "a server has the model, and a round is one of its updates",
    .model = "the server's",
    .has_server = true,
    .memory_bytes = sizeof(struct server),
    .begin = server_begin,
    .round = algo_serve,
    .sync = server_sync,
    .add_worker = server_add_worker,
    .record = server_record,
    .run_model = server_run_model,
    .collect = server_collect,
    .end = server_end,
    .salvage = server_salvage,
    .repeat = server_repeat,
    .follow = server_follow,
};
