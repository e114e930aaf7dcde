/*
 * transport.c - the checked functions of a transport, and an endpoint's counters of time and bytes.
 *
 * A call's time is split in what the transport says it waited and the rest, which is transferring.
 * While a worker computes, the clock of computing stops for the time of each call.
 */
#include "comm/transport.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/team.h"
#include "comm/sum.h"
#include "comm/trace.h"

/* A call under way: when it began, and what had been waited before it. */
struct call {
    double began, waiting;
};

static struct call begin_call(struct transport *t)
{
    const struct call c = {.began = t->ops->now(t), .waiting = t->counters.waiting};

    CHECK(t->locks_held == 0);
    if (t->is_computing)
        t->counters.computing += c.began - t->computing_since;
    return c;
}

/* Answers what the call took beside waiting. */
static double end_call(struct transport *t, struct call c, enum trace_what what)
{
    const double now = t->ops->now(t);
    const double waited = t->counters.waiting - c.waiting;

    t->computing_since = now;
    if (t->trace != NULL)
        trace_call(t, &(struct trace_call){c.began, now, waited, what});
    return fmax(0.0, now - c.began - waited);
}

static bool is_control(int kind)
{
    return kind >= TRANSPORT_CONTROL;
}

/* --- messages --- */

size_t transport_outgoing_bytes(const struct outgoing *parts, int count)
{
    size_t bytes = 0;

    for (int i = 0; i < count; i++)
        bytes += parts[i].bytes;
    return bytes;
}

size_t transport_incoming_bytes(const struct incoming *parts, int count)
{
    size_t bytes = 0;

    for (int i = 0; i < count; i++)
        bytes += parts[i].bytes;
    return bytes;
}

void transport_gather_parts(void *message, const struct outgoing *parts, int count)
{
    char *at = message;

    for (int i = 0; i < count; i++) {
        if (parts[i].bytes > 0)
            memcpy(at, parts[i].data, parts[i].bytes);
        at += parts[i].bytes;
    }
}

void transport_spread_parts(const struct incoming *parts, int count, const void *message,
                            size_t bytes)
{
    const char *at = message;

    for (int i = 0; i < count && bytes > 0; i++) {
        const size_t n = parts[i].bytes < bytes ? parts[i].bytes : bytes;

        if (n > 0)
            memcpy(parts[i].data, at, n);
        at += n;
        bytes -= n;
    }
}

void transport_copy_parts(const struct incoming *parts, int count, const struct outgoing *from,
                          int from_count)
{
    size_t done = 0; /* of the first part that is not full */

    for (int i = 0, k = 0; k < from_count; k++) {
        for (size_t taken = 0; taken < from[k].bytes;) {
            for (; i < count && done == parts[i].bytes; i++)
                done = 0;
            CHECK(i < count);

            const size_t room = parts[i].bytes - done, left = from[k].bytes - taken;
            const size_t n = room < left ? room : left;

            memcpy((char *)parts[i].data + done, (const char *)from[k].data + taken, n);
            done += n;
            taken += n;
        }
    }
}

static void charge_message(struct transport *t, int to, size_t bytes, double spent)
{
    t->counters.transferring += spent;
    t->counters.bytes_sent += (int64_t)bytes;
    t->counters.messages_sent++;
    if (t->sent_to != NULL)
        t->sent_to[to] += (int64_t)bytes;
}

enum status transport_send_parts(struct transport *t, int to, int kind,
                                 const struct outgoing *parts, int count)
{
    CHECK(to >= 0 && to < t->size);
    CHECK(kind >= 0 && kind < TRANSPORT_KINDS);
    for (int i = 0; i < count; i++)
        CHECK(parts[i].data != NULL || parts[i].bytes == 0);

    const size_t bytes = transport_outgoing_bytes(parts, count);
    const struct call c = begin_call(t);
    const enum status s = t->ops->send(t, to, kind, parts, count);
    const double spent = end_call(t, c, is_control(kind) ? TRACE_CONTROL : TRACE_SEND);

    if (s == STATUS_OK && !is_control(kind))
        charge_message(t, to, bytes, spent);
    return s;
}

enum status transport_send(struct transport *t, int to, int kind, const void *data, size_t bytes)
{
    return transport_send_parts(t, to, kind, &(struct outgoing){data, bytes}, 1);
}

static enum status send_one_by_one(struct transport *t, const struct peers *to, int kind,
                                   const struct outgoing *parts, int count)
{
    for (int i = 0; i < to->count; i++)
        TRY(transport_send_parts(t, to->ranks[i], kind, parts, count));
    return STATUS_OK;
}

