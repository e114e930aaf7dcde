/*
 * loop.c - the training loop: rounds until the end, and what happens between them.
 *
 *     for each round: set rates -> round -> sync -> rows, evaluation, checkpoint -> stop?
 *
 * It is the same for every algorithm and on every endpoint that does rounds. Not here: how
 * endpoints coordinate (coordinator.h), how an endpoint starts and what it reports (endpoint.c).
 */
#include "train/loop/loop.h"

#include <math.h>
#include <stdio.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/signals.h"
#include "comm/trace.h"
#include "optim/schedule.h"
#include "train/budget.h"
#include "train/loop/evaluation.h"
#include "train/loop/output_style.h"
#include "train/loop/quality_stop.h"

/* --- counters and the clock --- */

struct clock_reading loop_count_now(struct loop *l)
{
    const struct clock_reading now = training_clock_read(&l->clock);
    const struct worker *w = l->worker;

    training_clock_count(&l->clock, &now, &l->counters);
    l->counters.moving_loss = w->moving_loss;
    l->counters.lr = w->rates.lr;
    l->counters.delayed = w->delayed;
    l->counters.steps = (double)w->steps;
    l->counters.draws = w->problem == NULL ? 0 : (double)w->problem->draws;
    return now;
}

static void count_round(struct counters *c, const struct round_result *r)
{
    c->rounds++;
    c->last_samples = (double)r->batch.samples;
    c->last_loss = r->batch.loss_sum;
    c->last_correct = (double)r->batch.correct;
    c->last_correct5 = (double)r->batch.correct5;
    c->gradients += (double)r->gradients;
    c->passes += (double)r->passes;
    c->samples += (double)r->batch.samples;
    c->replaced += (double)r->batch.replaced;
    c->epoch_samples += (double)r->batch.samples;
    c->epoch_correct += (double)r->batch.correct;
    c->epoch_correct5 += (double)r->batch.correct5;
    c->epoch_loss += r->batch.loss_sum;
    c->logged_samples += (double)r->batch.samples;
    c->logged_loss += r->batch.loss_sum;
    c->logged_correct += (double)r->batch.correct;
    c->logged_correct5 += (double)r->batch.correct5;
}

void loop_close_rows(struct loop *l, const struct due_actions *due)
{
    struct counters *totals = l->leader == NULL ? NULL : &l->leader->totals.counters;

    if (due->logs)
        counters_close_log(&l->counters);
    if (due->ends_epoch)
        counters_close_epoch(&l->counters);
    if (totals != NULL && due->logs)
        counters_close_log(totals);
    if (totals != NULL && due->ends_epoch)
        counters_close_epoch(totals);
}

enum status loop_off_clock(struct loop *l, const struct clock_reading *since,
                           enum status (*record)(struct loop *l, const struct due_actions *due),
                           const struct due_actions *due)
{
    const bool was_paused = l->clock.is_paused;
    const double start = transport_now(l->worker->transport);

    if (!was_paused)
        training_clock_pause(&l->clock, since);
    TRY(record(l, due));
    if (due_needs_model(due)) /* else there are only rows */
        trace_span(l->worker->transport, due->evaluates ? TRACE_EVALUATE : TRACE_CHECKPOINT, start,
                   transport_now(l->worker->transport));
    if (!was_paused)
        training_clock_resume(&l->clock);
    return STATUS_OK;
}

enum status loop_control_barrier(struct loop *l)
{
    float nothing = 0;

    if (l->build->workers == 1)
        return STATUS_OK;
    return transport_sum(l->worker->transport,
                         &(struct sum){.data = &nothing, .type = SUM_FLOAT, .is_control = true});
}

/* --- the budget --- */

bool loop_uses_up(const struct loop *l, const struct counters *totals)
{
    return budget_used(&l->build->budget, totals) >= 1;
}

static int64_t known(int64_t rounds)
{
    return rounds < ROUNDS_UNKNOWN ? rounds : 0;
}

int64_t loop_rounds_known(const struct loop *l)
{
    return known(l->length.rounds);
}

/* --- one round --- */

