/*
 * responder.c - the responder's loop: what comes is answered at once, in the order in which it
 * comes.
 */
#include "train/loop/responder.h"

#include <stdatomic.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "comm/control_kinds.h"

struct responder_state *responder_states_new(int workers)
{
    struct responder_state *responders = MEM_NEW_N(struct responder_state, workers);

    for (int w = 0; w < workers; w++)
        shared_model_init(&responders[w].shared_model);
    return responders;
}

void responder_states_free(struct responder_state *responders, int workers)
{
    for (int w = 0; responders != NULL && w < workers; w++) {
        shared_model_release(&responders[w].shared_model);
        mem_free(responders[w].batches_tracked);
        mem_free(responders[w].sent_by_worker);
        mem_free(responders[w].sent_by_responder);
    }
    mem_free(responders);
}

void responder_state_update(struct responder_state *own, const struct counters *counters)
{
    const struct worker_memory *a = own->memory;
    const int workers = a->build->workers;

    own->counters = *counters;
    if (a->build->layout.tracked_count > 0)
        memcpy(own->batches_tracked, a->batches_tracked,
               (size_t)a->build->layout.tracked_count * sizeof *own->batches_tracked);
    for (int w = 0; a->sent != NULL && w < workers; w++)
        own->sent_by_worker[w] = a->sent[w] + a->sent[workers + w];
}

void responder_state_open(struct responder_state *own, struct worker_memory *a,
                          const struct counters *counters)
{
    shared_model_lock(&own->shared_model, a->worker.transport);
    own->memory = a;
    own->batches_tracked = MEM_NEW_N(int64_t, a->build->layout.tracked_count);
    own->sent_by_worker = MEM_NEW_N(int64_t, a->build->workers);
    own->sent_by_responder = MEM_NEW_N(int64_t, a->build->workers);
    responder_state_update(own, counters);
    shared_model_unlock(&own->shared_model, a->worker.transport);
}

void responder_state_close(struct responder_state *own, struct transport *t)
{
    shared_model_lock(&own->shared_model, t);
    own->memory = NULL;
    shared_model_unlock(&own->shared_model, t);
}

struct counters responder_counters(struct responder_state *own, struct transport *t)
{
    shared_model_lock(&own->shared_model, t);
    const struct counters counters = own->counters;
    shared_model_unlock(&own->shared_model, t);
    return counters;
}

static enum status send_counters(struct transport *t, struct responder_state *own, int to)
{
    const struct counters counters = responder_counters(own, t);

    return transport_send(t, to, CONTROL_RESPONDER, &counters, sizeof counters);
}

/* Copied under the lock and sent after it: a transport may wait. */
static enum status send_model(struct transport *t, struct responder_state *own, int to)
{
    const int64_t count = own->shared_model.count;
    float *copy = MEM_NEW_N(float, count);

    shared_model_read(&own->shared_model, t, copy);
    const enum status s =
        transport_send(t, to, CONTROL_RESPONDER, copy, (size_t)count * sizeof *copy);
    mem_free(copy);
    return s;
}

/* The node as it is now: its model and optimiser, which move together, and the rest as of the
 * worker's last round. */
static void pack_locked(struct responder_state *own, struct worker_state *p)
{
    const struct worker_memory *a = own->memory;
    const int workers = a->build->workers;
    int64_t *sent = MEM_NEW_N(int64_t, workers);
    struct worker_memory node = {
        .build = a->build,
        .state = own->shared_model.x,
        .optim = a->optim,
        .numbers = a->numbers,
        .number_count = a->number_count,
        .batches_tracked = own->batches_tracked,
        .sent = a->sent == NULL ? NULL : sent,
    };

    for (int w = 0; w < workers; w++)
        sent[w] = own->sent_by_worker[w] + own->sent_by_responder[w];
    worker_state_pack(p, &node, &own->counters);
    mem_free(sent);
}

