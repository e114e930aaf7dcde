/*
 * ad_psgd.c - asynchronous decentralised SGD: every node computes at its own pace, and averages
 * with one random neighbour after each gradient.
 *
 *     xh = x_i;  g = grad f_i(xh)                     others may move x_i meanwhile
 *     x_i, x_j  <-  (x_i + x_j) / 2                   at once; j a random neighbour
 *     x_i  <-  x_i - a_k direction(g)
 *
 * A worker asks the responder beside j with its own model, and gets j's as the answer; both make
 * the same mean of the two. The responder answers while worker j computes, sleeps or has ended.
 * Nobody moves x_i between question and answer: who asks i then is held, if its number is lower
 * and nobody else is held, and answered afterwards; else refused. So those that wait, wait for
 * higher numbers only, in no circle, and the rule needs no graph of two colours. Who is refused
 * draws another neighbour, a few times, and then goes on without.
 *
 * Here: the rule and its two messages. Not here: the responder's loop and how a run ends (train/).
 *
 * Lian, Zhang, Zhang, Liu: "Asynchronous Decentralized Parallel Stochastic Gradient Descent", 2018.
 */
#include <string.h>

#include "algo/desk.h"
#include "algo/list.h"
#include "algo/mixing.h"
#include "base/check.h"
#include "base/rng.h"

enum { ANSWER = 1, TRIES = 4 };

/* Averages that this worker asked for, and rounds that went without. */
enum { EXCHANGES, MISSED, AD_PSGD_NUMBERS };

static int ad_psgd_number_count(const void *options, int workers, bool is_server)
{
    (void)options;
    (void)workers;
    (void)is_server;
    return AD_PSGD_NUMBERS;
}

/* Whether buffers are a network's statistics: then the state gets each batch's own. */
static bool has_statistics(const struct worker *w)
{
    return w->model != NULL && w->model->tensor_count > 0 &&
           w->problem->state_count > w->problem->param_count;
}

static enum status ad_psgd_begin(struct worker *w)
{
    CHECK(w->desk != NULL);
    TRY(mixing_begin(w));
    w->problem->raw_statistics = has_statistics(w);
    desk_open(w->desk, w->state, w->problem->state_count);
    return STATUS_OK;
}

/* --- two nodes --- */

/* What two nodes exchange: buffers too where statistics are averaged. */
static int64_t exchanged_count(const struct worker *w)
{
    return w->statistics == STATISTICS_AVERAGE ? w->desk->count : w->model->param_count;
}

/* The same bits on both sides. */
static void average(float *x, const float *other, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        x[i] = 0.5F * (x[i] + other[i]);
}

/* With the lock held, when nobody is asked. */
static enum status meet_half_way(struct worker *w, int with, const float *other)
{
    struct desk *d = w->desk;
    const int64_t count = exchanged_count(w);

    TRY(transport_send(w->transport, with, ANSWER, d->x, (size_t)count * sizeof *d->x));
    average(d->x, other, count);
    return STATUS_OK;
}

/* A responder's: somebody asks, and sends its model. */
static enum status ad_psgd_answer(struct worker *w, int from, const float *x, size_t bytes)
{
    struct desk *d = w->desk;
    const int own = worker_rank(w) - w->transport->workers;
    enum status s = STATUS_OK;

    CHECK(bytes == (size_t)exchanged_count(w) * sizeof *x);
    desk_lock(d);
    if (d->asked == DESK_NOBODY) {
        s = meet_half_way(w, from, x);
    } else if (from < own && d->held == DESK_NOBODY) {
        d->held = from;
        memcpy(d->held_x, x, bytes);
    } else {
        s = transport_send(w->transport, from, ANSWER, NULL, 0);
    }
    desk_unlock(d);
    return s;
}

static enum status send_question(struct worker *w, int peer)
{
    struct desk *d = w->desk;