static void set_rates(struct loop *l, const struct run_length *length, int64_t round)
{
    const struct optim *optim = &l->memory->optim;
    const struct optim_rates base = {
        .lr = optim->ops->lr(optim->options),
        .momentum = optim->ops->momentum == NULL ? -1 : optim->ops->momentum(optim->options),
    };
    const struct epoch_length *epoch = &length->epoch;
    const struct schedule_clock clock = {
        .step = round,
        .steps_total = length->rounds,
        .epoch = epochs_ended(epoch, round),
        .epochs_total = epochs_begun(epoch, length->rounds),
    };

    l->worker->rates = schedule_rates(&l->build->config->schedule, &clock, base);
    l->worker->clock = clock;
}

void loop_set_round_of(struct loop *l, const struct run_length *length, int64_t round)
{
    struct worker *w = l->worker;

    set_rates(l, length, round);
    w->round = round;
    w->is_last = round + 1 == length->rounds;
    w->epoch = epochs_at(&length->epoch, round);
}

/* Where workers end together, schedules follow the rounds of all. */
void loop_set_round(struct loop *l)
{
    loop_set_round_of(l, &l->length, l->round);
    if (epochs_end_together(l->build)) {
        const struct run_length all = epochs_of_all(l->build);

        set_rates(l, &all, l->claimed);
    }
}

/* One that gets no more of the rounds of all has done its last. */
static enum status claim_round(struct loop *l)
{
    if (!epochs_end_together(l->build) || l->round >= l->length.rounds)
        return STATUS_OK;
    TRY(l->coordinator->claim_round(l, &l->claimed));
    l->claimed += l->rounds_before;
    if (l->claimed >= epochs_of_all(l->build).rounds)
        l->length.rounds = l->round;
    return STATUS_OK;
}

struct loop_progress loop_progress(const struct loop *l)
{
    double rounds = 0;

    if (!epochs_end_together(l->build))
        return (struct loop_progress){l->round, known(l->length.rounds)};
    for (int w = 0; w < l->build->workers; w++)
        rounds += l->leader->worker_counters[w].rounds;
    return (struct loop_progress){(int64_t)rounds, known(epochs_of_all(l->build).rounds)};
}

enum status loop_call_traced(struct loop *l, enum status (*call)(struct worker *w))
{
    struct transport *t = l->worker->transport;
    const double start = transport_now(t);
    const enum status s = call(l->worker);

    trace_span(t, TRACE_ROUND, start, transport_now(t));
    return s;
}

enum status loop_record_divergence(struct loop *l)
{
    const int rank = l->worker->transport->rank;
    char *what = l->build->workers > 1 && rank < l->build->workers
                     ? text_format("%s on worker %d", status_message(), rank)
                     : mem_text(status_message());

    if (l->coordinator->diverge != NULL)
        l->coordinator->diverge(l);
    l->has_diverged = true;
    const enum status s = evaluation_fail_diverged(l, l->round + 1, what);
    mem_free(what);
    return s;
}

static struct due_actions due_now(const struct loop *l)
{
    struct due_actions due = due_after_round(&l->build->config->train, &l->length, l->round);

    due.logs = log_plan_is_due(&l->log, l->round);
    due.saves = due.saves && l->setup->save;
    return due;
}

bool loop_records_again(const struct loop *l)
{
    if (!l->is_before_record)
        return false;
    return l->coordinator->has_own_rounds ? l->was_finished : due_now(l).evaluates;
}

static void release_slot(struct loop *l)
{
    if (l->worker->transport->is_computing)
        transport_compute_end(l->worker->transport);
}

/*
 * With a compute slot, which workers take in turns: one that never waits would keep it to the end.
 * A worker that had to wait has let others compute in between, and keeps the slot for the next
 * round, because passing it on and getting it back takes a good part of a small network's step.
 */
static enum status run_round(struct loop *l, struct due_actions *due)
{
    struct transport *t = l->worker->transport;

    if (t->rank < t->workers && !t->is_computing)
        transport_compute_begin(t);

    const double waited = t->counters.waiting;
    const enum status s = loop_call_traced(l, l->coordinator->round);

