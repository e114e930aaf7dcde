/*
 * ps.c - messages of the parameter servers, a worker's round, and the update from all workers.
 *
 * Here: what ps-sync and ps-async share; the rule of ps-sync, which is also that of ps-async with
 * staleness 0.
 * Not here: asynchronous updates (ps_async.c).
 */
#include "algo/parts/ps.h"

#include <string.h>

#include "algo/parts/invariant.h"
#include "base/check.h"
#include "base/mem.h"

_Static_assert(sizeof(struct ps_push) <= PS_HEAD_BYTES, "a push has a head of fixed size");
_Static_assert(sizeof(union ps_head) == PS_HEAD_BYTES, "floats follow the head");

static struct ps_memory *memory_of(const struct worker *w)
{
    return w->memory;
}

static int64_t buffer_count(const struct worker *w)
{
    return w->layout->state_count - w->layout->param_count;
}

static size_t param_bytes(const struct worker *w)
{
    return (size_t)w->layout->param_count * sizeof(float);
}

static size_t buffer_bytes(const struct worker *w)
{
    return (size_t)buffer_count(w) * sizeof(float);
}

static size_t message_bytes(const struct worker *w)
{
    return PS_HEAD_BYTES + param_bytes(w) + buffer_bytes(w);
}

enum status ps_begin(struct worker *w)
{
    if (w->memory == NULL) {
        struct ps_memory *m = MEM_NEW(struct ps_memory);

        m->buffers = MEM_NEW_N(float, buffer_count(w));
        if (worker_is_server(w)) {
            worker_take_gradient(w); /* until the end: a server computes all the time */
            m->ranks = MEM_NEW_N(int, w->transport->workers);
            m->statistics = MEM_NEW_N(float, buffer_count(w));
            m->addend = MEM_NEW_N(float, w->layout->param_count);
        }
        w->memory = m;
    }
    if (w->problem != NULL)
        w->problem->raw_statistics = true; /* the server has the running average */
    return STATUS_OK;
}

void ps_end(struct worker *w)
{
    struct ps_memory *m = w->memory;

    if (m == NULL)
        return;
    mem_free(m->buffers);
    mem_free(m->statistics);
    mem_free(m->ranks);
    mem_free(m->addend);
    mem_free(m);
    w->memory = NULL;
}

/* --- a worker --- */

static enum status receive_model(struct worker *w)
{
    struct ps_memory *m = memory_of(w);
    const struct incoming parts[] = {
        {&m->head, PS_HEAD_BYTES                   },
        {w->state, param_bytes(w) + buffer_bytes(w)},
    };
    struct envelope e;

    TRY(transport_recv_parts(w->transport, w->transport->workers, PS_MODEL, &e, parts, 2));
    w->is_stopped = m->head.model.is_stop != 0;
    if (w->is_stopped)
        return STATUS_OK;
    CHECK(e.bytes == message_bytes(w));
    w->round = m->head.model.version;
    memcpy(m->buffers, w->state + w->layout->param_count, buffer_bytes(w));
    return STATUS_OK;
}

/* A batch with one value per channel leaves the buffers as they came. */
static bool has_statistics(const struct worker *w)
{
    return memcmp(w->state + w->layout->param_count, memory_of(w)->buffers, buffer_bytes(w)) != 0;
}

static enum status push(struct worker *w)
{
    struct ps_memory *m = memory_of(w);
    const struct outgoing parts[] = {
        {&m->head,                          PS_HEAD_BYTES  },
        {w->gradient,                       param_bytes(w) },
        {w->state + w->layout->param_count, buffer_bytes(w)},
    };
    const struct ps_push head = {
        .version = m->head.model.version,
        .batch = w->result.batch,
        .gradients = w->result.gradients,
        .has_statistics = w->result.gradients > 0 && has_statistics(w),
        .asks_stop = w->asks_stop,
        .delayed = w->delayed,
        .counters = w->transport->counters,
    };

    m->head.push = head;
    m->head.push.counters.bytes_sent += (int64_t)message_bytes(w); /* this one is sent too */
    m->head.push.counters.messages_sent++;
    return transport_send_parts(w->transport, w->transport->workers, PS_PUSH, parts, 3);
}

enum status ps_round(struct worker *w, enum ps_batch divisor)
{
    TRY(receive_model(w));
    if (w->is_stopped)
        return STATUS_OK;
    if (divisor == PS_BATCH_ALL)
        TRY(invariant_alike(w, w->state, w->layout->param_count));
    problem_draw(w->problem);
    w->problem->global_batch = divisor == PS_BATCH_ALL ? w->problem->batch_total : 0;
    TRY(worker_gradient(w));
    return push(w);
}

/* --- the server --- */

int *ps_ranks(const struct worker *w)
{
    return memory_of(w)->ranks;
}

enum status ps_send_model(struct worker *w, const struct peers *to)
{
    const union ps_head head = {.model = {.version = w->numbers[PS_VERSION]}};
    const struct outgoing parts[] = {
        {&head,    PS_HEAD_BYTES                   },
        {w->state, param_bytes(w) + buffer_bytes(w)},
    };

