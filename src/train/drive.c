/*
 * drive.c - rounds until the end, and what happens between them.
 *
 * Here: what every actor does round by round, and at the end of an epoch and of the run. Not here:
 * how an actor begins, and what it reports (loop.c); evaluation (examine.c), meetings (meet.c) and
 * files (keep.c).
 */
#include <math.h>

#include "base/mem.h"
#include "base/signals.h"
#include "train/loop_parts.h"
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
    l->clock.epoch = rounds_epochs(&l->pace, l->place.round);
}

/* --- progress --- */

double drive_speed(const struct loop *l)
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
            .epoch = rounds_passes(l->build, (double)p->samples),
            .loss = p->epoch_loss / (double)p->epoch_samples,
            .accuracy = loop_accuracy(l, (double)p->epoch_correct, (double)p->epoch_samples),
            .samples_per_s = drive_speed(l),
            .evaluated = l->evaluated_round > 0 ? l->report->test_accuracy : (double)NAN,
            .evaluated_age = rounds_epoch(&l->pace, p->round - l->evaluated_round),
        },
        false);
}

/* --- between rounds --- */

bool drive_evaluates(const struct loop *l)
{
    const struct train_options *o = options(l);
    const int64_t round = l->place.round;

    if (round == l->total)
        return true;
    if (o->evaluate_rounds > 0)
        return round % o->evaluate_rounds == 0;
    return o->evaluate_every > 0 && rounds_end_epoch(&l->pace, round, o->evaluate_every);
}

static void close_epoch(struct loop *l)
{
    tally_close_epoch(&l->mine);
    l->place.epoch_loss = 0;
    l->place.epoch_samples = l->place.epoch_correct = 0;
}

static enum status pause_for(struct loop *l, const struct halt *h)
{
    TRY(examine_halt(l, h));
    if (h->ends_epoch)
        close_epoch(l);
    if (h->evaluates && l->snapshots == NULL)
        TRY(keep_if_best(l));
    if (h->saves)
        TRY(keep_checkpoint(l, "last"));
    return meet_wait(l);
}

/* Between two rounds: record, evaluate, save. Off the clock. */
static enum status halt(struct loop *l, bool evaluates, bool ends_epoch)
{
    const bool is_last = l->place.round >= l->total;
    const int64_t round = l->place.round, save_every = options(l)->save_every;
    const struct halt due = {
        .evaluates = evaluates,
        .ends_epoch = ends_epoch,
        .saves = is_last || (save_every > 0 && rounds_end_epoch(&l->pace, round, save_every)),
    };
    const struct pause pause = meet_pause_all(l);
    const double start = transport_now(l->worker->transport);

    l->off_before = l->off;
    TRY(pause_for(l, &due));
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
    w->epoch = rounds_epoch(&l->pace, l->place.round);
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

/* Every worker its own state, off the clock. First all end the round: one that still queues for a
 * slot behind evaluations would count their time as its own. */
static enum status look_at_each(struct loop *l)
{
    struct transport *t = l->worker->transport;

    transport_compute_end(t, 0);
    TRY(meet(l));

    const struct pause pause = meet_pause_all(l);

    transport_compute_begin(t);
    TRY(examine_each(l));
    meet_go_on(l, &pause);
    return STATUS_OK;
}

static bool looks_at_each(const struct loop *l)
{
    return l->build->algo->kind == ALGO_LOCKSTEP && l->build->algo->view != ALGO_VIEW_SAME;
}

static void give_slot(struct loop *l)
{
    if (l->worker->transport->is_computing)
        transport_compute_end(l->worker->transport, 0);
}

/*
 * With a compute slot, which goes round: workers that never wait would keep it to the end. Who had
 * to wait has let others go meanwhile, and keeps it for the next round, because handing it on and
 * getting it again takes a good part of a small network's step.
 */
static enum status round_with_slot(struct loop *l, bool *evaluates)
{
    struct transport *t = l->worker->transport;

    if (!l->is_server && !t->is_computing)
        transport_compute_begin(t);

    const double waited = t->account.waiting;

    TRY(one_round(l));
    *evaluates = drive_evaluates(l);
    if (*evaluates && looks_at_each(l))
        TRY(look_at_each(l));
    if (l->build->algo->join != NULL)
        TRY(traced(l, algo_join));
    if (!(t->account.waiting > waited))
        give_slot(l);
    return STATUS_OK;
}

static enum status round_and_after(struct loop *l)
{
    bool evaluates = false;