    if (s == STATUS_DIVERGED)
        return loop_record_divergence(l);
    TRY(s);
    l->round++;
    if (l->leader != NULL)
        l->leader->totals.round = l->round;
    count_round(&l->counters, &l->worker->result);
    TRY(claim_round(l));
    *due = due_now(l);
    if (due->evaluates && l->coordinator->evaluate_workers != NULL)
        TRY(l->coordinator->evaluate_workers(l));
    if (l->build->algo->join != NULL)
        TRY(loop_call_traced(l, algo_join));
    if (!(t->counters.waiting > waited) || due_needs_model(due))
        release_slot(l);
    return STATUS_OK;
}

/* For log rows: of the worker's own model, or the leader's where all have the same. */
static void measure_weights(struct loop *l, const struct due_actions *due)
{
    const bool is_own = l->log.has_workers && algo_models_differ(l->build->algo);

    if (due->logs && (is_own || l->leader != NULL))
        l->counters.weight_square = evaluation_weight_square(l, l->memory->state);
}

/* The budget is used up: the run was this long, and what its last round owes is due. */
static enum status end_by_budget(struct loop *l, struct due_actions *due)
{
    const bool was_evaluated = due->evaluates;

    l->length.rounds = l->round;
    *due = due_now(l);
    release_slot(l);
    if (was_evaluated || l->coordinator->evaluate_workers == NULL)
        return STATUS_OK;
    return l->coordinator->evaluate_workers(l);
}

/* --- start and end --- */

/* Files that were opened, and what an algorithm finds out before its first round (choco's search
 * for gamma), are not training. */
static enum status begin_algorithm(struct loop *l)
{
    TRY(algo_begin(l->worker));
    if (l->coordinator->open != NULL)
        TRY(l->coordinator->open(l));
    if (l->leader != NULL)
        l->leader->report->setup_seconds =
            transport_now(l->worker->transport) - l->clock.started_at;
    return STATUS_OK;
}

/* What a new run starts from: the first snapshot, and where evaluations are counted in rounds the
 * beginning of the curves. */
static enum status record_start(struct loop *l)
{
    const struct train_options *o = &l->build->config->train;
    const struct due_actions due = {
        .evaluates = o->evaluate_rounds > 0,
        .snapshots = o->saves_per_epoch > 0,
    };

    if (!due_needs_model(&due) || l->setup->from != NULL)
        return STATUS_OK;
    if (due.evaluates && l->coordinator->evaluate_workers != NULL)
        TRY(l->coordinator->evaluate_workers(l));
    TRY(l->coordinator->record(l, &due));
    return l->coordinator->has_own_rounds ? loop_control_barrier(l) : STATUS_OK;
}

/* What the leader knew of the round of the checkpoint: the norm of the gradient, and the quality of
 * each worker's model before it was joined. */
static void restore_round(struct loop *l)
{
    const struct leader *d = l->leader;

    if (d == NULL || d->before_record == NULL)
        return;
    l->worker->result.gradient_norm = d->before_record[0];
    for (int w = 0; w < l->build->workers && l->build->algo->join != NULL; w++) {
        d->report->per_worker[w].test_loss = d->before_record[1 + 2 * w];
        d->report->per_worker[w].test_accuracy = d->before_record[2 + 2 * w];
    }
}

/* The evaluation that the checkpoint was written before. Where a longer run has none, it only
 * continues; independent workers make it at their end. */
static enum status record_again(struct loop *l)
{
    struct due_actions due = due_now(l);

    if (!loop_records_again(l) || l->coordinator->has_own_rounds)
        return STATUS_OK;
    due.saves = false;
    loop_set_round_of(l, &l->length, l->round > 0 ? l->round - 1 : 0);
    restore_round(l);
    measure_weights(l, &due);
    TRY(l->coordinator->sync(l, &due));
    return l->coordinator->record(l, &due);
}

static void log_kept_snapshots(const struct loop *l)
{
    struct evaluation_queue *queue = l->leader->queue;
    const int64_t count = queue == NULL || !l->setup->save ? 0 : evaluation_queue_waiting(queue);

    if (count > 0)
        log_info("%lld model%s of this run %s evaluated when it is resumed", (long long)count,
                 count == 1 ? "" : "s", count == 1 ? "is" : "are");
}