enum status transport_send_parts_each(struct transport *t, const struct peers *to, int kind,
                                      const struct outgoing *parts, int count)
{
    const size_t bytes = transport_outgoing_bytes(parts, count);

    if (t->ops->send_each == NULL || to->count < 2)
        return send_one_by_one(t, to, kind, parts, count);
    CHECK(kind >= 0 && kind < TRANSPORT_KINDS);
    for (int i = 0; i < count; i++)
        CHECK(parts[i].data != NULL || parts[i].bytes == 0);
    for (int i = 0; i < to->count; i++)
        CHECK(to->ranks[i] >= 0 && to->ranks[i] < t->size);

    const struct call c = begin_call(t);
    const enum status s = t->ops->send_each(t, to, kind, parts, count);
    const double spent = end_call(t, c, is_control(kind) ? TRACE_CONTROL : TRACE_SEND);

    for (int i = 0; s == STATUS_OK && !is_control(kind) && i < to->count; i++)
        charge_message(t, to->ranks[i], bytes, spent / to->count);
    return s;
}

enum status transport_send_each(struct transport *t, const struct peers *to, int kind,
                                const void *data, size_t bytes)
{
    return transport_send_parts_each(t, to, kind, &(struct outgoing){data, bytes}, 1);
}

static enum status receive(struct transport *t, int from, transport_kinds kinds, struct envelope *e,
                           const struct incoming *parts, int count)
{
    CHECK(from == TRANSPORT_ANY || (from >= 0 && from < t->size));
    for (int i = 0; i < count; i++)
        CHECK(parts[i].data != NULL || parts[i].bytes == 0);
    CHECK(kinds != 0 && !t->has_borrowed);

    const struct call c = begin_call(t);
    const enum status s = t->ops->recv(t, from, kinds, e, parts, count);
    const bool controls = s == STATUS_OK && is_control(e->kind);
    const double spent = end_call(t, c, controls ? TRACE_CONTROL : TRACE_RECEIVE);

    t->counters.transferring += controls ? 0.0 : spent;
    return s;
}

enum status transport_recv_parts(struct transport *t, int from, int kind, struct envelope *e,
                                 const struct incoming *parts, int count)
{
    struct envelope unread = {.kind = kind};

    CHECK(kind >= 0 && kind < TRANSPORT_KINDS);
    return receive(t, from, transport_kinds_of(kind), e == NULL ? &unread : e, parts, count);
}

enum status transport_recv_kinds(struct transport *t, int from, transport_kinds kinds,
                                 struct envelope *e, const struct incoming *place)
{
    return receive(t, from, kinds, e, place, 1);
}

enum status transport_recv(struct transport *t, int from, int kind, struct envelope *e,
                           void *buffer, size_t capacity)
{
    return transport_recv_parts(t, from, kind, e, &(struct incoming){buffer, capacity}, 1);
}

enum status transport_await(struct transport *t, const struct peers *from, int kind)
{
    if (t->ops->await == NULL || from->count == 0)
        return STATUS_OK;
    CHECK(kind >= 0 && kind < TRANSPORT_KINDS);
    for (int i = 0; i < from->count; i++)
        CHECK(from->ranks[i] >= 0 && from->ranks[i] < t->size);

    const struct call c = begin_call(t);
    const enum status s = t->ops->await(t, from, kind);

    end_call(t, c, is_control(kind) ? TRACE_CONTROL : TRACE_RECEIVE);
    return s;
}

enum status transport_borrow(struct transport *t, int from, int kind, struct envelope *e,
                             const struct incoming *place, const void **data)
{
    if (t->ops->borrow == NULL) {
        *data = place->data;
        return transport_recv_parts(t, from, kind, e, place, 1);
    }
    CHECK(from == TRANSPORT_ANY || (from >= 0 && from < t->size));
    CHECK(kind >= 0 && kind < TRANSPORT_KINDS);
    CHECK(place->data != NULL && !t->has_borrowed);

    const struct call c = begin_call(t);
    const enum status s = t->ops->borrow(t, from, kind, e, place, data);
    const double spent = end_call(t, c, is_control(kind) ? TRACE_CONTROL : TRACE_RECEIVE);

    t->counters.transferring += is_control(kind) ? 0.0 : spent;
    t->has_borrowed = s == STATUS_OK;
    return s;
}

void transport_give_back(struct transport *t)
{
    if (t->has_borrowed)
        t->ops->give_back(t);
    t->has_borrowed = false;
}

/* --- sums --- */

/* Each worker sends every other worker that worker's chunk, then its own summed chunk to all. */
static void charge_sum(struct transport *t, const struct sum *s)
{
    int64_t begin = 0, end = 0;

    if (s->is_control || t->workers == 1 || s->count == 0)
        return;
    team_part(s->count, t->rank, t->workers, &begin, &end);

    const int64_t mine = end - begin;
    const int64_t elements = s->count - mine + mine * (t->workers - 1);

    t->counters.bytes_sent += elements * (int64_t)sum_type_size(s->type);
    t->counters.messages_sent += (int64_t)2 * (t->workers - 1);
}

