/*
 * peers.c - the coordinator of independent workers with models of their own. Responders answer
 * other nodes for them, and show the leader every node while it trains.
 *
 * In one process the leader reads what workers share with their responders. Between processes it
 * asks the responders, which answer at once. Either way it sees each node as it is at that moment,
 * and makes no worker wait. When all have finished, they are in lockstep. Not here: what a
 * responder does (responder.c).
 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/signals.h"
#include "train/budget.h"
#include "train/loop/independent.h"
#include "train/loop/lockstep.h"
#include "train/loop/responder.h"

static const double SECONDS_BETWEEN_READS = 1.0;

struct peers_worker {
    struct lockstep lockstep; /* the first member: for when all have finished */
    bool all_finished;
    double read_at;     /* when the leader last read the counters of all */
    int64_t next_check; /* of a budget of bytes: after this round */
};

static struct peers_worker *peers_of(const struct loop *l)
{
    return l->coordination;
}

static struct responder_state *responder_of(const struct loop *l, int worker)
{
    return (struct responder_state *)l->setup->process + worker;
}

static struct responder_state *own_responder(const struct loop *l)
{
    return responder_of(l, l->worker->transport->rank);
}

static bool is_one_process(const struct loop *l)
{
    return l->setup->processes == 1;
}

/* To the responder of worker `to`. */
static enum status send_command(struct loop *l, int to, enum responder_command command)
{
    struct transport *t = l->worker->transport;
    const unsigned char byte = (unsigned char)command;

    if (t->size == t->workers)
        return STATUS_OK;
    return transport_send(t, t->workers + to, CONTROL_COMMAND, &byte, 1);
}

static enum status send_command_to_others(struct loop *l, enum responder_command command)
{
    for (int w = 0; w < l->build->workers; w++)
        if (w != l->worker->transport->rank)
            TRY(send_command(l, w, command));
    return STATUS_OK;
}

static enum status receive_reply(struct loop *l, int worker, void *data, size_t bytes)
{
    struct transport *t = l->worker->transport;

    return transport_recv(t, t->workers + worker, CONTROL_RESPONDER, NULL, data, bytes);
}

/* --- start --- */

static enum status peers_begin(struct loop *l)
{
    peers_of(l)->lockstep.share = -1;
    l->worker->shared_model = &own_responder(l)->shared_model;
    TRY(independent_begin(l));
    return l->setup->from == NULL ? STATUS_OK : lockstep_exchange(l);
}

/* No node is read before it is open. */
static enum status peers_open(struct loop *l)
{
    responder_state_open(own_responder(l), l->memory, &l->counters);
    TRY(send_command(l, l->worker->transport->rank, RESPONDER_OPEN));
    return loop_control_barrier(l);
}

/* --- before and after a round --- */

/* The responder of the leader counts the rounds of all. */
static enum status peers_claim_round(struct loop *l, int64_t *number)
{
    if (is_one_process(l)) {
        *number = responder_claim_round(responder_of(l, 0));
        return STATUS_OK;
    }
    TRY(send_command(l, 0, RESPONDER_CLAIM_ROUND));
    return receive_reply(l, 0, number, sizeof *number);
}

/* What the worker has done; with what its responder has sent for it. */
static void publish_counters(struct loop *l)
{
    struct responder_state *own = own_responder(l);

    shared_model_lock(&own->shared_model, l->worker->transport);
    l->counters.bytes += (double)own->bytes;
    responder_state_update(own, &l->counters);
    l->is_stopped = l->is_stopped || own->stop_requested;
    shared_model_unlock(&own->shared_model, l->worker->transport);
}

/* A signal may have reached one process only. */
static enum status forward_stop(struct loop *l)
{
    if (l->is_stopped || !signals_stop_requested())
        return STATUS_OK;
    l->is_stopped = true;
    return is_one_process(l) ? STATUS_OK : send_command_to_others(l, RESPONDER_STOP);
}

static enum status read_counters(struct loop *l)
{
    struct counters *rows = l->leader->worker_counters;
    const int own = l->worker->transport->rank;

    rows[own] = l->counters;
    for (int w = 0; w < l->build->workers && is_one_process(l); w++)
        if (w != own)
            rows[w] = responder_counters(responder_of(l, w), l->worker->transport);
    if (!is_one_process(l)) {
        TRY(send_command_to_others(l, RESPONDER_SEND_COUNTERS));
        for (int w = 0; w < l->build->workers; w++)
            if (w != own)
                TRY(receive_reply(l, w, &rows[w], sizeof rows[w]));
    }
    leader_reduce(l);
    return STATUS_OK;
}

/* --- the budget --- */

/* Bytes that all have sent: in one process any worker sees them, else the leader asks. */
static enum status read_bytes(struct loop *l, struct counters *totals)
{
    const int own = l->worker->transport->rank;

    totals->bytes = l->counters.bytes;
    for (int w = 0; w < l->build->workers && is_one_process(l); w++)
        if (w != own)
            totals->bytes += responder_counters(responder_of(l, w), l->worker->transport).bytes;
    if (is_one_process(l))
        return STATUS_OK;
    TRY(read_counters(l));
    *totals = l->leader->totals.counters;
    return STATUS_OK;
}