    TRY(round_with_slot(l, &evaluates));

    const bool is_last = l->place.round == l->total;
    const bool ends_epoch = is_last || rounds_end_epoch(&l->pace, l->place.round, 1);
    const bool due = meet_is_due(l);

    if (ends_epoch || evaluates)
        give_slot(l);
    if (due || l->place.round == l->next_tick)
        TRY(meet(l));
    show_progress(l);
    if (due)
        TRY(log_round(l));
    if ((ends_epoch || evaluates) && !(is_last && l->build->algo->kind == ALGO_FREE))
        TRY(halt(l, evaluates, ends_epoch));
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
    if (!l->files->save || l->files->is_temporary)
        return FAIL(STATUS_INTERRUPTED, "stopped by %s after round %lld; nothing was saved (%s)",
                    signal, (long long)l->place.round,
                    l->files->is_temporary ? "output.write: false" : "--no-save");
    return FAIL(STATUS_INTERRUPTED,
                "stopped by %s after round %lld of %lld; go on with: muster train --resume %s",
                signal, (long long)l->place.round, (long long)l->total, l->files->run_dir);
}

static enum status end_rounds(struct loop *l)
{
    const bool is_free = l->build->algo->kind == ALGO_FREE;
    bool is_cut = l->place.round < l->total;

    if (l->is_server)
        TRY(algo_dismiss(l->worker));
    if (is_free)
        TRY(free_end_together(l, &is_cut));
    if (is_cut)
        return interrupted(l);
    return is_free && !l->report->was_finished ? halt(l, true, true) : STATUS_OK;
}

/* --- the whole --- */

/* Outside of rounds. */
static enum status examine_each_now(struct loop *l)
{
    transport_compute_begin(l->worker->transport);
    TRY(examine_each(l));
    transport_compute_end(l->worker->transport, 0);
    return STATUS_OK;
}

static enum status examine_start(struct loop *l)
{
    if (looks_at_each(l))
        TRY(examine_each_now(l));
    TRY(pause_for(l, &(struct halt){.evaluates = true}));
    if (l->build->algo->kind != ALGO_FREE)
        return STATUS_OK;
    return transport_barrier(l->worker->transport); /* nobody moves it before */
}

/* What a new run starts from, where rounds are counted: curves begin there. */
static enum status at_start(struct loop *l)
{
    const struct pause pause = meet_pause(l);

    if (options(l)->evaluate_rounds == 0 || l->files->from != NULL)
        return STATUS_OK;
    TRY(examine_start(l));
    meet_go_on(l, &pause);
    return STATUS_OK;
}

/* Files that were opened, and what an algorithm finds out before its first round (choco's search
 * for gamma), are no training. */
static enum status begin(struct loop *l)
{
    struct pause pause = meet_pause(l);

    pause.since = l->started;
    TRY(algo_begin(l->worker));
    TRY(free_open(l));
    l->setup = transport_now(l->worker->transport) - pause.since;
    meet_go_on(l, &pause);
    return STATUS_OK;
}

enum status drive_rounds(struct loop *l)
{
    l->next_tick = l->place.round + 1;
    TRY(begin(l));
    TRY(at_start(l));
    while (l->place.round < l->total && !l->stops)
        TRY(round_and_after(l));
    give_slot(l);
    return end_rounds(l);
}

/*
 * A resumed run that had ended already has nothing to train, but its result is still asked for: it
 * may have been killed before it told. Free workers and servers know by now what everybody did.
 */
static enum status look_again(struct loop *l)
{
    if (l->build->algo->kind == ALGO_LOCKSTEP)
        TRY(meet_again(l));
    if (looks_at_each(l) && l->build->algo->join == NULL) /* a join has made one of them all */
        TRY(examine_each_now(l));
    return pause_for(l, &(struct halt){.evaluates = true, .ends_epoch = true});
}

enum status drive_finish(struct loop *l)
{
    if (l->report->was_finished)
        TRY(look_again(l));
    TRY(examine_snapshots(l, true));
    TRY(links_end(l));
    return keep_model(l);
}

/* A worker of a server: it goes on until it is told to stop. */
enum status drive_served(struct loop *l)
{
    struct worker *w = l->worker;

    TRY(algo_begin(w));
    while (!w->is_stopped) {
        w->asks_stop = signals_stop_requested();
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
