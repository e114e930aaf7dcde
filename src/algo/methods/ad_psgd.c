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

#include "algo/list.h"
#include "algo/parts/mixing.h"
#include "algo/parts/shared_model.h"
#include "base/check.h"
#include "base/mem.h"
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

struct ad_psgd {
    struct mixing mixing;
    float *read; /* [state_count - param_count]: the buffers as they were read */
};

/* Whether buffers are a network's statistics: then the state gets each batch's own. */
static bool has_statistics(const struct worker *w)
{
    return tensor_layout_has_statistics(w->layout);
}

/* Positions belong to rounds, and draws differ between nodes: there is no common round. */
static enum status ad_psgd_check(const struct algo_setting *s)
{
    if (s->topology_facts == NULL || !s->topology_facts->moves)
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT,
                "graph: nodes that move must be in the same round, and those of ad-psgd are not; "
                "let them stay, or choose a synchronous algorithm such as dsgd");
}

static enum status ad_psgd_begin(struct worker *w)
{
    struct ad_psgd *a = MEM_NEW(struct ad_psgd);

    CHECK(w->shared_model != NULL);
    w->memory = a;
    mixing_init(&a->mixing, w);
    a->read = MEM_NEW_N(float, w->problem->state_count - w->problem->param_count);
    w->problem->raw_statistics = has_statistics(w);
    shared_model_open(w->shared_model, w->state, w->problem->state_count);
    return STATUS_OK;
}

static void ad_psgd_end(struct worker *w)
{
    struct ad_psgd *a = w->memory;

    if (a != NULL)
        mem_free(a->read);
    mem_free(a);
    w->memory = NULL;
}

/* --- two nodes --- */

/* What two nodes exchange: buffers too where statistics are averaged. */
static int64_t exchanged_count(const struct worker *w)
{
    return w->statistics == STATISTICS_AVERAGE ? w->shared_model->count : w->layout->param_count;
}

/* The same bits on both sides. */
static void average_pair(float *x, const float *other, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        x[i] = 0.5F * (x[i] + other[i]);
}

/* The same, and other <- what x was: the answer to one who has sent `other`. */
static void average_and_swap(float *x, float *other, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        const float own = x[i];

        x[i] = 0.5F * (own + other[i]);
        other[i] = own;
    }
}

/* After the lock was given back: a transport may wait. */
static enum status report_average(struct worker *w)
{
    return worker_report_vectors(w, &(struct vector_work){exchanged_count(w), 2, 4});
}

/* A responder's: another node asks, and sends its model. Nothing is sent with the lock held. */
static enum status ad_psgd_answer(struct worker *w, int from, float *x, size_t bytes)
{
    struct shared_model *shared = w->shared_model;
    const int own = worker_rank(w) - w->transport->workers;
    bool answers = false, holds = false;

    CHECK(bytes == (size_t)exchanged_count(w) * sizeof *x);
    shared_model_lock(shared, w->transport);
    if (shared->asked == SHARED_MODEL_NOBODY) {
        answers = true;
        average_and_swap(shared->x, x, exchanged_count(w));
    } else if (from < own && shared->held == SHARED_MODEL_NOBODY) {
        holds = true;
        shared->held = from;
        memcpy(shared->held_x, x, bytes);
    }
    shared_model_unlock(shared, w->transport);
    if (holds)
        return STATUS_OK;
    if (answers)
        TRY(report_average(w));
    return transport_send(w->transport, from, ANSWER, answers ? x : NULL, answers ? bytes : 0);
}

/* The model does not change while a question is open: it may be read without the lock. */
static enum status send_question(struct worker *w, int peer)
{
    struct shared_model *shared = w->shared_model;

    shared_model_lock(shared, w->transport);
    shared->asked = peer;
    shared_model_unlock(shared, w->transport);
    return transport_send(w->transport, w->transport->workers + peer, ALGO_ASK, shared->x,
                          (size_t)exchanged_count(w) * sizeof *shared->x);
}

/* A node that is held stays so until it is answered: held_x is what it sent, then the answer. */
static enum status end_question(struct worker *w, const float *other, bool averaged)
{
    struct shared_model *shared = w->shared_model;
    const int64_t count = exchanged_count(w);

    shared_model_lock(shared, w->transport);
    if (averaged)
        average_pair(shared->x, other, count);
    shared->asked = SHARED_MODEL_NOBODY;

    const int held = shared->held;

