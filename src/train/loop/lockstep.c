/*
 * lockstep.c - the coordinator of workers that all do the same rounds.
 *
 * In one process each worker writes its counters to a board after every round and continues; it
 * waits for others where the run is evaluated or saved, and when far ahead. Between processes they
 * exchange counters where something is due, and about once a second at an agreed round, for free;
 * their log rows come with them (lockstep_messages.c).
 */
#include "train/loop/lockstep.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/signals.h"
#include "train/loop/evaluation.h"

/* How far a worker of a process may be ahead of the slowest. */
static const double SECONDS_OF_LEAD = 1.0, ROUNDS_OF_LEAD = 4;

static struct lockstep *lockstep_of(const struct loop *l)
{
    return l->coordination;
}

/* --- what the workers of a process share --- */

void *lockstep_process_new(const struct build *b, int processes)
{
    if (processes > 1 || b->workers == 1)
        return NULL;

    struct lockstep_process *p = MEM_NEW(struct lockstep_process);

    p->board = mem_alloc(1, board_bytes(b->workers));
    p->rows = round_queue_new(b->workers);
    return p;
}

void lockstep_process_free(void *process, int workers)
{
    struct lockstep_process *p = process;

    (void)workers;
    if (p == NULL)
        return;
    round_queue_free(p->rows);
    mem_free(p->board);
    mem_free(p);
}

/* --- exchanging counters --- */

static void reduce_totals(struct loop *l)
{
    if (l->leader != NULL)
        leader_reduce(l);
}

static enum status exchange_alone(struct loop *l)
{
    lockstep_of(l)->latest = l->counters.seconds;
    l->leader->worker_counters[0] = l->counters;
    reduce_totals(l);
    l->is_used_up = loop_uses_up(l, &l->counters);
    return STATUS_OK;
}

/* What the leader answers. */
struct decision {
    double stops, used_up, next_sync, latest, samples, samples_differ;
};

/* All workers have written their rows when the barrier is passed. */
static enum status collect_by_board(struct loop *l)
{
    struct board *board = lockstep_of(l)->process->board;

    board_write(board, l->worker->transport->rank, &l->counters);
    TRY(loop_control_barrier(l));
    if (l->leader != NULL)
        board_read(board, l->build->workers, l->leader->worker_counters);
    return STATUS_OK;
}

static void decide(struct loop *l, struct decision *d)
{
    const struct counters *rows = l->leader->worker_counters;
    const struct counters totals = counters_reduce(rows, l->build->workers);

    d->used_up = loop_uses_up(l, &totals) ? 1 : 0;
    d->next_sync = (double)next_sync_plan(l, &totals);
    for (int w = 0; w < l->build->workers; w++) {
        d->latest = fmax(d->latest, rows[w].seconds);
        d->samples += rows[w].samples;
        d->samples_differ += rows[w].samples != rows[0].samples;
    }
}

/* In one process the board says when to stop. */
enum status lockstep_exchange(struct loop *l)
{
    struct lockstep *s = lockstep_of(l);
    struct decision d = {0};

    s->exchanged_round = l->round;
    if (l->build->workers == 1)
        return exchange_alone(l);
    TRY(s->process != NULL ? collect_by_board(l) : lockstep_messages_collect(l, &d.stops));
    if (l->leader != NULL)
        decide(l, &d);
    TRY(transport_sum(l->worker->transport, &(struct sum){.data = &d,
                                                          .count = sizeof d / sizeof(double),
                                                          .type = SUM_DOUBLE,
                                                          .is_control = true}));
    l->is_stopped = l->is_stopped || d.stops > 0;
    l->is_used_up = d.used_up > 0;
    s->next_sync = (int64_t)d.next_sync;
    s->latest = d.latest;
    s->share = d.samples_differ > 0 ? l->counters.samples / d.samples : -1;
    reduce_totals(l);
    return STATUS_OK;
}

double lockstep_share(const struct loop *l)
{
    return lockstep_of(l)->share;
}

static enum status count_and_exchange(struct loop *l)
{
    lockstep_of(l)->arrival = loop_count_now(l);
    return lockstep_exchange(l);
}

/* --- before the first round --- */

static enum status lockstep_begin(struct loop *l)
{
    struct lockstep *s = lockstep_of(l);

