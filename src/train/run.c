/*
 * run.c - reads the experiment, opens the world, makes or finds the run directory, builds, runs the
 * loop on every endpoint.
 */
#include "train/run.h"

#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/signals.h"
#include "comm/world.h"
#include "conf/yaml.h"
#include "metrics/rundir.h"
#include "optim/schedule.h"
#include "train/check.h"
#include "train/folders.h"
#include "train/resume.h"
#include "train/same.h"
#include "train/summary.h"

/* The kind of the message with the run's folder. */
enum { RUN_FOLDER = TRANSPORT_CONTROL + 1 };

/* Everything about one run in this process. */
struct run {
    const struct run_request *request;
    struct run_outcome *outcome;
    struct experiment experiment;
    struct world *world;
    struct build *build;
    struct folders folders; /* of the leading process */
    char *checkpoint;       /* to go on from; NULL: a new run */
    int64_t from_round;     /* that of the checkpoint */
    void *shared;
    struct lodge *lodges; /* of algorithms with responders */
};

/* --- an old run --- */

static enum status load_old(const struct run_request *q, struct folders *f, struct node **root)
{
    TRY(rundir_find(q->resume, &f->run, &f->experiment));
    TRY(resume_check_changes(q->root));

    char *path = file_join(f->experiment, "effective.yaml");
    const enum status s = yaml_load(path, root);
    mem_free(path);
    TRY(s);
    if ((*root)->kind != NODE_MAP)
        return node_fail(*root, "this is not the effective.yaml of a run");
    node_overlay(*root, q->root);
    return STATUS_OK;
}

static int lead_rank(const struct build *b)
{
    return b->algo->kind == ALGO_SERVED ? b->workers : 0;
}

/* A schedule that knows the end is another one when the end moves. */
static void tell_new_length(const struct build *b, const struct loop_place *place, int64_t rounds)
{
    if (rounds > place->round && schedule_spans_run(&b->experiment->schedule))
        log_info("the schedule %s now reaches to round %lld", b->experiment->schedule.entry->name,
                 (long long)rounds);
}

/* All processes look; the leading one sweeps the folders, and writes effective.yaml anew only when
 * all is well. */
static enum status reopen(struct run *r, bool is_lead)
{
    const struct build *b = r->build;
    const int64_t rounds = loop_rounds(b, lead_rank(b));
    struct loop_place place = loop_place_start();

    if (is_lead) {
        TRY(folders_reopen(&r->folders));
    }
    if (!r->request->restarts)
        TRY(resume_check_loss(b, r->folders.run, r->folders.experiment));
    TRY(resume_find(b, r->folders.run, &place, &r->checkpoint));
    r->from_round = place.round;
    if (place.round > rounds)
        return FAIL(STATUS_BAD_INPUT,
                    "this run has done %lld rounds; --epochs and --max-steps ask for only %lld",
                    (long long)place.round, (long long)rounds);
    if (!is_lead)
        return STATUS_OK;
    tell_new_length(b, &place, rounds);
    return folders_go_on(&r->folders, b->experiment);
}

/* --- both --- */

static void describe(const struct run *r)
{
    const struct experiment *e = &r->experiment;
    struct run_outcome *o = r->outcome;

    o->name = mem_text(e->top.name);
    o->model = mem_text(e->model_name);
    o->dataset = mem_text(e->dataset.entry->name);
    o->optimizer = mem_text(e->optimizer.entry->name);
    o->algorithm = mem_text(e->algorithm.entry->name);
    o->partition = mem_text(e->partition.entry->name);
    o->transport = mem_text(r->world->transport);
    o->param_count = r->build->model->param_count;
    o->threads = r->build->threads;
    o->workers = r->build->workers;
    o->batches = r->build->epoch_batches;
    o->chance = build_chance(r->build);
    o->test_samples = r->build->dataset->test.count;
    o->nodes_differ = r->build->algo->view == ALGO_VIEW_EACH && r->build->workers > 1;
}

static void say_start(const struct run *r)
{
    const struct experiment *e = &r->experiment;
    const struct build *b = r->build;
    const bool by_rounds = e->train.max_steps > 0;
    const char *optimizer = algo_optimizer(b->algo, e->algorithm.options, e->optimizer.entry->name);
    struct text who = {0};

    if (b->workers > 1 || b->algo->kind != ALGO_LOCKSTEP)
        text_addf(&who, "%d worker%s (%s, %s over %s), ", b->workers, b->workers == 1 ? "" : "s",
                  e->algorithm.entry->name, e->partition.entry->name, r->world->transport);
    text_addf(&who, "%d thread%s%s, %s", b->threads, b->threads == 1 ? "" : "s",
              b->workers > 1 ? " each" : "", kernel_get()->isa);
    log_info("training %s (%lld parameters) on %lld samples of %s with %s, batches of %lld, "
             "%s%lld %s, %s",
             e->model_name, (long long)b->model->param_count, (long long)b->split.train_count,
             e->dataset.entry->name, optimizer, (long long)e->train.batch_size,
             by_rounds ? "up to " : "",
             (long long)(by_rounds ? e->train.max_steps : e->train.epochs),
             by_rounds ? "rounds" : "epochs", text_get(&who));
    if (!r->request->is_temporary)
        log_info("run directory: %s", r->folders.run);
    text_release(&who);
}

