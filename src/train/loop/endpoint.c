/*
 * endpoint.c - an endpoint's way through a run: it prepares, then leads, follows or responds.
 *
 * Not here: the rounds themselves, and what happens between them (loop.c).
 */
#include "train/loop/endpoint.h"

#include "base/mem.h"
#include "train/loop/broken_names.h"
#include "train/loop/loop.h"
#include "train/loop/quality_stop.h"
#include "train/loop/run_events.h"
#include "train/loop/trace_gather.h"

static void seek_problem(struct loop *l)
{
    struct problem *p = l->memory->problem;

    if (p == NULL)
        return;

    const int64_t draws = (int64_t)l->counters.draws;

    problem_seek(p, draws / p->batches_per_epoch, draws % p->batches_per_epoch);
}

static enum status prepare(struct loop *l)
{
    l->length = epochs_run_length(l->build, l->worker->transport->rank);
    l->log = log_plan_of(l->build, &l->length);
    l->worker->rounds = loop_rounds_known(l);
    l->worker->is_resumed = l->setup->from != NULL;
    l->counters = counters_start();
    if (l->setup->from != NULL)
        TRY(checkpointing_restore(l));
    TRY(quality_stop_resume(l));
    seek_problem(l);
    l->was_finished = l->round >= l->length.rounds;
    if (l->leader != NULL && !build_is_synchronous(l->build)) {
        l->leader->queue = evaluation_queue_new(l->build, l->setup->run_dir);
        if (l->setup->from != NULL)
            TRY(evaluation_queue_restore(l->leader->queue, l->round));
        l->has_snapshots = evaluation_queue_waiting(l->leader->queue) > 0;
    }
    if (l->coordinator->begin != NULL)
        TRY(l->coordinator->begin(l));
    training_clock_init(&l->clock, l->worker->transport, &l->counters);
    return STATUS_OK;
}

/* A full disk is not the end of a run that was saved before. */
static enum status fail_run(const struct loop *l, enum status s, const char *message)
{
    const int64_t saved = l->leader->saved_round;

    if (s != STATUS_IO || saved < 0 || l->setup->is_temporary)
        return FAIL(s, "%s", message);
    return FAIL(s,
                "%s; the checkpoint of round %lld is whole: resume with: muster train --resume %s",
                message, (long long)saved, l->setup->run_dir);
}

/* The record is closed however the run ends; its message is that of the run. */
static enum status lead(struct loop *l)
{
    const enum status opened = leader_open(l);
    enum status s = opened == STATUS_OK ? loop_run(l) : opened;
    char *message = mem_text(status_message());

    if (opened == STATUS_OK && s != STATUS_OK && s != STATUS_INTERRUPTED)
        leader_record_failure(l);
    const enum status ended = opened == STATUS_OK ? run_events_end(l, s) : STATUS_OK;
    const enum status closed = leader_close(l);

    if (s != STATUS_OK)
        s = fail_run(l, s, message);
    mem_free(message);
    return s != STATUS_OK ? s : ended != STATUS_OK ? ended : closed;
}

static enum status run_prepared(struct loop *l)
{
    TRY(prepare(l));
    if (l->leader != NULL)
        return lead(l);
    return l->coordinator->follow != NULL ? l->coordinator->follow(l) : loop_run(l);
}

static enum status run_loop(const struct build *b, struct transport *t,
                            const struct endpoint_setup *setup, struct run_report *report)
{
    struct loop l = {
        .build = b,
        .setup = setup,
        .coordinator = coordinator_of(b->algo),
        .memory = worker_memory_new(b, t->rank),
        .leader = t->rank == coordinator_leader(b) ? leader_new(b, report) : NULL,
    };

    l.coordination = mem_alloc(1, l.coordinator->memory_bytes);
    l.worker = &l.memory->worker;
    l.worker->transport = t;
    t->sent_to = l.memory->sent;
    const enum status s = run_prepared(&l);

    if (l.coordinator->leave != NULL)
        l.coordinator->leave(&l);
    t->sent_to = NULL;
    leader_free(l.leader);
    worker_memory_free(l.memory);
    mem_free(l.run_model);
    mem_free(l.confusion);
    mem_free(l.coordination);
    return s;
}

static enum status run_endpoint(const struct build *b, struct transport *t,
                                const struct endpoint_setup *setup, struct run_report *report)
{
    const struct coordinator *c = coordinator_of(b->algo);

    if (c->respond != NULL && t->rank >= b->workers)
        return c->respond(b, t, setup);
    return run_loop(b, t, setup, report);
}

enum status endpoint_run(const struct build *b, struct transport *t,
                         const struct endpoint_setup *setup, struct run_report *report)
{
    const int lead = coordinator_leader(b);
    struct trace *own_trace = b->config->train.trace ? trace_gather_start(t) : NULL;
    enum status s = run_endpoint(b, t, setup, report);

    if (t->rank == lead)
        broken_names_add_own(b->plan->broken, &report->broken);
    if (s == STATUS_OK && own_trace != NULL)
        s = trace_gather_end(t, own_trace, lead, setup->run_dir);
    if (s == STATUS_OK && setup->processes > 1 && b->plan->broken != NULL)
        s = broken_names_gather(t, b->plan->broken, lead, &report->broken);
    trace_attach(t, NULL);
    trace_free(own_trace);
    return s;
}