    desk_lock(d);
    d->asked = peer;
    const enum status s = transport_send(w->transport, w->transport->workers + peer, ALGO_ASK, d->x,
                                         (size_t)exchanged_count(w) * sizeof *d->x);
    desk_unlock(d);
    return s;
}

static enum status end_question(struct worker *w, const float *other, bool *met)
{
    struct desk *d = w->desk;
    enum status s = STATUS_OK;

    desk_lock(d);
    if (*met)
        average(d->x, other, exchanged_count(w));
    d->asked = DESK_NOBODY;
    if (d->held != DESK_NOBODY)
        s = meet_half_way(w, d->held, d->held_x);
    d->held = DESK_NOBODY;
    desk_unlock(d);
    return s;
}

/* One question is under way at a time, so the next answer is its answer, whoever writes it: the
 * responder, or the worker itself if the question was held. */
static enum status ask(struct worker *w, int peer, bool *met)
{
    const struct mixing *m = w->memory;
    const size_t room = (size_t)exchanged_count(w) * sizeof *m->heard;
    struct envelope e;

    TRY(send_question(w, peer));
    TRY(transport_recv(w->transport, TRANSPORT_ANY, ANSWER, &e, m->heard, room));
    CHECK(e.bytes == 0 || e.bytes == room);
    *met = e.bytes > 0;
    return end_question(w, m->heard, met);
}

static enum status exchange(struct worker *w)
{
    const struct mixing *m = w->memory;
    const struct rng r = rng_make(w->seed, RNG_PEER, (uint32_t)worker_rank(w));
    bool met = false;

    for (uint32_t i = 0; i < TRIES && !met && m->near.in_count > 0; i++)
        TRY(ask(w, m->near.in[rng_below(&r, (uint64_t)w->round, i, m->near.in_count)], &met));
    desk_lock(w->desk);
    w->numbers[met ? EXCHANGES : MISSED]++;
    desk_unlock(w->desk);
    return STATUS_OK;
}

/* --- a round --- */

/* What the gradient did to the buffers of the copy is done to the model's, which may be others by
 * now. A batch may have no statistics, and then they are as they were read. */
static void move_buffers(struct worker *w, const float *read)
{
    const int64_t params = w->problem->param_count, count = w->problem->state_count;
    float *x = w->desk->x;

    if (memcmp(w->state + params, read + params, (size_t)(count - params) * sizeof *x) == 0)
        return;
    if (has_statistics(w))
        model_move_statistics(w->model, x + params, w->state + params);
    else
        for (int64_t i = params; i < count; i++)
            x[i] += w->state[i] - read[i];
}

static void step(struct worker *w)
{
    const struct mixing *m = w->memory;

    if (w->problem->batch_size == 0)
        return;
    desk_lock(w->desk);
    optim_update(w->optim, w->desk->x, w->gradient, w->rates);
    move_buffers(w, m->lag);
    desk_unlock(w->desk);
}

static enum status ad_psgd_round(struct worker *w)
{
    struct mixing *m = w->memory;

    mixing_look(m, w);
    desk_read(w->desk, w->state);
    memcpy(m->lag, w->state, (size_t)w->desk->count * sizeof *m->lag);
    TRY(mixing_gradient(w));
    TRY(exchange(w));
    step(w);
    return STATUS_OK;
}

static enum status ad_psgd_dismiss(struct worker *w)
{
    desk_read(w->desk, w->state);
    return STATUS_OK;
}

const struct algo_ops ad_psgd_algo = {
    .entry = {.name = "ad-psgd",
              .summary = "asynchronous: after each gradient a node averages with one neighbour"},
    .kind = ALGO_FREE,
    .view = ALGO_VIEW_EACH,
    .needs_graph = true,
    .links = ALGO_LINKS_BOTH_WAYS,
    .work_count = 5,
    .number_count = ad_psgd_number_count,
    .begin = ad_psgd_begin,
    .round = ad_psgd_round,
    .answer = ad_psgd_answer,
    .dismiss = ad_psgd_dismiss,
    .end = mixing_end,
};