    s->process = l->setup->process;
    if (s->process != NULL)
        s->rows = s->process->rows;
    else if (l->leader != NULL && l->build->workers > 1)
        s->rows = round_queue_new(l->build->workers);
    s->share = -1;
    s->next_sync = l->round + 1;
    s->synced_round = s->began_round = l->round;
    s->synced_at = s->began_at = clock_seconds();
    s->synced_bytes = l->leader == NULL ? 0 : l->leader->totals.counters.bytes;
    if (s->process != NULL)
        (void)board_begin_round(s->process->board, l->worker->transport->rank, l->round + 1);
    return l->setup->from == NULL ? STATUS_OK : lockstep_exchange(l);
}

/* Rounds begin now: what the algorithm found out before is not part of their pace. */
static enum status lockstep_open(struct loop *l)
{
    lockstep_of(l)->began_at = clock_seconds();
    return STATUS_OK;
}

/* Nor is what is done with the clock stopped. */
static enum status off_clock(struct loop *l, const struct clock_reading *since,
                             enum status (*record)(struct loop *l, const struct due_actions *due),
                             const struct due_actions *due)
{
    const double start = clock_seconds();

    TRY(loop_off_clock(l, since, record, due));
    lockstep_of(l)->began_at += clock_seconds() - start;
    return STATUS_OK;
}

/* --- after a round --- */

/* The round at which this worker waits for the slowest, as far as that one is now. */
static int64_t lead_limit(const struct loop *l)
{
    const struct lockstep *s = lockstep_of(l);
    const int64_t slowest = board_slowest_round(s->process->board, l->build->workers);
    const double passed = fmax(clock_seconds() - s->began_at, 0.1);
    const double pace = (double)(slowest - 1 - s->began_round) / passed; /* it is in that round */

    return slowest + (int64_t)fmax(pace * SECONDS_OF_LEAD, ROUNDS_OF_LEAD);
}

/*
 * A worker may be ahead of the slowest by what that one does in about a second. All workers end
 * with the same round, so a larger lead would make a stop take longer. The wait is not training.
 * The slowest worker waits for none: those that are ahead have sent all that it needs.
 */
static enum status keep_near_slowest(struct loop *l)
{
    struct lockstep *s = lockstep_of(l);
    struct transport *t = l->worker->transport;
    const double pause = fmin(fmax(1e-4 * l->build->workers, 0.01), 0.1);

    if (l->round < s->limit_round)
        return STATUS_OK;
    s->limit_round = lead_limit(l);
    if (l->round < s->limit_round)
        return STATUS_OK;
    if (t->is_computing)
        transport_compute_end(t);

    const struct clock_reading now = training_clock_read(&l->clock);

    training_clock_pause(&l->clock, &now);
    while (l->round >= s->limit_round && !signals_stop_requested() &&
           !board_is_stopped(s->process->board)) {
        TRY(transport_sleep(t, pause));
        s->limit_round = lead_limit(l);
    }
    training_clock_resume(&l->clock);
    return STATUS_OK;
}

/* Whoever has trained for the seconds of a budget ends the run for all. */
static bool asks_stop(const struct loop *l)
{
    return signals_stop_requested() ||
           (l->build->budget.unit == AMOUNT_SECONDS && loop_uses_up(l, &l->counters));
}

/* The worker publishes that it begins the next round, and reads whether it may. */
static enum status sync_by_board(struct loop *l, const struct due_actions *due)
{
    struct lockstep *s = lockstep_of(l);
    struct board *board = s->process->board;
    const bool checks_bytes = l->build->budget.unit == AMOUNT_BYTES && l->round == s->next_sync;

    if (!due_needs_model(due))
        TRY(keep_near_slowest(l));
    s->arrival = loop_count_now(l);
    board_write(board, l->worker->transport->rank, &l->counters);
    if (asks_stop(l))
        board_stop(board, l->build->workers);
    l->is_stopped = !board_begin_round(board, l->worker->transport->rank, l->round + 1);
    if (due_needs_model(due) || l->is_stopped || checks_bytes)
        return lockstep_exchange(l);
    if (l->leader == NULL || !leader_progress_is_due(l->leader))
        return STATUS_OK;
    board_read(board, l->build->workers, l->leader->worker_counters);
    reduce_totals(l);
    return STATUS_OK;
}

