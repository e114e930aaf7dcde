/*
 * loop.c - rounds until the end, and what happens between them.
 */
#include "train/loop.h"

#include <math.h>
#include <string.h>

#include "algo/shared.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/signals.h"
#include "train/loop_parts.h"
#include "train/rounds.h"
#include "train/tracing.h"

static const struct train_options *options(const struct loop *l)
{
    return &l->build->experiment->train;
}

static bool every(int64_t number, int64_t period)
{
    return period > 0 && number % period == 0;
}

static void set_clock(struct loop *l)
{
    l->clock.step = l->place.round;
    l->clock.epoch = l->place.round / l->batches;
}

/* --- progress --- */

static double speed(const struct loop *l)
{
    return l->place.seconds > 0 ? (double)l->place.samples / l->place.seconds : 0;
}

static void show_progress(struct loop *l)
{
    const struct loop_place *p = &l->place;

    if (!l->is_lead || p->epoch_samples == 0)
        return;
    progress_show(
        &l->progress,
        &(struct progress_state){
            .round = p->round,
            .rounds_total = l->total,
            .epoch = rounds_up(p->round, l->batches),
            .epochs_total = l->clock.epochs_total,
            .loss = p->epoch_loss / (double)p->epoch_samples,
            .accuracy = loop_accuracy(l, (double)p->epoch_correct, (double)p->epoch_samples),
            .samples_per_s = speed(l),
            .evaluated = l->evaluated_round > 0 ? l->report->test_accuracy : (double)NAN,
            .evaluated_age = (double)(p->round - l->evaluated_round) / (double)l->batches,
        },
        false);
}

/* --- between rounds --- */

static void close_epoch(struct loop *l)
{
    tally_close_epoch(&l->mine);
    l->place.epoch_loss = 0;
    l->place.epoch_samples = l->place.epoch_correct = 0;
}

static enum status epoch_end(struct loop *l, bool evaluates, bool saves)
{
    TRY(examine_epoch(l, evaluates));
    close_epoch(l);
    if (evaluates && l->snapshots == NULL)
        TRY(keep_if_best(l));
    if (saves)
        TRY(keep_checkpoint(l, "last"));
    return meet_wait(l);
}

/* The end of an epoch, or of the run in mid-epoch: record, evaluate, save. Off the clock. */
static enum status at_epoch_end(struct loop *l, bool evaluates)
{
    const bool is_last = l->place.round >= l->total;
    const int64_t epoch = rounds_up(l->place.round, l->batches);
    const struct pause pause = meet_pause(l);
    const double start = transport_now(l->worker->transport);

    TRY(epoch_end(l, evaluates, is_last || every(epoch, options(l)->save_every)));
    trace_span(l->worker->transport, evaluates ? TRACE_EVALUATE : TRACE_CHECKPOINT, start,
               transport_now(l->worker->transport));
    meet_go_on(l, &pause);
    return STATUS_OK;
}

static enum status log_round(struct loop *l)
{
    struct metric_row row = loop_row(l);

    if (!every(l->place.round, options(l)->log_every))
        return STATUS_OK;
    metric_row_add(&row, "batch_loss", l->place.logged_loss / (double)l->place.logged_samples);
    metric_row_add(&row, "lr", l->worker->rates.lr);
    if (l->worker->result.gradient_norm > 0)
        metric_row_add(&row, "gradient_norm", l->worker->result.gradient_norm);
    tally_close_log(&l->mine);
    l->place.logged_loss = 0;
    l->place.logged_samples = 0;
    return l->is_lead ? recorder_add(&l->recorder, &row) : STATUS_OK;
}

/* The row says null; the last checkpoint is the last good one. */
static enum status diverged(struct loop *l)
{
    struct metric_row row = loop_row(l);
    char *what = l->build->workers > 1 && !l->is_server
                     ? text_format("%s on worker %d", status_message(), l->worker->transport->rank)
                     : mem_text(status_message());
    enum status s = STATUS_OK;

