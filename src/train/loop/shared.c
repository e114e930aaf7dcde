/*
 * shared.c - the coordinator of independent workers with one model in shared memory, which may lie
 * between processes of a host. Their counters are on a board behind the model, where the leader
 * reads them while all train.
 */
#include "algo/parts/atomic_vector.h"
#include "base/signals.h"
#include "train/loop/board.h"
#include "train/loop/independent.h"

struct shared {
    bool all_finished;
};

static struct shared *shared_of(const struct loop *l)
{
    return l->coordination;
}

static size_t shared_bytes(const struct build *b)
{
    return atomic_vector_bytes(b->layout.state_count) + board_bytes(b->workers);
}

static struct board *shared_board(const struct loop *l)
{
    char *memory = l->setup->shared;

    return (struct board *)(void *)(memory + atomic_vector_bytes(l->build->layout.state_count));
}

static void write_counters(struct loop *l)
{
    board_write(shared_board(l), l->worker->transport->rank, &l->counters);
}

static void read_counters(struct loop *l)
{
    if (l->leader == NULL)
        return;
    board_read(shared_board(l), l->build->workers, l->leader->worker_counters);
    leader_reduce(l);
}

/* All start from the leader's model. */
static enum status shared_begin(struct loop *l)
{
    l->worker->shared_vector = l->setup->shared;
    if (l->leader != NULL)
        atomic_vector_init(l->worker->shared_vector, l->memory->state,
                           l->build->layout.state_count);
    if (l->setup->from != NULL)
        write_counters(l);
    TRY(independent_begin(l));
    if (l->setup->from != NULL)
        read_counters(l);
    return STATUS_OK;
}

static enum status shared_claim_round(struct loop *l, int64_t *number)
{
    *number = board_claim_round(shared_board(l));
    return STATUS_OK;
}

/* A signal may have reached one process only. Whoever has trained for the seconds of a budget ends
 * the run for all. */
static enum status shared_sync(struct loop *l, const struct due_actions *due)
{
    (void)loop_count_now(l);
    l->is_used_up = loop_uses_up(l, &l->counters);
    if (signals_stop_requested() || l->is_used_up)
        board_stop(shared_board(l), l->build->workers);
    l->is_stopped = board_is_stopped(shared_board(l));
    write_counters(l);
    if (l->leader != NULL && (due_is_any(due) || leader_progress_is_due(l->leader)))
        read_counters(l);
    return STATUS_OK;
}

static enum status shared_halt(struct loop *l)
{
    if (l->leader != NULL)
        board_stop(shared_board(l), l->build->workers);
    return STATUS_OK;
}

static int64_t shared_salvage(struct loop *l)
{
    read_counters(l);
    return 0;
}

/* Snapshots are recalibrated when they are evaluated, off the clock. */
static enum status shared_run_model(struct loop *l, struct model_values *values)
{
    *values = run_model_own(l);
    values->state = run_model_room(l);
    atomic_vector_load(values->state, l->worker->shared_vector, l->build->layout.state_count);
    if (l->leader == NULL || !shared_of(l)->all_finished)
        return STATUS_OK;
    return run_model_recalibrate(l, values);
}

/* The leader's. When all have finished, all workers take part in the checkpoint. */
static enum status record_snapshot(struct loop *l, const struct due_actions *due)
{
    struct model_values values;

    if (l->leader != NULL) {
        TRY(shared_run_model(l, &values));
        TRY(evaluation_record_snapshot(l, due, &values));
    }
    loop_close_rows(l, due);
    return due->saves ? checkpointing_save(l, CHECKPOINT_AFTER_RECORD) : STATUS_OK;
}

static enum status shared_record(struct loop *l, const struct due_actions *due)
{
    return independent_record(l, due, record_snapshot);
}

/* While workers train their counters are enough. */
static enum status shared_collect(struct loop *l, struct checkpoint *c, struct worker_state *states)
{
    const bool all_finished = shared_of(l)->all_finished;

    if (l->build->workers == 1)
        return STATUS_OK;
    if (c == NULL)
        return checkpointing_send_state(l);
    if (!all_finished)
        c->counters = l->leader->worker_counters;
    worker_state_pack(&states[0], l->memory, &l->counters);
    for (int w = 1; w < l->build->workers && all_finished; w++)
        TRY(checkpointing_receive_state(l, w, CONTROL_WORKER_STATE, &states[w]));
    c->states = states;
    return STATUS_OK;
}

static enum status shared_end(struct loop *l)
{
    const struct clock_reading now = loop_count_now(l);

    write_counters(l);
    TRY(independent_end(l));
    shared_of(l)->all_finished = true;
    read_counters(l);
    if (l->is_cut || l->was_finished)
        return STATUS_OK;
    return loop_off_clock(
        l, &now, record_snapshot,
        &(struct due_actions){.evaluates = true,
                              .ends_epoch = true,
                              .saves = l->setup->save,
                              .snapshots = l->build->config->train.saves_per_epoch > 0});
}

static enum status shared_repeat(struct loop *l)
{
    return record_snapshot(l, &(struct due_actions){.evaluates = true, .ends_epoch = true});
}

const struct coordinator shared_coordinator = {
    .name = "shared-memory",
    .summary = "workers update one model in shared memory and do not wait for each other",
    .model = "the one that all workers share",
    .shares_memory = true,
    .has_own_rounds = true,
    .memory_bytes = sizeof(struct shared),
    .shared_bytes = shared_bytes,
    .begin = shared_begin,
    .claim_round = shared_claim_round,
    .round = algo_round,
    .sync = shared_sync,
    .add_worker = evaluation_add_worker,
    .record = shared_record,
    .run_model = shared_run_model,
    .collect = shared_collect,
    .halt = shared_halt,
    .end = shared_end,
    .salvage = shared_salvage,
    .repeat = shared_repeat,
};
