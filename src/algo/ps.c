/*
 * ps.c - messages of the parameter servers, a worker's round, and the update from all workers.
 *
 * Here: what ps-sync and ps-async share; the rule of ps-sync, which is also that of ps-async with
 * staleness 0.
 * Not here: asynchronous updates (ps_async.c).
 */
#include "algo/ps.h"

#include <string.h>

#include "algo/invariant.h"
#include "base/check.h"
#include "base/mem.h"

_Static_assert(sizeof(struct ps_push) <= PS_HEAD_BYTES, "a push has a head of fixed size");
_Static_assert(offsetof(struct ps_letter, values) == PS_HEAD_BYTES, "floats follow the head");

static size_t letter_bytes(const struct worker *w)
{
    return PS_HEAD_BYTES + (size_t)w->model->state_count * sizeof(float);
}

static int64_t buffer_count(const struct worker *w)
{
    return w->model->state_count - w->model->param_count;
}

enum status ps_begin(struct worker *w)
{
    if (w->memory == NULL) {
        struct ps_memory *m = MEM_NEW(struct ps_memory);

        m->letter = mem_alloc((int64_t)letter_bytes(w), 1);
        if (worker_is_server(w))
            m->statistics = MEM_NEW_N(float, buffer_count(w));
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
    mem_free(m->letter);
    mem_free(m->statistics);
    mem_free(m);
    w->memory = NULL;
}

/* --- a worker --- */

static enum status receive_model(struct worker *w)
{
    struct ps_letter *letter = ps_letter_of(w);
    struct envelope e;

    TRY(transport_recv(w->transport, w->transport->workers, PS_MODEL, &e, letter, letter_bytes(w)));
    w->is_stopped = letter->head.model.is_stop != 0;
    if (w->is_stopped)
        return STATUS_OK;
    CHECK(e.bytes == letter_bytes(w));
    w->round = letter->head.model.version;
    memcpy(w->state, letter->values, (size_t)w->model->state_count * sizeof *w->state);
    return STATUS_OK;
}

/* Before the push is written: the letter still holds the model. A batch with one value per channel
 * leaves the buffers as they came. */
static bool has_statistics(const struct worker *w)
{
    const int64_t params = w->model->param_count;

    return memcmp(w->state + params, ps_letter_of(w)->values + params,
                  (size_t)buffer_count(w) * sizeof *w->state) != 0;
}

static enum status push(struct worker *w)
{
    struct ps_letter *letter = ps_letter_of(w);
    const int64_t params = w->model->param_count;
    const struct ps_push head = {
        .version = letter->head.model.version,
        .batch = w->result.batch,
        .gradients = w->result.gradients,
        .has_statistics = w->result.gradients > 0 && has_statistics(w),
        .asks_stop = w->asks_stop,
        .delayed = w->delayed,
        .account = w->transport->account,
    };

    letter->head.push = head;
    letter->head.push.account.bytes_sent += (int64_t)letter_bytes(w); /* this one is sent too */
    letter->head.push.account.messages_sent++;
    memcpy(letter->values, w->gradient, (size_t)params * sizeof *letter->values);
    memcpy(letter->values + params, w->state + params,
           (size_t)buffer_count(w) * sizeof *letter->values);
    return transport_send(w->transport, w->transport->workers, PS_PUSH, letter, letter_bytes(w));
}

enum status ps_round(struct worker *w, enum ps_batch divisor)
{
    TRY(receive_model(w));
    if (w->is_stopped)
        return STATUS_OK;
    if (divisor == PS_BATCH_ALL)
        TRY(invariant_alike(w, w->state, w->model->param_count));
    problem_draw(w->problem);
    w->problem->global_batch = divisor == PS_BATCH_ALL ? w->problem->batch_total : 0;
    TRY(worker_gradient(w));
    return push(w);
}

/* --- the server --- */

enum status ps_send_model(struct worker *w, int to)
{
    struct ps_letter *letter = ps_letter_of(w);

    letter->head.model = (struct ps_model){.version = w->numbers[PS_VERSION]};
    memcpy(letter->values, w->state, (size_t)w->model->state_count * sizeof *w->state);
    return transport_send(w->transport, to, PS_MODEL, letter, letter_bytes(w));
}

enum status ps_send_stop(struct worker *w, int to)
{
    struct ps_letter *letter = ps_letter_of(w);