    metric_row_add(&row, "train_loss", (double)NAN);
    if (l->is_lead)
        s = recorder_add(&l->recorder, &row);
    if (s == STATUS_OK)
        s = loop_fail_diverged(l, l->place.round + 1, what);
    mem_free(what);
    return s;
}

/* --- rounds --- */

static void set_round(struct loop *l)
{
    struct worker *w = l->worker;
    const struct optim_ops *optim = l->actor->optim.ops;
    const struct optim_rates base = {
        .lr = optim->lr(l->actor->optim.options),
        .momentum = optim->momentum == NULL ? -1 : optim->momentum(l->actor->optim.options),
    };

    set_clock(l);
    w->rates = schedule_rates(&l->build->experiment->schedule, &l->clock, base);
    w->round = l->place.round;
    w->is_last = l->place.round + 1 == l->total;
    w->epoch = (double)l->place.round / (double)l->batches;
}

static enum status traced(struct loop *l, enum status (*call)(struct worker *w))
{
    struct transport *t = l->worker->transport;
    const double start = transport_now(t);
    const enum status s = call(l->worker);

    trace_span(t, TRACE_ROUND, start, transport_now(t));
    return s;
}

static enum status one_round(struct loop *l)
{
    set_round(l);

    const enum status s = traced(l, l->is_server ? algo_serve : algo_round);
    if (s == STATUS_DIVERGED)
        return diverged(l);
    TRY(s);
    l->place.round++;
    tally_add(&l->mine, &l->worker->result);
    return STATUS_OK;
}

/* What mixes the workers' states; each is looked at before, where the run evaluates. */
static enum status join(struct loop *l, bool evaluates)
{
    if (evaluates && l->build->algo->view != ALGO_VIEW_SAME) {
        const struct pause pause = meet_pause(l);
        TRY(examine_each(l));
        meet_go_on(l, &pause);
    }
    return l->build->algo->join == NULL ? STATUS_OK : traced(l, algo_join);
}

static bool evaluates_now(const struct loop *l)
{
    const int64_t round = l->place.round;

    return round == l->total ||
           (round % l->batches == 0 && every(round / l->batches, options(l)->evaluate_every));
}

/* With a compute slot, which goes round: workers that never wait would keep it to the end. */
static enum status round_with_slot(struct loop *l, bool *evaluates)
{
    struct transport *t = l->worker->transport;

    if (!l->is_server)
        transport_compute_begin(t);
    TRY(one_round(l));
    *evaluates = evaluates_now(l);
    TRY(join(l, *evaluates));
    if (!l->is_server)
        transport_compute_end(t, 0);
    return STATUS_OK;
}

static enum status round_and_after(struct loop *l)
{
    bool evaluates = false;

    TRY(round_with_slot(l, &evaluates));

    const bool is_last = l->place.round == l->total;
    const bool ends_epoch = is_last || l->place.round % l->batches == 0;
    const bool due = meet_is_due(l);

    if (due || l->place.round == l->next_tick)
        TRY(meet(l));
    show_progress(l);
    if (due)
        TRY(log_round(l));
    if (ends_epoch && !(is_last && l->build->algo->kind == ALGO_FREE))
        TRY(at_epoch_end(l, evaluates));
    return examine_snapshots(l, false);
}

/* --- the end --- */

/* First what the run goes on from: there may be little time. */
static enum status interrupted(struct loop *l)
{
    TRY(keep_checkpoint(l, "last"));
    if (!l->is_lead)
        return STATUS_OK;
    TRY(examine_snapshots(l, true));

    const char *signal =
        signals_stop_requested() ? signals_stop_name() : "another process's signal";
    if (!l->files->save)
        return FAIL(STATUS_INTERRUPTED,
                    "stopped by %s after round %lld; nothing was saved (--no-save)", signal,
                    (long long)l->place.round);
    return FAIL(STATUS_INTERRUPTED,
                "stopped by %s after round %lld of %lld; go on with: muster train --resume %s",
                signal, (long long)l->place.round, (long long)l->total, l->files->run_dir);
}