static const char *stop_reason(void)
{
    return signals_stop_requested() ? signals_stop_name() : "another process's signal";
}

/* There is nothing to save: a resumed run starts from the beginning. */
static enum status stop_before_training(struct loop *l)
{
    if (l->leader == NULL)
        return STATUS_OK;
    return FAIL(STATUS_INTERRUPTED, "stopped by %s before the first round", stop_reason());
}

/* The checkpoint first: there may be little time. */
static enum status stop_interrupted(struct loop *l)
{
    if (!l->is_evaluation_cut) /* else it is there, from before the evaluation */
        TRY(checkpointing_save(l, CHECKPOINT_AFTER_RECORD));
    TRY(run_files_gather_links(l));
    if (l->leader == NULL)
        return STATUS_OK;
    TRY(evaluation_drain_queue(l, true));
    log_kept_snapshots(l);

    const struct loop_progress done = loop_progress(l);
    const char *signal = stop_reason();

    if (!l->setup->save || l->setup->is_temporary)
        return FAIL(STATUS_INTERRUPTED, "stopped by %s after round %lld; nothing was saved (%s)",
                    signal, (long long)done.round,
                    l->setup->is_temporary ? "output.write: false" : "--no-save");
    char of[32] = "";
    if (done.rounds_total > 0)
        (void)snprintf(of, sizeof of, " of %lld", (long long)done.rounds_total);
    return FAIL(STATUS_INTERRUPTED,
                "stopped by %s after round %lld%s; resume with: muster train --resume %s", signal,
                (long long)done.round, of, l->setup->run_dir);
}

/* A run that had finished has nothing to train, but its result is still needed: it may have been
 * killed before it was reported. */
static enum status repeat_evaluation(struct loop *l, const struct due_actions *due)
{
    (void)due;
    return l->coordinator->repeat(l);
}

static enum status evaluate_training_set(struct loop *l)
{
    const struct clock_reading now = training_clock_read(&l->clock);

    if (!l->build->config->train.evaluate_train || l->build->plan->part_counts[PART_TRAIN] == 0)
        return STATUS_OK;
    TRY(loop_off_clock(l, &now, evaluation_training_set, &(struct due_actions){.evaluates = true}));
    return l->is_evaluation_cut ? stop_interrupted(l) : STATUS_OK;
}

static enum status finish(struct loop *l)
{
    const struct clock_reading now = training_clock_read(&l->clock);

    if (l->was_finished && !l->is_before_record && !l->has_snapshots)
        TRY(loop_off_clock(l, &now, repeat_evaluation, &(struct due_actions){.evaluates = true}));
    TRY(evaluation_drain_queue(l, true));
    TRY(evaluation_agree_on_cut(l));
    if (l->is_evaluation_cut)
        return stop_interrupted(l);
    TRY(run_files_gather_links(l));
    TRY(checkpointing_save_model(l));
    TRY(evaluate_training_set(l));
    output_style_end(l);
    return STATUS_OK;
}

/* --- the whole --- */

enum status loop_run(struct loop *l)
{
    struct due_actions due = {0};
    const enum status begun = begin_algorithm(l);

    if (begun == STATUS_INTERRUPTED)
        return stop_before_training(l);
    TRY(begun);
    TRY(record_start(l));
    TRY(claim_round(l));
    training_clock_resume(&l->clock);
    TRY(record_again(l));
    TRY(quality_stop_apply(l, &(struct due_actions){.saves = true})); /* it begins with a file */
    while (l->round < l->length.rounds && !l->is_stopped) {
        loop_set_round(l);
        TRY(run_files_moves(l));
        TRY(scans_add_round(l));
        TRY(run_round(l, &due));
        measure_weights(l, &due);
        TRY(l->coordinator->sync(l, &due));
        if (l->is_used_up)
            TRY(end_by_budget(l, &due));
        leader_show_progress(l);
        TRY(l->coordinator->record(l, &due));
        TRY(evaluation_drain_queue(l, due.evaluates && l->build->stop.kind != STOP_NEVER));
        TRY(quality_stop_apply(l, &due));
    }
    release_slot(l);
    TRY(l->coordinator->end(l));
    return l->is_cut ? stop_interrupted(l) : finish(l);
}