static enum status lockstep_sync(struct loop *l, const struct due_actions *due)
{
    struct lockstep *s = lockstep_of(l);

    if (s->process != NULL)
        return sync_by_board(l, due);
    if (l->build->workers == 1) {
        l->is_stopped = signals_stop_requested();
        return count_and_exchange(l);
    }
    if (due_needs_model(due) || due->ends_epoch || (due->logs && l->log.is_prompt) ||
        l->round == s->next_sync)
        return count_and_exchange(l);
    if (due->logs)
        (void)loop_count_now(l);
    return STATUS_OK;
}

/* --- rows, evaluation, checkpoints --- */

/* Those of rounds that all workers have done. */
static enum status write_complete_rows(struct loop *l)
{
    struct round_queue *queue = lockstep_of(l)->rows;
    struct round_rows *rows;
    enum status s = STATUS_OK;

    if (l->leader == NULL || queue == NULL)
        return STATUS_OK;
    while (s == STATUS_OK && (rows = round_queue_take(queue)) != NULL) {
        struct round_record r = {
            .facts = rows->facts, .totals = l->leader->totals, .workers = rows->workers};

        r.totals.round = rows->facts.round;
        r.totals.counters = counters_reduce(rows->workers, l->build->workers);
        s = evaluation_write_rows(l, &r);
        mem_free(rows);
    }
    return s;
}

/* The leader knows the counters of all workers by now. */
static enum status write_rows_now(struct loop *l, const struct due_actions *due)
{
    if (l->leader == NULL)
        return STATUS_OK;
    TRY(write_complete_rows(l)); /* of rounds before */

    const struct round_record r = evaluation_record_of(l, due);

    return evaluation_write_rows(l, &r);
}

/* For the leader, who writes them when it has those of all workers. */
static void hand_in_rows(struct loop *l, const struct due_actions *due)
{
    struct lockstep *s = lockstep_of(l);
    struct round_facts facts = {.round = l->round};

    if (l->leader != NULL)
        facts = evaluation_facts(l, due);
    if (s->rows != NULL)
        round_queue_hand_in(s->rows, l->worker->transport->rank, &facts, &l->counters);
    if (s->process == NULL)
        lockstep_messages_keep(l);
}

static enum status record_rows(struct loop *l, const struct due_actions *due)
{
    const struct lockstep *s = lockstep_of(l);

    if (s->process == NULL && s->exchanged_round == l->round)
        TRY(write_rows_now(l, due));
    else
        hand_in_rows(l, due);
    loop_close_rows(l, due);
    return STATUS_OK;
}

/* While all workers wait. */
static enum status record_now(struct loop *l, const struct due_actions *due)
{
    if (due->evaluates) {
        TRY(write_complete_rows(l)); /* of rounds before */
        return evaluation_record_saved(l, due);
    }
    TRY(write_rows_now(l, due));
    loop_close_rows(l, due);
    TRY(snapshots_take(l, due));
    if (due->saves)
        TRY(checkpointing_save(l, CHECKPOINT_AFTER_RECORD));
    return loop_control_barrier(l); /* until the leader has finished */
}

/* Waiting for the last worker is part of training. One that returns from the exchange later,
 * because the evaluation of others already uses the cores, has not trained in between. */
static struct clock_reading last_arrival(const struct loop *l)
{
    const struct lockstep *s = lockstep_of(l);
    const double waited = fmax(0, s->latest - l->counters.seconds);
    struct clock_reading since = s->arrival;

    since.at += waited;
    since.counters.waiting += waited;
    return since;
}

enum status lockstep_record(struct loop *l, const struct due_actions *due)
{
    const struct clock_reading since = last_arrival(l);

    if (due_needs_model(due))
        return off_clock(l, &since, record_now, due);
    if (due_is_any(due))
        TRY(record_rows(l, due));
    return write_complete_rows(l);
}

static enum status evaluate_own(struct loop *l, const struct due_actions *due)
{
    struct transport *t = l->worker->transport;

    (void)due;
    transport_compute_begin(t);
    TRY(evaluation_workers_run(l));
    transport_compute_end(t);
    TRY(loop_control_barrier(l));
    transport_compute_begin(t);
    return STATUS_OK;
}