static void end_sum_call(struct transport *t, struct call c, bool is_control)
{
    const double spent = end_call(t, c, is_control ? TRACE_CONTROL : TRACE_SUM);

    t->counters.transferring += is_control ? 0.0 : spent;
}

/* Of a sum that was started and not waited for. */
static struct started_sum *open_sum(struct transport *t, sum_ticket ticket)
{
    CHECK(ticket >= 0 && ticket < t->sums_started);

    struct started_sum *sum = &t->sums[ticket % TRANSPORT_SUMS_MAX];

    CHECK(sum->is_open && sum->ticket == ticket);
    return sum;
}

enum status transport_sum_start(struct transport *t, const struct sum *s, sum_ticket *ticket)
{
    struct started_sum *sum = &t->sums[t->sums_started % TRANSPORT_SUMS_MAX];

    CHECK(t->rank < t->workers);
    CHECK(!sum->is_open);
    CHECK(s->count >= 0 && (s->data != NULL || s->count == 0));

    const struct call c = begin_call(t);
    const enum status status = t->ops->sum_start(t, s, t->sums_started);

    end_sum_call(t, c, s->is_control);
    if (status != STATUS_OK)
        return status;
    *ticket = t->sums_started++;
    *sum = (struct started_sum){.ticket = *ticket, .is_open = true, .is_control = s->is_control};
    charge_sum(t, s);
    return STATUS_OK;
}

enum status transport_sum_poll(struct transport *t, sum_ticket ticket, bool *done)
{
    const struct started_sum *sum = open_sum(t, ticket);

    *done = false;
    if (t->ops->sum_poll == NULL)
        return STATUS_OK;

    const struct call c = begin_call(t);
    const enum status s = t->ops->sum_poll(t, ticket, done);

    end_sum_call(t, c, sum->is_control);
    return s;
}

enum status transport_sum_wait(struct transport *t, sum_ticket ticket)
{
    struct started_sum *sum = open_sum(t, ticket);
    const struct call c = begin_call(t);
    const enum status s = t->ops->sum_wait(t, ticket);

    sum->is_open = false;
    end_sum_call(t, c, sum->is_control);
    return s;
}

enum status transport_sum(struct transport *t, const struct sum *s)
{
    sum_ticket ticket = 0;

    TRY(transport_sum_start(t, s, &ticket));
    return transport_sum_wait(t, ticket);
}

enum status transport_barrier(struct transport *t)
{
    const struct sum nothing = {.is_control = true};

    return transport_sum(t, &nothing);
}

/* --- time --- */

void transport_compute_begin(struct transport *t)
{
    CHECK(!t->is_computing);

    const struct call c = begin_call(t);

    t->ops->compute_begin(t);
    t->counters.waiting += end_call(t, c, TRACE_WAIT);
    t->is_computing = true;
}

void transport_compute_end(struct transport *t)
{
    CHECK(t->is_computing);
    t->ops->compute_end(t);
    t->is_computing = false;

    const double now = t->ops->now(t);

    t->counters.computing += now - t->computing_since;
    if (t->trace != NULL)
        trace_computed(t->trace, now);
}

enum status transport_work(struct transport *t, const struct work *w)
{
    CHECK(w->flops >= 0 && isfinite(w->flops) && w->bytes >= 0 && isfinite(w->bytes));
    CHECK(t->locks_held == 0);
    if (t->ops->work == NULL)
        return STATUS_OK;

    const double began = t->ops->now(t);
    const enum status s = t->ops->work(t, w);
    const double now = t->ops->now(t);

    if (t->is_computing) /* it is a part of that computation */
        return s;
    t->counters.computing += now - began;
    if (t->trace != NULL)
        trace_call(t, &(struct trace_call){.start = began, .end = now, .what = TRACE_COMPUTE});
    return s;
}

enum status transport_sleep(struct transport *t, double seconds)
{
    CHECK(seconds >= 0.0 && isfinite(seconds));

    const struct call c = begin_call(t);
    const enum status s = t->ops->sleep(t, seconds);

    t->counters.sleeping += end_call(t, c, TRACE_SLEEP);
    return s;
}

double transport_now(struct transport *t)
{
    return t->ops->now(t);
}

struct transport_counters transport_counters_now(struct transport *t)
{
    struct transport_counters a = t->counters;

    if (t->is_computing)
        a.computing += t->ops->now(t) - t->computing_since;
    return a;
}

void transport_abort(struct transport *t, enum status why, const char *text)
{
    CHECK(why != STATUS_OK && text != NULL);
    t->ops->abort(t, why, text);
}

struct endpoint_name transport_name_of(const struct transport *t, int rank)
{
    struct endpoint_name name;

    if (rank < t->workers)
        snprintf(name.text, sizeof name.text, "worker %d", rank);
    else if (t->size > t->workers + 1)
        snprintf(name.text, sizeof name.text, "responder %d", rank - t->workers);
    else
        snprintf(name.text, sizeof name.text, "the server");
    return name;
}
