/*
 * meet.c - what the actors of a run tell each other between rounds: how far they are, and whether
 * somebody was asked to stop.
 *
 * Workers that keep step add up a table in which each has filled its own row: a control sum, which
 * costs no bytes and no virtual time. Free workers write their rows to a board in shared memory and
 * wait for nobody; those without shared memory have responders (free.c). A server knows its clients
 * from their messages.
 */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "algo/shared.h"
#include "base/signals.h"
#include "train/loop_parts.h"

/* Whether anybody wants to stop, and what the leader says, before the rows. */
enum { SAYS_STOP, SAYS_TICK, SAYS_COUNT };

static const double SECONDS_BETWEEN_MEETINGS = 1.0;

/* --- the board of free workers, behind their shared vector: whether to stop, and their rows --- */

enum { LINE = 64 };

static size_t row_bytes(void)
{
    return (sizeof(struct tally) + LINE - 1) / LINE * LINE;
}

size_t loop_shared_bytes(const struct build *b)
{
    return b->algo->shares
               ? shared_bytes(b->model->state_count) + LINE + (size_t)b->workers * row_bytes()
               : 0;
}

static _Atomic uint64_t *board_at(const struct loop *l, size_t offset)
{
    return (_Atomic uint64_t *)(void *)((char *)l->files->shared +
                                        shared_bytes(l->build->model->state_count) + offset);
}

static _Atomic uint64_t *board_row(const struct loop *l, int worker)
{
    return board_at(l, LINE + (size_t)worker * row_bytes());
}

/* A signal may have met one process alone. */
static bool board_says_stop(const struct loop *l)
{
    if (signals_stop_requested())
        atomic_store_explicit(board_at(l, 0), 1, memory_order_relaxed);
    return atomic_load_explicit(board_at(l, 0), memory_order_relaxed) != 0;
}

static void board_write(const struct loop *l)
{
    _Atomic uint64_t *row = board_row(l, l->worker->transport->rank);
    uint64_t words[TALLY_NUMBERS];

    memcpy(words, &l->mine, sizeof words);
    for (int i = 0; i < TALLY_NUMBERS; i++)
        atomic_store_explicit(&row[i], words[i], memory_order_relaxed);
}

static void board_read(const struct loop *l)
{
    uint64_t words[TALLY_NUMBERS];

    for (int w = 0; w < l->build->workers; w++) {
        _Atomic uint64_t *row = board_row(l, w);
        for (int i = 0; i < TALLY_NUMBERS; i++)
            words[i] = atomic_load_explicit(&row[i], memory_order_relaxed);
        memcpy(&l->everybody[w], words, sizeof words);
    }
}

/* --- the account --- */

struct pause meet_pause(const struct loop *l)
{
    struct transport *t = l->worker->transport;

    return (struct pause){.since = transport_now(t), .account = transport_account_now(t)};
}

/* The transport's account of training alone, for the tally. */
static void note_account(struct loop *l)
{
    l->arrived = meet_pause(l);

    const struct transport_account now = l->arrived.account;

    l->mine.bytes = (double)(now.bytes_sent + l->before.bytes_sent);
    l->mine.computing = now.computing + l->before.computing;
    l->mine.waiting = now.waiting + l->before.waiting;
    l->mine.transferring = now.transferring + l->before.transferring;
    l->mine.sleeping = now.sleeping + l->before.sleeping;
    l->mine.moving_loss = l->worker->moving_loss;
    l->mine.delayed = l->worker->delayed;
    l->mine.steps = (double)l->worker->steps;
    l->mine.draws = l->worker->problem == NULL ? 0 : (double)l->worker->problem->draws;
    l->mine.seconds = l->earlier + l->arrived.since - l->started - l->off;
}

struct pause meet_pause_all(const struct loop *l)
{
    struct pause p = l->arrived;
    double latest = l->mine.seconds;

    if (!meet_is_possible(l))
        return meet_pause(l);
    for (int w = 0; w < l->build->workers; w++)
        latest = fmax(latest, l->everybody[w].seconds);
    p.since += latest - l->mine.seconds;
    p.account.waiting += latest - l->mine.seconds;
    return p;
}

/* What was computed, waited and sent since then is in no account. */
static void forget(struct loop *l, const struct transport_account *since)
{
    const struct transport_account now = transport_account_now(l->worker->transport);

    l->before.computing -= now.computing - since->computing;
    l->before.waiting -= now.waiting - since->waiting;
    l->before.transferring -= now.transferring - since->transferring;
    l->before.sleeping -= now.sleeping - since->sleeping;
}

void meet_go_on(struct loop *l, const struct pause *p)
{
    forget(l, &p->account);
    l->off += transport_now(l->worker->transport) - p->since;
}

/* --- the place of the run --- */