void responder_pack_state(struct responder_state *own, struct transport *t, struct worker_state *p)
{
    shared_model_lock(&own->shared_model, t);
    if (own->memory != NULL)
        pack_locked(own, p);
    shared_model_unlock(&own->shared_model, t);
}

static enum status send_state(struct transport *t, struct responder_state *own, int to)
{
    struct worker_state p = {0};

    responder_pack_state(own, t, &p);
    const enum status s =
        transport_send(t, to, CONTROL_RESPONDER, p.words, (size_t)p.count * sizeof *p.words);
    worker_state_release(&p);
    return s;
}

int64_t responder_claim_round(struct responder_state *own)
{
    return atomic_fetch_add(&own->claimed, 1);
}

static enum status send_claimed_round(struct transport *t, struct responder_state *own, int to)
{
    const int64_t number = responder_claim_round(own);

    return transport_send(t, to, CONTROL_RESPONDER, &number, sizeof number);
}

static enum status handle_command(struct transport *t, struct responder_state *own, int from,
                                  enum responder_command command)
{
    switch (command) {
    case RESPONDER_SEND_COUNTERS:
        return send_counters(t, own, from);
    case RESPONDER_SEND_MODEL:
        return send_model(t, own, from);
    case RESPONDER_SEND_STATE:
        return send_state(t, own, from);
    case RESPONDER_CLAIM_ROUND:
        return send_claimed_round(t, own, from);
    case RESPONDER_STOP:
        shared_model_lock(&own->shared_model, t);
        own->stop_requested = true;
        shared_model_unlock(&own->shared_model, t);
        return STATUS_OK;
    case RESPONDER_OPEN:
        return STATUS_OK;
    case RESPONDER_CLOSE:
        return transport_send(t, from, CONTROL_RESPONDER, NULL, 0);
    }
    BUG("command out of range");
}

static enum status answer_request(struct worker *w, struct responder_state *own, int from,
                                  void *data, size_t bytes)
{
    const int64_t before = own->bytes; /* only this thread writes it */

    TRY(algo_answer(w, from, data, bytes));
    shared_model_lock(&own->shared_model, w->transport);
    own->bytes = transport_counters_now(w->transport).bytes_sent;
    own->sent_by_responder[from] += own->bytes - before;
    shared_model_unlock(&own->shared_model, w->transport);
    return STATUS_OK;
}

static enum status serve_requests(struct worker *w, struct responder_state *own, void *room,
                                  size_t capacity)
{
    const transport_kinds both = transport_kinds_of(ALGO_ASK) | transport_kinds_of(CONTROL_COMMAND);
    struct transport *t = w->transport;
    unsigned char command = 0;
    struct envelope e;

    TRY(transport_recv(t, t->rank - t->workers, CONTROL_COMMAND, &e, &command, 1));
    CHECK(command == RESPONDER_OPEN);
    while (command != RESPONDER_CLOSE) {
        TRY(transport_recv_kinds(t, TRANSPORT_ANY, both, &e, &(struct incoming){room, capacity}));
        if (e.kind == CONTROL_COMMAND) {
            memcpy(&command, room, 1);
            TRY(handle_command(t, own, e.from, (enum responder_command)command));
        } else {
            TRY(answer_request(w, own, e.from, room, e.bytes));
        }
    }
    return STATUS_OK;
}

enum status responder_run(const struct build *b, struct transport *t, struct responder_state *own)
{
    const int64_t count = b->layout.state_count;
    float *room = MEM_NEW_N(float, count);
    struct worker w = {
        .algo = b->algo,
        .options = b->config->algorithm.options,
        .transport = t,
        .shared_model = &own->shared_model,
        .layout = &b->layout,
        .statistics = (enum statistics)b->config->train.statistics,
    };

    const enum status s = serve_requests(&w, own, room, (size_t)count * sizeof *room);
    mem_free(room);
    return s;
}