/*
 * Every worker its own state, off the clock. First all end the round: one that still queues for a
 * slot behind evaluations would count their time as its own. For the same reason all wait, off the
 * clock, until the last evaluation has ended. In a round the worker then gets its slot back: to
 * wait for one afterwards would count too.
 */
static enum status lockstep_evaluate_workers(struct loop *l)
{
    struct transport *t = l->worker->transport;
    const bool is_computing = t->is_computing;

    if (!algo_models_differ(l->build->algo) || l->build->algo->join == NULL)
        return STATUS_OK; /* nodes are evaluated with the run model, after the checkpoint */
    if (is_computing)
        transport_compute_end(t);
    if (!l->clock.is_paused)
        TRY(count_and_exchange(l));

    const struct clock_reading since = last_arrival(l);

    TRY(off_clock(l, &since, evaluate_own, &(struct due_actions){.evaluates = true}));
    if (!is_computing)
        transport_compute_end(t);
    return STATUS_OK;
}

/* --- the run model --- */

/* Each process has cores of its own. In one process the leader uses all cores. */
static bool lockstep_shares_evaluation(const struct loop *l)
{
    return l->setup->processes > 1;
}

/* --- checkpoints --- */

/* Workers send their states to the leader. One alone adds only what its algorithm remembers. */
enum status lockstep_collect(struct loop *l, struct checkpoint *c, struct worker_state *states)
{
    if (l->build->workers == 1 && l->memory->vector_count + l->memory->number_count == 0)
        return STATUS_OK;
    if (c == NULL)
        return checkpointing_send_state(l);
    worker_state_pack(&states[0], l->memory, &l->counters);
    for (int w = 1; w < l->build->workers; w++)
        TRY(checkpointing_receive_state(l, w, CONTROL_WORKER_STATE, &states[w]));
    c->states = states;
    return STATUS_OK;
}

/* --- the end --- */

static enum status lockstep_end(struct loop *l)
{
    l->is_cut = l->round < l->length.rounds || l->is_evaluation_cut;
    if (lockstep_of(l)->process == NULL)
        return STATUS_OK;
    TRY(loop_control_barrier(l)); /* all have handed in the rows of their last round */
    return write_complete_rows(l);
}

static void lockstep_leave(struct loop *l)
{
    struct lockstep *s = lockstep_of(l);

    if (s->process == NULL)
        round_queue_free(s->rows);
    mem_free(s->kept);
}

static void lockstep_diverge(struct loop *l)
{
    if (lockstep_of(l)->process != NULL)
        board_note_divergence(lockstep_of(l)->process->board, l->round + 1);
}

/* In a process all counters are on the board, however the others ended. */
static int64_t lockstep_salvage(struct loop *l)
{
    struct lockstep_process *p = lockstep_of(l)->process;

    if (p == NULL)
        return 0;
    (void)write_complete_rows(l);
    board_read(p->board, l->build->workers, l->leader->worker_counters);
    reduce_totals(l);
    return board_divergence(p->board);
}

static enum status lockstep_repeat(struct loop *l)
{
    TRY(lockstep_exchange(l));
    lockstep_of(l)->arrival = training_clock_read(&l->clock);
    return lockstep_record(l, &(struct due_actions){.evaluates = true, .ends_epoch = true});
}

const struct coordinator lockstep_coordinator = {
    .name = "lockstep",
    .summary = "all workers do the same rounds",
    .memory_bytes = sizeof(struct lockstep),
    .process_new = lockstep_process_new,
    .process_free = lockstep_process_free,
    .begin = lockstep_begin,
    .open = lockstep_open,
    .round = algo_round,
    .evaluate_workers = lockstep_evaluate_workers,
    .sync = lockstep_sync,
    .add_worker = evaluation_add_worker,
    .record = lockstep_record,
    .run_model = lockstep_run_model,
    .shares_evaluation = lockstep_shares_evaluation,
    .collect = lockstep_collect,
    .end = lockstep_end,
    .diverge = lockstep_diverge,
    .salvage = lockstep_salvage,
    .repeat = lockstep_repeat,
    .leave = lockstep_leave,
};