static void place_from(struct loop *l, const struct tally *rows, int count)
{
    struct loop_place *p = &l->place;
    struct tally sum = {0};

    for (int w = 0; w < count; w++) {
        const struct tally *t = &rows[w];
        sum.samples += t->samples;
        sum.gradients += t->gradients;
        sum.passes += t->passes;
        sum.moving_loss += t->moving_loss;
        sum.epoch_samples += t->epoch_samples;
        sum.epoch_correct += t->epoch_correct;
        sum.epoch_loss += t->epoch_loss;
        sum.logged_samples += t->logged_samples;
        sum.logged_loss += t->logged_loss;
        sum.bytes += t->bytes;
        sum.seconds = fmax(sum.seconds, t->seconds);
    }
    p->samples = (int64_t)sum.samples;
    p->gradients = (int64_t)sum.gradients;
    p->passes = (int64_t)sum.passes;
    p->moving_loss = sum.moving_loss / count;
    p->epoch_samples = (int64_t)sum.epoch_samples;
    p->epoch_correct = (int64_t)sum.epoch_correct;
    p->epoch_loss = sum.epoch_loss;
    p->logged_samples = (int64_t)sum.logged_samples;
    p->logged_loss = sum.logged_loss;
    p->bytes = (int64_t)sum.bytes;
    p->seconds = sum.seconds;
}

/* --- meetings --- */

bool meet_is_possible(const struct loop *l)
{
    const bool keeps_step =
        l->build->algo->kind == ALGO_LOCKSTEP || (free_is_far(l) && l->has_ended);

    return keeps_step && l->build->workers > 1;
}

bool meet_is_due(const struct loop *l)
{
    const int64_t round = l->place.round, log = l->build->experiment->train.log_every;

    if (!meet_is_possible(l))
        return true;
    return round == l->total || rounds_end_epoch(&l->pace, round, 1) ||
           (log > 0 && round % log == 0) || drive_evaluates(l);
}

/* When to meet again, if nothing else makes us: the rounds of a second, as fast as they went. */
static int64_t next_tick(struct loop *l)
{
    const double now = transport_now(l->worker->transport);
    const double passed = now - l->met_at;
    const int64_t rounds = l->place.round - l->met_round;
    const double pace = passed > 0 ? (double)rounds / passed : 1;
    const double ahead = fmin(fmax(pace * SECONDS_BETWEEN_MEETINGS, 1), 1e9);

    l->met_at = now;
    l->met_round = l->place.round;
    return l->place.round + (int64_t)ahead;
}

static enum status meet_in_step(struct loop *l)
{
    const int workers = l->build->workers, rank = l->worker->transport->rank;
    const int64_t count = SAYS_COUNT + (int64_t)workers * TALLY_NUMBERS;
    double *row = l->table + SAYS_COUNT + (int64_t)rank * TALLY_NUMBERS;
    const int64_t tick = next_tick(l);

    memset(l->table, 0, (size_t)count * sizeof *l->table);
    l->table[SAYS_STOP] = signals_stop_requested() ? 1 : 0; /* it may have met one process alone */
    if (l->is_lead)
        l->table[SAYS_TICK] = (double)tick;
    memcpy(row, &l->mine, sizeof l->mine);
    TRY(transport_sum(
        l->worker->transport,
        &(struct sum){.data = l->table, .count = count, .type = SUM_DOUBLE, .is_control = true}));
    l->stops = l->table[SAYS_STOP] > 0;
    l->next_tick = (int64_t)l->table[SAYS_TICK];
    memcpy(l->everybody, l->table + SAYS_COUNT, (size_t)workers * sizeof *l->everybody);
    place_from(l, l->everybody, workers);
    return STATUS_OK;
}

enum status meet(struct loop *l)
{
    note_account(l);
    if (meet_is_possible(l))
        return meet_in_step(l); /* waiting for slower workers is part of training */
    if (free_is_far(l)) {
        TRY(free_meet(l));
        if (l->is_lead)
            place_from(l, l->everybody, l->build->workers);
        return STATUS_OK;
    }
    l->stops = signals_stop_requested() || l->worker->asks_stop;
    if (l->build->algo->kind == ALGO_FREE) {
        l->stops = board_says_stop(l);
        board_write(l);
        if (l->is_lead) {
            board_read(l);
            place_from(l, l->everybody, l->build->workers);
        }
        return STATUS_OK;
    }
    l->everybody[0] = l->mine;
    place_from(l, &l->mine, 1);
    for (int w = 0; l->is_server && w < l->build->workers; w++)
        l->place.bytes += l->actor->clients[w].account.bytes_sent;
    return STATUS_OK;
}

enum status meet_again(struct loop *l)
{
    if (meet_is_possible(l))
        return meet_in_step(l);
    l->everybody[0] = l->mine;
    place_from(l, &l->mine, 1);
    return STATUS_OK;
}

enum status meet_wait(struct loop *l)
{
    float nothing = 0;

    if (!meet_is_possible(l))
        return STATUS_OK;
    return transport_sum(l->worker->transport,
                         &(struct sum){.data = &nothing, .type = SUM_FLOAT, .is_control = true});
}

enum status meet_count_open(struct loop *l, int64_t *open)
{
    *open = l->place.round < l->total ? 1 : 0;
    return transport_sum(
        l->worker->transport,
        &(struct sum){.data = open, .count = 1, .type = SUM_INT64, .is_control = true});
}
