/*
 * independent.c - what independent workers have in common, whether they share a model or not.
 */
#include "train/loop/independent.h"

#include "base/signals.h"
#include "train/budget.h"

static enum status sum_over_workers(struct loop *l, int64_t *value)
{
    return transport_sum(
        l->worker->transport,
        &(struct sum){.data = value, .count = 1, .type = SUM_INT64, .is_control = true});
}

static enum status count_unfinished(struct loop *l, int64_t *count)
{
    *count = l->round < l->length.rounds ? 1 : 0;
    return sum_over_workers(l, count);
}

/* Of all workers, in a run that ends after so many. */
static enum status begin_together(struct loop *l)
{
    l->rounds_before = l->round;
    TRY(sum_over_workers(l, &l->rounds_before));
    l->was_finished = l->rounds_before >= l->length.rounds;
    if (l->was_finished)
        l->length.rounds = l->round;
    return STATUS_OK;
}

/* Only the leader has snapshots, but all workers must decide alike what is repeated. */
static enum status share_snapshots(struct loop *l)
{
    int64_t count = l->has_snapshots ? 1 : 0;

    if (l->setup->from == NULL)
        return STATUS_OK;
    TRY(sum_over_workers(l, &count));
    l->has_snapshots = count > 0;
    return STATUS_OK;
}

enum status independent_begin(struct loop *l)
{
    int64_t unfinished = 0;

    TRY(share_snapshots(l));
    if (l->is_good_enough) { /* a resumed run had ended */
        l->was_finished = true;
        return STATUS_OK;
    }
    if (epochs_end_together(l->build))
        return begin_together(l);
    TRY(count_unfinished(l, &unfinished));
    l->was_finished = unfinished == 0;
    return STATUS_OK;
}

/* Whether one worker may end the run for all. */
static bool may_end_early(const struct loop *l)
{
    return budget_is_open(&l->build->budget) || l->build->stop.kind != STOP_NEVER;
}

/* One worker that finds a budget used up, or the run good enough, stops all: none of them is cut
 * short. */
static enum status share_used_up(struct loop *l)
{
    int64_t count = l->is_used_up ? 1 : 0;

    if (!may_end_early(l))
        return STATUS_OK;
    TRY(sum_over_workers(l, &count));
    if (count > 0)
        l->length.rounds = l->round;
    return STATUS_OK;
}

enum status independent_end(struct loop *l)
{
    int64_t unfinished = 0;

    TRY(share_used_up(l));
    TRY(count_unfinished(l, &unfinished));
    l->is_cut = unfinished > 0;
    return STATUS_OK;
}

static enum status record_rows(struct loop *l, const struct due_actions *due)
{
    const struct round_record r = evaluation_record_of(l, due);

    TRY(evaluation_write_rows(l, &r));
    loop_close_rows(l, due);
    return STATUS_OK;
}

/* Whether the leader evaluates at once, because of train.stop, while the others go on training:
 * then the time of it is time of training. */
static bool others_train(const struct loop *l)
{
    return l->build->stop.kind != STOP_NEVER && l->build->workers > 1;
}

enum status independent_record(struct loop *l, const struct due_actions *due,
                               enum status (*snapshot)(struct loop *l,
                                                       const struct due_actions *due))
{
    const struct due_actions logs = {.logs = due->logs};
    const struct due_actions own = {.ends_epoch = due->ends_epoch};
    const struct clock_reading now = training_clock_read(&l->clock);
    const bool is_used_up = l->is_stopped && may_end_early(l) &&
                            !signals_stop_requested(); /* which another worker has found */
    const bool is_last = l->round == l->length.rounds || is_used_up;

    if (l->leader == NULL) {
        if (!is_last) /* log rows are written by the leader's rounds (log_rows.c) */
            loop_close_rows(l, &own);
        return STATUS_OK;
    }
    if (!is_last && (due->ends_epoch || due_needs_model(due)))
        return others_train(l) ? snapshot(l, due) : loop_off_clock(l, &now, snapshot, due);
    return due->logs ? loop_off_clock(l, &now, record_rows, &logs) : STATUS_OK;
}