    letter->head.model = (struct ps_model){.version = w->numbers[PS_VERSION], .is_stop = 1};
    return transport_send(w->transport, to, PS_MODEL, letter, PS_HEAD_BYTES);
}

static struct transport_account account_sum(const struct transport_account *a,
                                            const struct transport_account *b)
{
    return (struct transport_account){
        .bytes_sent = a->bytes_sent + b->bytes_sent,
        .messages_sent = a->messages_sent + b->messages_sent,
        .computing = a->computing + b->computing,
        .waiting = a->waiting + b->waiting,
        .transferring = a->transferring + b->transferring,
        .sleeping = a->sleeping + b->sleeping,
    };
}

enum status ps_receive_push(struct worker *w, int from, int *sender)
{
    const struct ps_push *head = &ps_letter_of(w)->head.push;
    struct envelope e;

    TRY(transport_recv(w->transport, from, PS_PUSH, &e, ps_letter_of(w), letter_bytes(w)));
    CHECK(e.bytes == letter_bytes(w) && e.from < w->transport->workers);
    w->asks_stop = w->asks_stop || head->asks_stop != 0;
    w->clients[e.from].delayed = head->delayed;
    w->clients[e.from].account = account_sum(&w->clients[e.from].before, &head->account);
    *sender = e.from;
    return STATUS_OK;
}

void ps_note_client(struct worker *w, int sender, int64_t staleness)
{
    const struct ps_push *head = &ps_letter_of(w)->head.push;
    struct client *c = &w->clients[sender];
    const int64_t last = (int64_t)(sizeof c->staleness / sizeof c->staleness[0]) - 1;

    if (head->batch.samples == 0) {
        c->empty++;
        return;
    }
    c->updates++;
    c->samples += head->batch.samples;
    c->loss_sum += head->batch.loss_sum;
    c->staleness_sum += staleness;
    if (staleness > c->staleness_max)
        c->staleness_max = staleness;
    c->staleness[staleness < last ? staleness : last]++;
}

/* The sum starts as the first worker's vector, not as zero: 0 + -0 is not -0. */
static void add_push(struct worker *w, int sender)
{
    const struct ps_letter *letter = ps_letter_of(w);
    const int64_t params = w->model->param_count;

    if (sender == 0)
        memcpy(w->gradient, letter->values, (size_t)params * sizeof *w->gradient);
    else
        w->optim->kernel->add(w->gradient, w->gradient, letter->values, params);
    worker_note_batch(w, &letter->head.push.batch);
}

/* Answers how many workers' statistics are in the sum now, after `before`. */
static int add_statistics(struct worker *w, int before)
{
    const struct ps_letter *letter = ps_letter_of(w);
    float *sum = ((struct ps_memory *)w->memory)->statistics;
    const float *own = letter->values + w->model->param_count;

    if (letter->head.push.has_statistics == 0)
        return before;
    if (before == 0)
        memcpy(sum, own, (size_t)buffer_count(w) * sizeof *sum);
    else
        w->optim->kernel->add(sum, sum, own, buffer_count(w));
    return before + 1;
}

void ps_move_statistics(struct worker *w, const float *statistics)
{
    model_move_statistics(w->model, w->state + w->model->param_count, statistics);
    for (int64_t i = 0; w->counters != NULL && i < w->model->counter_count; i++)
        w->counters[i]++;
}

static void move_mean_statistics(struct worker *w, int count)
{
    float *sum = ((struct ps_memory *)w->memory)->statistics;

    if (count == 0)
        return;
    if (count > 1)
        w->optim->kernel->scale(sum, 1.0F / (float)count, buffer_count(w));
    ps_move_statistics(w, sum);
}

enum status ps_serve_all(struct worker *w)
{
    const int workers = w->transport->workers;
    int sender = 0, statistics = 0;

    w->result = (struct round_result){0};
    for (int p = 0; p < workers; p++)
        TRY(ps_send_model(w, p));
    for (int p = 0; p < workers; p++) {
        TRY(ps_receive_push(w, p, &sender));
        ps_note_client(w, p, 0);
        add_push(w, p);
        statistics = add_statistics(w, statistics);
    }
    worker_update(w);
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