/* Of free workers, who know of themselves only: how many have rounds left. */
static enum status count_open(struct loop *l, int64_t *open)
{
    *open = l->place.round < l->total ? 1 : 0;
    return transport_sum(
        l->worker->transport,
        &(struct sum){.data = open, .count = 1, .type = SUM_INT64, .is_control = true});
}

/* Free workers have ended at different times; the model is whole when all have. One that was
 * stopped early stops the run, also for those that were through. */
static enum status end_together(struct loop *l, bool *is_cut)
{
    int64_t open = 0;

    TRY(meet(l));
    TRY(count_open(l, &open));
    *is_cut = open > 0;
    l->has_ended = true;
    return meet(l);
}

static enum status end_rounds(struct loop *l)
{
    const bool is_free = l->build->algo->kind == ALGO_FREE;
    bool is_cut = l->place.round < l->total;

    if (l->is_server)
        TRY(algo_dismiss(l->worker));
    if (is_free)
        TRY(end_together(l, &is_cut));
    if (is_cut)
        return interrupted(l);
    return is_free && !l->report->was_finished ? at_epoch_end(l, true) : STATUS_OK;
}

static enum status train(struct loop *l)
{
    l->next_tick = l->place.round + 1;
    TRY(algo_begin(l->worker));
    while (l->place.round < l->total && !l->stops)
        TRY(round_and_after(l));
    return end_rounds(l);
}

/* A resumed run that had ended already has nothing to train, but its result is still asked for. */
static enum status finish(struct loop *l)
{
    if (l->report->was_finished)
        TRY(epoch_end(l, true, false));
    TRY(examine_snapshots(l, true));
    return keep_model(l);
}

/* The final model of a run that goes on is not final: its weights are those of the checkpoint. */
static enum status drop_old_model(const struct loop *l)
{
    if (!l->files->save || l->place.round == 0 || l->place.round >= l->total)
        return STATUS_OK;

    char *path = file_join(l->files->run_dir, "model.safetensors");
    const enum status s = file_remove(path);
    mem_free(path);
    return s;
}

static void fill_report(const struct loop *l)
{
    struct loop_report *r = l->report;

    r->rounds = l->place.round;
    r->samples = l->place.samples;
    r->epochs = (double)l->place.round / (double)l->batches;
    r->train_loss = l->place.train_loss;
    r->train_accuracy = l->place.train_accuracy;
    r->seconds = l->place.seconds;
    r->samples_per_s = speed(l);
    r->is_served = l->is_server;
    for (int w = 0; w < r->workers; w++) {
        if (l->is_server)
            r->each[w].client = l->actor->clients[w];
        else
            r->each[w].tally = l->everybody[w];
    }
}

/* --- the beginning --- */

static struct loop_report empty_report(int workers)
{
    struct loop_report r = {
        .validation_loss = (double)NAN,
        .validation_accuracy = (double)NAN,
        .test_loss = (double)NAN,
        .test_accuracy = (double)NAN,
        .test_accuracy5 = (double)NAN,
        .workers = workers,
        .each = MEM_NEW_N(struct worker_report, workers),
    };

    for (int w = 0; w < workers; w++)
        r.each[w].test_loss = r.each[w].test_accuracy = (double)NAN;
    return r;
}

/* Everybody starts from the leader's model. */
static enum status fill_shared(struct loop *l)
{
    int64_t open = 0;

    l->worker->shared = l->files->shared;
    if (l->is_lead)
        shared_init(l->worker->shared, l->actor->state, l->build->model->state_count);
    TRY(count_open(l, &open));
    l->report->was_finished = open == 0;
    return STATUS_OK;
}

static enum status prepare(struct loop *l)
{
    const int rank = l->worker->transport->rank;
    const bool asynchronous = !build_keeps_step(l->build);