static enum status prepare(struct run *r)
{
    const bool is_lead = world_is_lead(r->world);
    const struct build_size size = {
        .workers = r->world->workers,
        .neighbours = build_neighbours(r->world->processes, r->world->workers),
    };

    TRY(build_new(&r->experiment, &size, &r->build));
    if (r->request->resume != NULL)
        TRY(reopen(r, is_lead));
    else if (is_lead)
        TRY(folders_make(&r->folders, r->request, r->build, r->world->transport));
    if (is_lead) {
        describe(r);
        r->outcome->run_dir = mem_text(r->folders.run);
        say_start(r);
    }
    return STATUS_OK;
}

/* The other processes name the folder in their messages. */
static enum status tell_folder(struct run *r, struct transport *t)
{
    const int lead = r->experiment.transport.server != 0 ? r->world->processes - 1 : 0;
    char path[4096] = "";
    struct envelope e;

    if (r->request->resume != NULL || r->world->processes == 1)
        return STATUS_OK;
    if (!world_is_lead(r->world)) {
        TRY(transport_recv(t, lead, RUN_FOLDER, &e, path, sizeof path - 1));
        r->folders.run = mem_text(path);
        return STATUS_OK;
    }
    for (int p = 0; p < r->world->processes; p++)
        if (p != r->world->process)
            TRY(transport_send(t, p, RUN_FOLDER, r->folders.run, strlen(r->folders.run) + 1));
    return STATUS_OK;
}

/* One endpoint of each process builds what its endpoints share, and a failure wakes all others. */
static enum status prepare_body(void *context, struct transport *t)
{
    struct run *r = context;
    const int mine = r->world->processes > 1 ? r->world->process : 0;

    if (t->rank != mine)
        return STATUS_OK;
    TRY(prepare(r));
    return tell_folder(r, t);
}

static enum status train_body(void *context, struct transport *t)
{
    struct run *r = context;
    const struct loop_files files = {
        .run_dir = r->folders.run,
        .save = r->request->save,
        .is_temporary = r->request->is_temporary,
        .from = r->checkpoint,
        .shared = r->shared,
        .lodges = r->lodges,
    };

    return loop_run(r->build, t, &files, &r->outcome->report);
}

static enum status share(struct run *r)
{
    const size_t bytes = loop_shared_bytes(r->build);

    return bytes == 0 ? STATUS_OK : world_share(r->world, bytes, &r->shared);
}

/* Hosts may differ, and the bits of a run must not depend on which of them a worker is on. */
static enum status agree_on_isa(struct run *r)
{
    int64_t lowest = 0;

    TRY(world_agree(r->world, kernel_level(), &lowest));
    kernel_lower((int)lowest);
    return STATUS_OK;
}

/* What each was worth before the last average cannot be measured again once a run has ended. */
static enum status write_summary(const struct run *r)
{
    const bool is_there = file_exists_in(r->folders.run, "workers.json");

    return r->outcome->report.was_finished && is_there
               ? STATUS_OK
               : summary_write(&r->outcome->report, r->folders.run);
}

static enum status run_in_world(struct run *r)
{
    TRY(agree_on_isa(r));
    TRY(same_settings(r->world, &r->experiment, r->request->save));
    TRY(world_run(r->world, prepare_body, r));
    TRY(same_data(r->world, r->build->dataset));
    TRY(same_place(r->world, r->from_round));
    TRY(share(r));
    r->lodges = lodges_new(r->build->algo, r->build->workers);
    signals_catch();
    TRY(world_run(r->world, train_body, r));
    if (world_is_lead(r->world) && r->build->workers > 1)
        return write_summary(r);
    return STATUS_OK;
}

static enum status open_world(struct run *r)
{
    struct world_request request;

    TRY(experiment_world(&r->experiment, &request));
    TRY(world_open(&request, &r->world));
    r->experiment.transport.workers = r->world->workers;
    if (!world_is_lead(r->world))
        log_set_level(LOG_ERROR);
    return STATUS_OK;
}

/* With several processes the message must be out before the launcher sees one of them end. */
static enum status tell_before_closing(const struct run *r, enum status s)
{
    if (s == STATUS_OK || r->world == NULL || r->world->processes == 1)
        return s;
    if (status_message()[0] != '\0')
        log_say(s == STATUS_INTERRUPTED ? LOG_WARNING : LOG_ERROR, "%s", status_message());
    return FAIL(s, "%s", "");
}

static enum status run_read(struct run *r, const struct node *root)
{
    TRY(kernel_init());
    TRY(experiment_locate(root, experiment_read(&r->experiment, root)));
    enum status s = experiment_locate(root, open_world(r));
    if (s == STATUS_OK)
        s = tell_before_closing(r, experiment_locate(root, run_in_world(r)));
    if (r->build != NULL)
        lodges_free(r->lodges, r->build->workers);
    build_free(r->build);
    world_close(r->world);
    experiment_release(&r->experiment);
    return s;
}

enum status run_experiment(const struct run_request *request, struct run_outcome *outcome)
{
    struct run r = {.request = request, .outcome = outcome};
    struct node *old = NULL;
    enum status s = STATUS_OK;

    *outcome = (struct run_outcome){0};
    if (request->resume != NULL)
        s = load_old(request, &r.folders, &old);
    if (s == STATUS_OK)
        s = run_read(&r, old != NULL ? old : request->root);
    node_free(old);
    mem_free(r.checkpoint);
    folders_release(&r.folders);
    return s; /* the log stays open: the caller still has a message to write */
}