/* Looks again after half of the rounds that are left at the pace so far, which says little at the
 * start. */
static enum status check_bytes(struct loop *l)
{
    struct peers_worker *p = peers_of(l);
    struct counters totals = {0};

    if (l->round < p->next_check || (l->leader == NULL && !is_one_process(l)))
        return STATUS_OK;
    TRY(read_bytes(l, &totals));

    const double used = budget_used(&l->build->budget, &totals);

    l->is_used_up = used >= 1;
    p->next_check = l->round + 1;
    if (used > 0 && used < 1)
        p->next_check += (int64_t)((double)l->round * fmin(1, (1 / used - 1) / 2));
    return STATUS_OK;
}

/* Whoever finds the budget used up, by its own seconds or the bytes of all, ends the run for all.
 */
static enum status check_budget(struct loop *l)
{
    if (l->build->budget.unit == AMOUNT_BYTES)
        TRY(check_bytes(l));
    else
        l->is_used_up = loop_uses_up(l, &l->counters);
    return l->is_used_up ? send_command_to_others(l, RESPONDER_STOP) : STATUS_OK;
}

static enum status peers_halt(struct loop *l)
{
    return l->leader == NULL ? STATUS_OK : send_command_to_others(l, RESPONDER_STOP);
}

/* Between processes log rows send no messages by default: of others they say what was read last. */
static bool needs_counters(const struct loop *l, const struct due_actions *due)
{
    return due->ends_epoch || due_needs_model(due) ||
           (due->logs && (is_one_process(l) || l->log.is_prompt));
}

/* About once a second the leader reads all counters, and when something is recorded. */
static enum status peers_sync(struct loop *l, const struct due_actions *due)
{
    struct peers_worker *p = peers_of(l);

    (void)loop_count_now(l);
    publish_counters(l);
    TRY(forward_stop(l));
    TRY(check_budget(l));
    if (l->leader == NULL)
        return STATUS_OK;
    l->leader->worker_counters[l->worker->transport->rank] = l->counters;
    if (!needs_counters(l, due) && clock_seconds() - p->read_at < SECONDS_BETWEEN_READS) {
        if (due->logs)
            leader_reduce(l);
        return STATUS_OK;
    }
    p->read_at = clock_seconds();
    return read_counters(l);
}

/* --- the models of all nodes --- */

static enum status read_models(struct loop *l, float *models, int64_t count)
{
    const int own = l->worker->transport->rank;
    const size_t bytes = (size_t)count * sizeof *models;

    if (!is_one_process(l))
        TRY(send_command_to_others(l, RESPONDER_SEND_MODEL));
    for (int w = 0; w < l->build->workers; w++)
        if (w == own || is_one_process(l))
            shared_model_read(&responder_of(l, w)->shared_model, l->worker->transport,
                              models + w * count);
        else
            TRY(receive_reply(l, w, models + w * count, bytes));
    return STATUS_OK;
}

/* Like the mean of synchronous workers: added in rank order. */
static void average_models(struct loop *l, const float *models, int64_t count)
{
    const struct kernel *k = l->worker->optim->kernel;
    const int64_t mixed =
        l->worker->statistics == STATISTICS_AVERAGE ? count : l->build->layout.param_count;

    memcpy(run_model_room(l), models, (size_t)count * sizeof *models);
    if (l->build->workers == 1)
        return;
    for (int w = 1; w < l->build->workers; w++)
        k->axpy(l->run_model, 1.0F, models + w * count, mixed);
    k->scale(l->run_model, 1.0F / (float)l->build->workers, mixed);
}

/* Each node's, before the mean of all. */
static enum status add_node_snapshots(struct loop *l, const float *models, int64_t count)
{
    struct leader *d = l->leader;
    struct consensus_distance distances = {0};
    enum status s = STATUS_OK;

    if (l->build->workers == 1)
        return STATUS_OK;
    consensus_of_models(l, models, count, &distances);
    for (int w = 0; w < l->build->workers && s == STATUS_OK; w++)
        s = evaluation_queue_add(
            d->queue,
            &(struct snapshot_label){.totals = d->totals,
                                     .node = w,
                                     .has_map = maps_are_due(l),
                                     .counters = d->worker_counters[w],
                                     .distance = distances.from_mean[w],
                                     .normalized_distance = distances.from_mean_normalized[w]},
            models + w * count);
    if (s == STATUS_OK)
        s = consensus_log_add(&d->consensus_log, l->round, &distances);
    consensus_distance_release(&distances);
    return s;
}

/* The mean of all nodes as they are now; and each of them as a snapshot, if it is evaluated. */
static enum status read_run_model(struct loop *l, bool evaluates, struct model_values *values)
{
    const int64_t count = l->build->layout.state_count;
    float *models = MEM_NEW_N(float, l->build->workers *count);
    enum status s = read_models(l, models, count);

    if (s == STATUS_OK)
        average_models(l, models, count);
    if (s == STATUS_OK && evaluates)
        s = add_node_snapshots(l, models, count);
    mem_free(models);
    *values = run_model_own(l);
    values->state = l->run_model;
    return s;
}