    l->batches = rounds_per_epoch(l->build, rank);
    l->total = loop_rounds(l->build, rank);
    l->clock.steps_total = l->total;
    l->worker->rounds = l->total;
    l->clock.epochs_total = rounds_up(l->total, l->batches);
    l->place = loop_place_start();
    if (l->files->from != NULL)
        TRY(keep_restore(l));
    if (l->build->algo->kind == ALGO_FREE)
        l->place.round = (int64_t)l->mine.rounds;
    if (l->actor->problem != NULL) {
        const int64_t own = l->actor->problem->batches_per_epoch;
        const int64_t at = (int64_t)l->mine.draws;
        problem_seek(l->actor->problem, at / own, at % own);
    }
    l->report->was_finished = l->place.round >= l->total;
    if (l->build->algo->shares)
        TRY(fill_shared(l));
    if (l->is_lead && asynchronous)
        l->snapshots = snapshots_new(l->build, l->files->run_dir);
    return STATUS_OK;
}

static enum status lead_and_record(struct loop *l)
{
    TRY(drop_old_model(l));
    progress_start(&l->progress, l->place.round);
    TRY(recorder_open(&l->recorder, l->files->run_dir,
                      l->files->from != NULL ? l->place.round : -1));

    enum status s = train(l);
    if (s == STATUS_OK)
        s = finish(l);
    fill_report(l);
    const enum status closed = recorder_close(&l->recorder);
    return s != STATUS_OK ? s : closed;
}

static enum status follow(struct loop *l)
{
    TRY(train(l));
    return finish(l);
}

/* A worker of a server: it goes on until it is told to stop. */
static enum status obey(struct loop *l)
{
    struct worker *w = l->worker;

    TRY(algo_begin(w));
    while (!w->is_stopped) {
        transport_compute_begin(w->transport);
        const enum status s = traced(l, algo_round);
        transport_compute_end(w->transport, 0);
        if (s == STATUS_DIVERGED) {
            l->place.round = w->round; /* the server's, when it gave its model */
            set_round(l);
            return diverged(l);
        }
        TRY(s);
    }
    return STATUS_OK;
}

static enum status run_prepared(struct loop *l)
{
    TRY(prepare(l));
    l->earlier = l->mine.seconds;
    l->started = transport_now(l->worker->transport);
    if (l->is_lead)
        return lead_and_record(l);
    return l->build->algo->kind == ALGO_SERVED ? obey(l) : follow(l);
}

static enum status run_traced(struct loop *l)
{
    struct transport *t = l->worker->transport;
    const int lead = l->build->algo->kind == ALGO_SERVED ? l->build->workers : 0;

    if (!l->build->experiment->train.trace)
        return run_prepared(l);

    struct trace *mine = tracing_start(t);
    enum status s = run_prepared(l);
    if (s == STATUS_OK)
        s = tracing_end(t, mine, lead, l->files->run_dir);
    trace_attach(t, NULL);
    trace_free(mine);
    return s;
}

bool loop_is_lead(const struct build *b, const struct transport *t)
{
    return t->rank == (b->algo->kind == ALGO_SERVED ? b->workers : 0);
}

enum status loop_run(const struct build *b, struct transport *t, const struct loop_files *files,
                     struct loop_report *report)
{
    struct loop_report unread = {0};
    struct loop l = {
        .build = b,
        .actor = actor_new(b, t->rank),
        .files = files,
        .is_lead = loop_is_lead(b, t),
        .is_server = t->rank == b->workers,
        .table = MEM_NEW_N(double, 2 + (int64_t)b->workers * TALLY_NUMBERS),
        .everybody = MEM_NEW_N(struct tally, b->workers),
    };

    l.worker = &l.actor->worker;
    l.worker->transport = t;
    l.report = l.is_lead ? report : &unread;
    *l.report = empty_report(b->workers);
    const enum status s = run_traced(&l);

    snapshots_free(l.snapshots);
    actor_free(l.actor);
    mem_free(unread.each);
    mem_free(l.view);
    mem_free(l.everybody);
    mem_free(l.table);
    return s;
}