    return transport_send_parts_each(w->transport, to, PS_MODEL, parts, 2);
}

enum status ps_send_stop(struct worker *w, int to)
{
    const union ps_head head = {
        .model = {.version = w->numbers[PS_VERSION], .is_stop = 1}
    };

    return transport_send(w->transport, to, PS_MODEL, &head, PS_HEAD_BYTES);
}

static struct transport_counters counters_sum(const struct transport_counters *a,
                                              const struct transport_counters *b)
{
    return (struct transport_counters){
        .bytes_sent = a->bytes_sent + b->bytes_sent,
        .messages_sent = a->messages_sent + b->messages_sent,
        .computing = a->computing + b->computing,
        .waiting = a->waiting + b->waiting,
        .transferring = a->transferring + b->transferring,
        .sleeping = a->sleeping + b->sleeping,
    };
}

enum status ps_receive_push(struct worker *w, int from, float *gradient, int *sender)
{
    struct ps_memory *m = memory_of(w);
    const struct incoming parts[] = {
        {&m->head,   PS_HEAD_BYTES  },
        {gradient,   param_bytes(w) },
        {m->buffers, buffer_bytes(w)},
    };
    struct envelope e;

    TRY(transport_recv_parts(w->transport, from, PS_PUSH, &e, parts, 3));
    CHECK(e.bytes == message_bytes(w) && e.from < w->transport->workers);

    struct client *c = &w->clients[e.from];

    w->asks_stop = w->asks_stop || m->head.push.asks_stop != 0;
    c->delayed = m->head.push.delayed;
    c->counters = counters_sum(&c->before, &m->head.push.counters);
    *sender = e.from;
    return STATUS_OK;
}

void ps_note_client(struct worker *w, int sender, int64_t staleness)
{
    const struct ps_push *head = ps_push_of(w);
    struct client *c = &w->clients[sender];
    const int64_t last = (int64_t)(sizeof c->staleness / sizeof c->staleness[0]) - 1;

    if (head->batch.samples == 0) {
        c->empty++;
        return;
    }
    c->updates++;
    c->samples += head->batch.samples;
    c->loss_sum += head->batch.loss_sum;
    c->correct += head->batch.correct;
    c->correct5 += head->batch.correct5;
    c->staleness_sum += staleness;
    if (staleness > c->staleness_max)
        c->staleness_max = staleness;
    c->staleness[staleness < last ? staleness : last]++;
}

/* The sum starts as the first worker's vector, not as zero: 0 + -0 is not -0. */
static enum status receive_addend(struct worker *w, int from)
{
    float *addend = from == 0 ? w->gradient : memory_of(w)->addend;
    const struct ps_push *head = ps_push_of(w);
    int sender = 0;

    TRY(ps_receive_push(w, from, addend, &sender));
    ps_note_client(w, from, 0);
    worker_note_batch(w, &head->batch);
    if (from == 0)
        return STATUS_OK;
    w->optim->kernel->add(w->gradient, w->gradient, addend, w->layout->param_count);
    return worker_report_vectors(w, &(struct vector_work){w->layout->param_count, 1, 3});
}

/* Answers how many workers' statistics are in the sum now, after `before`. */
static int add_statistics(struct worker *w, int before)
{
    const struct ps_memory *m = memory_of(w);

    if (m->head.push.has_statistics == 0)
        return before;
    if (before == 0)
        memcpy(m->statistics, m->buffers, buffer_bytes(w));
    else
        w->optim->kernel->add(m->statistics, m->statistics, m->buffers, buffer_count(w));
    return before + 1;
}

/* The running statistics go on by these of a batch, and their batches are counted. */
static void move_by(struct worker *w, const float *statistics)
{
    tensor_layout_move_statistics(w->layout, w->state + w->layout->param_count, statistics);
    for (int64_t i = 0; w->batches_tracked != NULL && i < w->layout->tracked_count; i++)
        w->batches_tracked[i]++;
}

void ps_move_statistics(struct worker *w)
{
    if (ps_push_of(w)->has_statistics != 0)
        move_by(w, memory_of(w)->buffers);
}

static void move_mean_statistics(struct worker *w, int count)
{
    float *sum = memory_of(w)->statistics;

    if (count == 0)
        return;
    if (count > 1)
        w->optim->kernel->scale(sum, 1.0F / (float)count, buffer_count(w));
    move_by(w, sum);
}

enum status ps_serve_all(struct worker *w)
{
    const int workers = w->transport->workers;
    int statistics = 0;

    w->result = (struct round_result){0};
    for (int p = 0; p < workers; p++)
        ps_ranks(w)[p] = p;
    TRY(ps_send_model(w, &(struct peers){ps_ranks(w), workers}));
    for (int p = 0; p < workers; p++) {
        TRY(receive_addend(w, p));
        statistics = add_statistics(w, statistics);
    }
    TRY(worker_update(w));
    move_mean_statistics(w, statistics);
    w->numbers[PS_VERSION]++;
    return STATUS_OK;
}

enum status ps_dismiss_all(struct worker *w)
{
    for (int p = 0; p < w->transport->workers; p++)
        TRY(ps_send_stop(w, p));
    return STATUS_OK;
}
