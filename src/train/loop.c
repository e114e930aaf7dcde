/*
 * loop.c - an actor's way through a run: it prepares, leads, follows or serves, and reports.
 *
 * Not here: the rounds themselves, and what happens between them (drive.c).
 */
#include "train/loop.h"

#include <math.h>

#include "base/file.h"
#include "base/mem.h"
#include "train/loop_parts.h"
#include "train/tracing.h"

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
    r->epochs = rounds_passes(l->build, (double)l->place.samples);
    r->train_loss = l->place.train_loss;
    r->train_accuracy = l->place.train_accuracy;
    r->seconds = l->place.seconds;
    r->samples_per_s = drive_speed(l);
    r->setup_seconds = l->setup;
    r->is_served = l->is_server;
    for (int w = 0; w < r->workers; w++) {
        if (!l->is_server) {
            r->each[w].tally = l->everybody[w];
            continue;
        }
        r->each[w].client = l->actor->clients[w];
        r->each[w].client.account.waiting = loop_client_waiting(l, &l->actor->clients[w]);
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

static enum status prepare(struct loop *l)
{
    const int rank = l->worker->transport->rank;
    const bool asynchronous = !build_keeps_step(l->build);

    l->pace = rounds_pace(l->build, rank);
    l->total = loop_rounds(l->build, rank);
    l->clock.steps_total = l->total;
    l->worker->rounds = l->total;
    l->clock.epochs_total = rounds_epochs_begun(&l->pace, l->total);
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
    if (l->build->algo->kind == ALGO_FREE)
        TRY(free_prepare(l));
    if (l->is_lead && asynchronous)
        l->snapshots = snapshots_new(l->build, l->files->run_dir);
    return STATUS_OK;
}

static enum status open_node_files(struct loop *l)
{
    TRY(links_begin(l));
    if (l->build->algo->view != ALGO_VIEW_EACH || l->build->workers == 1)
        return STATUS_OK;
    return spread_log_open(&l->spreads, l->files->run_dir,
                           l->files->from != NULL ? l->place.round : -1);
}

static enum status lead_and_record(struct loop *l)
{
    TRY(drop_old_model(l));
    progress_start(&l->progress, l->place.round);
    TRY(recorder_open(&l->recorder, l->files->run_dir,
                      l->files->from != NULL ? l->place.round : -1));

    enum status s = open_node_files(l);
    if (s == STATUS_OK)
        s = lost_tell(l);
    if (s == STATUS_OK)
        s = drive_rounds(l);
    if (s == STATUS_OK)
        s = drive_finish(l);
    fill_report(l);
    spread_log_close(&l->spreads);
    const enum status closed = recorder_close(&l->recorder);
    return s != STATUS_OK ? s : closed;
}

static enum status follow(struct loop *l)
{
    TRY(drive_rounds(l));
    return drive_finish(l);
}

static enum status run_prepared(struct loop *l)
{
    TRY(prepare(l));
    l->earlier = l->mine.seconds;
    l->started = transport_now(l->worker->transport);
    if (l->is_lead)
        return lead_and_record(l);
    return l->build->algo->kind == ALGO_SERVED ? drive_served(l) : follow(l);
}

bool loop_is_lead(const struct build *b, const struct transport *t)
{
    return t->rank == (b->algo->kind == ALGO_SERVED ? b->workers : 0);
}

static enum status run_actor(const struct build *b, struct transport *t,
                             const struct loop_files *files, struct loop_report *report)
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
    t->sent_to = l.actor->sent;
    l.report = l.is_lead ? report : &unread;
    *l.report = empty_report(b->workers);
    const enum status s = run_prepared(&l);

    t->sent_to = NULL;
    snapshots_free(l.snapshots);
    actor_free(l.actor);
    mem_free(unread.each);
    mem_free(l.view);
    mem_free(l.everybody);
    mem_free(l.table);
    return s;
}

static enum status run_endpoint(const struct build *b, struct transport *t,
                                const struct loop_files *files, struct loop_report *report)
{
    if (respond_is_mine(b, t))
        return respond(b, t, &files->lodges[t->rank - b->workers]);
    return run_actor(b, t, files, report);
}

enum status loop_run(const struct build *b, struct transport *t, const struct loop_files *files,
                     struct loop_report *report)
{
    const int lead = b->algo->kind == ALGO_SERVED ? b->workers : 0;

    if (!b->experiment->train.trace)
        return run_endpoint(b, t, files, report);

    struct trace *mine = tracing_start(t);
    enum status s = run_endpoint(b, t, files, report);
    if (s == STATUS_OK)
        s = tracing_end(t, mine, lead, files->run_dir);
    trace_attach(t, NULL);
    trace_free(mine);
    return s;
}