static enum status peers_run_model(struct loop *l, struct model_values *values)
{
    return peers_of(l)->all_finished ? lockstep_run_model(l, values)
                                     : read_run_model(l, false, values);
}

/* --- rows and checkpoints --- */

static enum status record_snapshot(struct loop *l, const struct due_actions *due)
{
    struct model_values values;

    TRY(read_run_model(l, due->evaluates, &values));
    TRY(evaluation_record_snapshot(l, due, &values));
    loop_close_rows(l, due);
    return due->saves ? checkpointing_save(l, CHECKPOINT_AFTER_RECORD) : STATUS_OK;
}

static enum status peers_record(struct loop *l, const struct due_actions *due)
{
    return peers_of(l)->all_finished ? lockstep_record(l, due)
                                     : independent_record(l, due, record_snapshot);
}

/* While nodes train: each as it is when it is read. */
static enum status read_states(struct loop *l, struct worker_state *states)
{
    const int workers = l->build->workers;

    for (int w = 0; w < workers; w++)
        if (is_one_process(l))
            responder_pack_state(responder_of(l, w), l->worker->transport, &states[w]);
        else
            TRY(send_command(l, w, RESPONDER_SEND_STATE));
    for (int w = 0; w < workers && !is_one_process(l); w++)
        TRY(checkpointing_receive_state(l, workers + w, CONTROL_RESPONDER, &states[w]));
    return STATUS_OK;
}

static enum status peers_collect(struct loop *l, struct checkpoint *c, struct worker_state *states)
{
    if (peers_of(l)->all_finished)
        return lockstep_collect(l, c, states);
    if (l->build->workers == 1)
        return STATUS_OK;
    c->states = states;
    return read_states(l, states);
}

/* --- the end --- */

/* What the responder has sent is the worker's from now on. */
static void take_responder_counters(struct loop *l)
{
    struct responder_state *own = own_responder(l);
    const int workers = l->build->workers;
    int64_t *sent = l->memory->sent;

    shared_model_lock(&own->shared_model, l->worker->transport);
    for (int w = 0; sent != NULL && w < workers; w++) {
        sent[w] += sent[workers + w] + own->sent_by_responder[w];
        sent[workers + w] = 0;
    }
    l->clock.offset.bytes_sent += own->bytes;
    shared_model_unlock(&own->shared_model, l->worker->transport);
}

/* When all workers have come here, no more requests come. */
static enum status close_responder(struct loop *l)
{
    struct transport *t = l->worker->transport;

    TRY(send_command(l, t->rank, RESPONDER_CLOSE));
    if (t->size > t->workers)
        TRY(receive_reply(l, t->rank, NULL, 0));
    take_responder_counters(l);
    return algo_dismiss(l->worker);
}

static enum status peers_end(struct loop *l)
{
    struct peers_worker *p = peers_of(l);
    const struct due_actions all = {.evaluates = true,
                                    .ends_epoch = true,
                                    .saves = l->setup->save,
                                    .snapshots = l->build->config->train.saves_per_epoch > 0};

    (void)loop_count_now(l);
    publish_counters(l);
    TRY(independent_end(l));
    TRY(close_responder(l));
    p->all_finished = true;
    p->lockstep.arrival = loop_count_now(l);
    TRY(lockstep_exchange(l));
    if (l->is_cut)
        return STATUS_OK;
    TRY(evaluation_drain_queue(l, true)); /* before the rows of the end */
    if (!l->was_finished || l->is_before_record)
        TRY(lockstep_record(l, &all));
    l->is_cut = l->is_evaluation_cut;
    return STATUS_OK;
}

static enum status peers_repeat(struct loop *l)
{
    return lockstep_record(l, &(struct due_actions){.evaluates = true, .ends_epoch = true});
}

static void peers_leave(struct loop *l)
{
    responder_state_close(own_responder(l), l->worker->transport);
}

static void *peers_process_new(const struct build *b, int processes)
{
    (void)processes;
    return responder_states_new(b->workers);
}

static void peers_process_free(void *process, int workers)
{
    responder_states_free(process, workers);
}

static enum status peers_respond(const struct build *b, struct transport *t,
                                 const struct endpoint_setup *setup)
{
    struct responder_state *responders = setup->process;

    return responder_run(b, t, &responders[t->rank - b->workers]);
}

const struct coordinator peers_coordinator = {
    .name = "peer-to-peer",
    .summary = "workers do not wait for each other until the end; responders answer for them",
    .has_responders = true,
    .has_own_rounds = true,
    .memory_bytes = sizeof(struct peers_worker),
    .process_new = peers_process_new,
    .process_free = peers_process_free,
    .begin = peers_begin,
    .open = peers_open,
    .claim_round = peers_claim_round,
    .round = algo_round,
    .sync = peers_sync,
    .add_worker = evaluation_add_worker,
    .record = peers_record,
    .run_model = peers_run_model,
    .collect = peers_collect,
    .halt = peers_halt,
    .end = peers_end,
    .repeat = peers_repeat,
    .leave = peers_leave,
    .respond = peers_respond,
};