    if (held != SHARED_MODEL_NOBODY)
        average_and_swap(shared->x, shared->held_x, count);
    shared_model_unlock(shared, w->transport);
    if (averaged)
        TRY(report_average(w));
    if (held == SHARED_MODEL_NOBODY)
        return STATUS_OK;
    TRY(report_average(w));
    TRY(transport_send(w->transport, held, ANSWER, shared->held_x,
                       (size_t)count * sizeof *shared->held_x));
    shared_model_lock(shared, w->transport);
    shared->held = SHARED_MODEL_NOBODY;
    shared_model_unlock(shared, w->transport);
    return STATUS_OK;
}

/* One question is under way at a time, so the next answer is its answer, whoever writes it: the
 * responder, or the worker itself if the question was held. */
static enum status ask_peer(struct worker *w, int peer, bool *averaged)
{
    const size_t room = (size_t)exchanged_count(w) * sizeof(float);
    float *other = scratch_take(&w->scratch);
    struct envelope e;

    TRY(send_question(w, peer));
    TRY(transport_recv(w->transport, TRANSPORT_ANY, ANSWER, &e, other, room));
    CHECK(e.bytes == 0 || e.bytes == room);
    *averaged = e.bytes > 0;
    TRY(end_question(w, other, *averaged));
    scratch_give(&w->scratch, other);
    return STATUS_OK;
}

static enum status exchange_with_neighbour(struct worker *w)
{
    const struct mixing *m = &((const struct ad_psgd *)w->memory)->mixing;
    const struct rng r = rng_make(w->seed, RNG_PEER, (uint32_t)worker_rank(w));
    bool averaged = false;

    for (uint32_t i = 0; i < TRIES && !averaged && m->near.in_count > 0; i++)
        TRY(ask_peer(w, m->near.in[rng_below(&r, (uint64_t)w->round, i, m->near.in_count)],
                     &averaged));
    shared_model_lock(w->shared_model, w->transport);
    w->numbers[averaged ? EXCHANGES : MISSED]++;
    shared_model_unlock(w->shared_model, w->transport);
    return STATUS_OK;
}

/* --- a round --- */

/* What the gradient did to the buffers of the copy is done to the model's, which may be others by
 * now. A batch may have no statistics, and then they are as they were read. */
static void move_buffers(struct worker *w, const float *read)
{
    const int64_t params = w->problem->param_count, count = w->problem->state_count;
    float *x = w->shared_model->x;

    if (memcmp(w->state + params, read, (size_t)(count - params) * sizeof *x) == 0)
        return;
    if (has_statistics(w))
        tensor_layout_move_statistics(w->layout, x + params, w->state + params);
    else
        for (int64_t i = params; i < count; i++)
            x[i] += w->state[i] - read[i - params];
}

static enum status apply_step(struct worker *w)
{
    const struct ad_psgd *a = w->memory;

    if (w->problem->batch_size == 0)
        return STATUS_OK;
    shared_model_lock(w->shared_model, w->transport);
    worker_apply(w, w->optim, w->shared_model->x, w->gradient, w->rates);
    move_buffers(w, a->read);
    shared_model_unlock(w->shared_model, w->transport);
    return worker_report_update(w, w->optim);
}

static enum status ad_psgd_round(struct worker *w)
{
    struct ad_psgd *a = w->memory;
    const int64_t params = w->problem->param_count, count = w->problem->state_count;

    mixing_find_neighbours(&a->mixing, w);
    shared_model_read(w->shared_model, w->transport, w->state);
    memcpy(a->read, w->state + params, (size_t)(count - params) * sizeof *a->read);
    TRY(mixing_gradient(w));
    TRY(exchange_with_neighbour(w));
    return apply_step(w);
}

static enum status ad_psgd_dismiss(struct worker *w)
{
    shared_model_read(w->shared_model, w->transport, w->state);
    return STATUS_OK;
}

const struct algo_ops ad_psgd_algo = {
    .entry = {.name = "ad-psgd",
              .summary = "asynchronous: after each gradient a node averages with one neighbour"},
    .kind = ALGO_PEER_TO_PEER,
    .run_model = ALGO_RUN_MODEL_EACH,
    .limit = ALGO_LIMIT_BIASED,
    .one_worker = ALGO_ONE_WORKER_SAME_BITS,
    .bytes = "8 * S .. 20 * S",
    .needs_graph = true,
    .graph_need = ALGO_GRAPH_BOTH_WAYS,
    .work_count = 5,
    .message_count = 1,
    .number_count = ad_psgd_number_count,
    .check = ad_psgd_check,
    .begin = ad_psgd_begin,
    .round = ad_psgd_round,
    .answer = ad_psgd_answer,
    .dismiss = ad_psgd_dismiss,
    .end = ad_psgd_end,
};
