/*
 * run.c - reads the run config, opens the world, makes or finds the run directory, builds, runs the
 * loop on every endpoint.
 */
#include "train/run.h"

#include <stdio.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/signals.h"
#include "comm/control_kinds.h"
#include "comm/world.h"
#include "conf/yaml.h"
#include "optim/schedule.h"
#include "record/attempts.h"
#include "record/live.h"
#include "record/result.h"
#include "record/rundir.h"
#include "train/agreement.h"
#include "train/budget.h"
#include "train/data_download.h"
#include "train/epochs.h"
#include "train/folders.h"
#include "train/initial_weights.h"
#include "train/learned_nothing.h"
#include "train/loop/broken_names.h"
#include "train/loop/coordinator.h"
#include "train/resume.h"
#include "train/validate.h"

/* Everything about one run in this process. */
struct run {
    const struct run_request *request;
    struct run_outcome *outcome;
    struct run_config config;
    struct world *world;
    struct build *build;
    struct folders folders; /* of the leading process */
    char *checkpoint;       /* to resume from; NULL: a new run */
    int64_t from_round;     /* that of the checkpoint */
    char *old_budget;       /* train.budget of a run that is resumed, before flags; NULL: none */
    struct rundir_names earlier; /* files that could not be read before it was resumed */
    void *shared;
    void *process; /* what the endpoints of this process share */
};

/* --- an old run --- */

static enum status load_old_config(struct run *r, struct node **root)
{
    const struct run_request *q = r->request;
    struct folders *f = &r->folders;

    TRY(rundir_find(q->resume, &f->run, &f->top));
    TRY(resume_check_changes(q->root));

    char *path = file_join(f->top, "effective.yaml");
    const enum status s = yaml_load(path, root);
    mem_free(path);
    TRY(s);
    if ((*root)->kind != NODE_MAP)
        return node_fail(*root, "this is not the effective.yaml of a run");
    resume_fill_in_ends(*root);
    const struct node *budget = node_find_path(*root, "train.budget");
    if (budget != NULL && budget->kind == NODE_SCALAR && !budget->is_null)
        r->old_budget = mem_text(budget->text);
    node_overlay(*root, q->root);
    return STATUS_OK;
}

/* A schedule that knows the end is another one when the end moves. */
static void log_new_length(const struct build *b, const struct run_totals *totals, int64_t rounds)
{
    if (rounds > totals->round && schedule_spans_run(&b->config->schedule))
        log_info("the %s schedule now ends at round %lld", b->config->schedule.entry->name,
                 (long long)rounds);
}

/* A run that was to use as much as this, or less, has ended where this budget would end it. */
static enum status check_used(const struct run *r, const struct run_totals *totals)
{
    const struct amount *budget = &r->build->budget;
    struct amount old = {0};

    if (r->old_budget != NULL)
        TRY(amount_read(r->old_budget, &old));
    if (budget_used(budget, &totals->counters) <= 1 ||
        (old.unit == budget->unit && old.value <= budget->value))
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT,
                "cannot shorten the run: it has already used more than the budget of %s",
                r->config.train.budget);
}

/* Of workers that wait for no other: of all of them, each with a gradient a round. */
static enum status check_not_shorter(const struct build *b, const struct run_totals *totals,
                                     int64_t rounds)
{
    const bool is_own = coordinator_of(b->algo)->has_own_rounds;
    const int64_t done = is_own ? (int64_t)totals->counters.gradients : totals->round;
    int64_t asked = is_own && epochs_end_own(b) ? 0 : rounds;

    for (int w = 0; w < b->workers && is_own && epochs_end_own(b); w++)
        asked += epochs_own_rounds(b, w);
    if (done <= asked)
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT,
                "cannot shorten the run: it has done %lld rounds, but --epochs, --max-steps "
                "and --budget ask for %lld",
                (long long)done, (long long)asked);
}

/* The leading process finds the checkpoint and checks it for all endpoints; effective.yaml is
 * rewritten only when all is well. */
static enum status reopen_run(struct run *r)
{
    const struct build *b = r->build;
    const int64_t rounds = epochs_total_rounds(b, coordinator_leader(b));
    struct run_totals totals = run_totals_start();

    broken_names_read(r->folders.run, &r->earlier); /* before the files of the end are removed */
    TRY(folders_reopen(&r->folders));
    if (!r->request->restarts)
        TRY(resume_check_loss(b, r->folders.run, r->folders.top));
    TRY(resume_find(b, r->folders.run, &totals, &r->checkpoint));
    r->from_round = totals.round;
    TRY(check_not_shorter(b, &totals, rounds));
    TRY(check_used(r, &totals));
    log_new_length(b, &totals, rounds);
    return folders_go_on(&r->folders, b->config);
}

/* --- both --- */

static char *copy_of(const char *text)
{
    return text == NULL ? NULL : mem_text(text);
}

static char *name_of(const struct choice *c)
{
    return copy_of(c->entry == NULL ? NULL : c->entry->name);
}

static void describe_outcome(const struct run *r)
{
    const struct run_config *config = &r->config;
    struct run_outcome *o = r->outcome;

    o->name = mem_text(config->top.name);
    o->problem = mem_text(config->problem.entry->name);
    o->model = copy_of(config->model_name);
    o->dataset = name_of(&config->dataset);
    o->data = copy_of(r->build->data);
    o->optimizer = mem_text(config->optimizer.entry->name);
    o->algorithm = mem_text(config->algorithm.entry->name);
    o->partition = name_of(&config->partition);
    o->transport = mem_text(r->world->transport->entry.name);
    o->param_count = r->build->layout.param_count;
    o->threads = r->build->threads;
    o->workers = r->build->workers;
    o->is_synchronous = build_is_synchronous(r->build);
    o->batches = o->is_synchronous ? epochs_length(r->build, 0).batches : 0;
    o->chance = r->build->plan->chance;
    o->base_loss = r->build->plan->base_loss;
    o->test_samples = r->build->plan->part_counts[PART_TEST];
    o->validation_chance = r->build->plan->validation_chance;
    o->validation_base_loss = r->build->plan->validation_base_loss;
    o->validation_samples = r->build->plan->part_counts[PART_VALIDATION];
    o->nodes_differ = algo_has_node_models(r->build->algo) && r->build->workers > 1;
}

/* Of the host of this process. */
static void add_memory(const struct run *r, struct text *line)
{
    const double bytes = r->build->memory;
    const bool is_large = bytes >= 1e9;

    text_addf(line, ", about %.3g %s of memory%s", bytes / (is_large ? 1e9 : 1e6),
              is_large ? "GB" : "MB", r->world->processes > 1 ? " on this host" : "");
}

/* Whose epochs or rounds the limits are, where workers may end one by one. */
static const char *limit_owner(const struct build *b)
{
    if (build_is_synchronous(b) || b->workers == 1)
        return "";
    return epochs_end_own(b) ? " each" : " in all";
}

/* "6 epochs", "up to 100 rounds each", "a budget of bytes:1000000"; mem_free. */
static char *describe_length(const struct build *b)
{
    const struct train_options *o = &b->config->train;
    const bool by_rounds = o->max_steps > 0;
    const int64_t length = by_rounds ? o->max_steps : o->epochs;

    if (o->budget != NULL && !by_rounds)
        return text_format("a budget of %s", o->budget);
    return text_format("%s%lld %s%s%s", by_rounds ? "up to " : "", (long long)length,
                       by_rounds ? "round" : "epoch", length == 1 ? "" : "s", limit_owner(b));
}

static void log_start(const struct run *r)
{
    const struct run_config *config = &r->config;
    const struct build *b = r->build;
    char *length = describe_length(b);
    char *batches = problem_plan_batch_text(b->plan, config->train.batch_size);
    const int64_t samples = b->plan->part_counts[PART_TRAIN];
    const char *optimizer =
        algo_optimizer(b->algo, config->algorithm.options, config->optimizer.entry->name);
    struct text who = {0}, what = {0};

    if (b->workers > 1 || coordinator_of(b->algo) != &lockstep_coordinator)
        text_addf(&who, "%d worker%s (%s%s%s over %s), ", b->workers, b->workers == 1 ? "" : "s",
                  config->algorithm.entry->name, config->partition.entry == NULL ? "" : ", ",
                  config->partition.entry == NULL ? "" : config->partition.entry->name,
                  r->world->transport->entry.name);
    text_addf(&who, "%d thread%s%s, %s", b->threads, b->threads == 1 ? "" : "s",
              b->workers > 1 ? " each" : "", kernel_get()->isa);
    if (b->workers > 1 || b->plan->micro_batch < b->plan->batch)
        add_memory(r, &who);
    text_addf(&what, "%s (%lld parameters)", b->plan->name, (long long)b->layout.param_count);
    if (b->plan->data_name != NULL)
        text_addf(&what, " on %lld sample%s of %s", (long long)samples, samples == 1 ? "" : "s",
                  b->plan->data_name);
    log_info("training %s with %s, batches of %s, %s, %s", text_get(&what), optimizer, batches,
             length, text_get(&who));
    if (!r->request->is_temporary)
        log_info("run directory: %s", r->folders.run);
    mem_free(length);
    mem_free(batches);
    text_release(&what);
    text_release(&who);
}

static enum status prepare_run(struct run *r)
{
    const bool is_leader = world_is_lead(r->world);
    const int own = world_own_workers(r->world);
    const struct build_size size = {
        .workers = r->world->workers,
        .host_workers = build_host_workers(r->world->processes, r->world->workers),
        .own_workers = own > 0 ? own : 1, /* a server alone has what a worker has */
    };

    TRY(build_new(&r->config, &size, &r->build));
    if (r->request->resume == NULL)
        TRY(initial_weights_load(r->build));
    if (!is_leader)
        return STATUS_OK;
    if (r->request->resume != NULL)
        TRY(reopen_run(r));
    else
        TRY(folders_make(&r->folders, r->request, r->build, r->world->transport->entry.name));
    describe_outcome(r);
    r->outcome->run_dir = mem_text(r->folders.run);
    log_start(r);
    return STATUS_OK;
}

/* What the leading process decides for all: the folder, and the checkpoint to resume from. */
struct decision {
    int64_t from_round;
    char folder[4096];     /* the others name it in their messages */
    char checkpoint[4096]; /* "": none */
};

static void keep_decision(struct run *r, const struct decision *d)
{
    mem_free(r->folders.run);
    r->folders.run = mem_text(d->folder);
    r->from_round = d->from_round;
    r->checkpoint = d->checkpoint[0] == '\0' ? NULL : mem_text(d->checkpoint);
}

static enum status share_decision(struct run *r, struct transport *t)
{
    const int lead = world_process_of(r->world, world_leader(r->world));
    struct decision d = {.from_round = r->from_round};

    if (r->world->processes == 1)
        return STATUS_OK;
    if (!world_is_lead(r->world)) {
        TRY(transport_recv(t, world_first_endpoint(r->world, lead), CONTROL_DECISION, NULL, &d,
                           sizeof d));
        keep_decision(r, &d);
        return STATUS_OK;
    }
    snprintf(d.folder, sizeof d.folder, "%s", r->folders.run);
    snprintf(d.checkpoint, sizeof d.checkpoint, "%s", r->checkpoint == NULL ? "" : r->checkpoint);
    for (int p = 0; p < r->world->processes; p++)
        if (p != r->world->process)
            TRY(transport_send(t, world_first_endpoint(r->world, p), CONTROL_DECISION, &d,
                               sizeof d));
    return STATUS_OK;
}

/* One endpoint of each process builds what its endpoints share, and a failure wakes all others. */
static enum status prepare_body(void *context, struct transport *t)
{
    struct run *r = context;

    if (t->rank != world_first_endpoint(r->world, r->world->process))
        return STATUS_OK;
    TRY(prepare_run(r));
    TRY(share_decision(r, t));
    return r->request->resume != NULL && r->checkpoint == NULL ? initial_weights_load(r->build)
                                                               : STATUS_OK;
}

static enum status train_body(void *context, struct transport *t)
{
    struct run *r = context;
    const struct endpoint_setup setup = {
        .run_dir = r->folders.run,
        .save = r->request->save,
        .is_temporary = r->request->is_temporary,
        .from = r->checkpoint,
        .from_round = r->from_round,
        .shared = r->shared,
        .process = r->process,
        .processes = r->world->processes,
        .is_virtual = r->world->transport->is_virtual,
        .argc = r->request->argc,
        .argv = r->request->argv,
    };

    return endpoint_run(r->build, t, &setup, &r->outcome->report);
}

static enum status share_memory(struct run *r)
{
    const struct coordinator *c = coordinator_of(r->build->algo);

    if (c->process_new != NULL)
        r->process = c->process_new(r->build, r->world->processes);
    return c->shared_bytes == NULL ? STATUS_OK
                                   : world_share(r->world, c->shared_bytes(r->build), &r->shared);
}

/* Hosts may differ, and the bits of a run must not depend on which of them a worker is on. */
static enum status agree_on_isa(struct run *r)
{
    int64_t lowest = 0;

    TRY(world_agree(r->world, kernel_level(), &lowest));
    kernel_lower((int)lowest);
    return STATUS_OK;
}

/* The limit that a finished run came to: "epochs:6", "rounds:100", "bytes:1000000", or the rule
 * that ended it before: "accuracy:0.97"; mem_free. */
static char *limit_of(const struct run *r)
{
    const struct train_options *o = &r->config.train;
    const bool counts_all = coordinator_of(r->build->algo)->has_server && epochs_end_own(r->build);
    const int64_t most = o->max_steps * (counts_all ? r->build->workers : 1);
    const bool is_only_limit = o->epochs == 0 && o->budget == NULL;

    if (r->outcome->report.is_good_enough)
        return mem_text(o->stop);
    if (o->max_steps > 0 && (is_only_limit || r->outcome->report.rounds >= most))
        return text_format("rounds:%lld", (long long)o->max_steps);
    return o->budget != NULL ? mem_text(o->budget)
                             : text_format("epochs:%lld", (long long)o->epochs);
}

/* The record says how this start ended; the message stays that of the run. */
static enum status end_attempt(const struct run *r, enum status s)
{
    struct run_report *report = &r->outcome->report;
    char *why = s == STATUS_OK ? NULL : mem_text(status_message());

    if (report->rounds < r->from_round) /* it failed before its first round */
        report->rounds = r->from_round;
    if (s == STATUS_OK)
        r->outcome->ended_by = limit_of(r);
    broken_names_add(&report->broken, &r->earlier);
    enum status written = attempts_end(r->folders.run, result_word(s), report->rounds, why);
    if (written == STATUS_OK)
        written = result_json_write(r->outcome, s);
    if (live_end(r->folders.run, result_word(s)) != STATUS_OK)
        log_warning("%s", status_message());
    if (s != STATUS_OK)
        s = FAIL(s, "%s", why);
    mem_free(why);
    return s == STATUS_OK ? written : s;
}

static enum status train_in_world(struct run *r)
{
    if (!world_is_lead(r->world))
        return world_run(r->world, train_body, r);
    TRY(attempts_begin(r->folders.run, r->from_round));
    build_warn(r->build);
    const enum status s = end_attempt(r, world_run(r->world, train_body, r));
    if (s == STATUS_OK)
        learned_nothing_warn(r->outcome);
    return s;
}

static enum status run_in_world(struct run *r)
{
    TRY(agree_on_isa(r));
    TRY(agreement_check_settings(r->world, &r->config, r->request->save));
    TRY(data_download_in_world(r->world, &r->config));
    TRY(world_run(r->world, prepare_body, r));
    TRY(agreement_check_data(r->world, r->build->plan));
    TRY(share_memory(r));
    return train_in_world(r);
}

static enum status open_world(struct run *r)
{
    struct world_request request;

    TRY(validate_world(&r->config, &request));
    TRY(world_open(&request, &r->world));
    r->config.transport.workers = r->world->workers;
    if (!world_is_lead(r->world))
        log_set_level(LOG_ERROR);
    return STATUS_OK;
}

/* With several processes the message must be out before the launcher sees one of them end. */
static enum status report_before_closing(const struct run *r, enum status s)
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
    TRY(validate_locate_error(root, run_config_read(&r->config, root)));
    enum status s = validate_locate_error(root, open_world(r));
    if (s == STATUS_OK)
        s = report_before_closing(r, validate_locate_error(root, run_in_world(r)));
    if (r->process != NULL)
        coordinator_of(r->build->algo)->process_free(r->process, r->build->workers);
    build_free(r->build);
    world_close(r->world);
    run_config_release(&r->config);
    return s;
}

enum status run_train(const struct run_request *request, struct run_outcome *outcome)
{
    struct run r = {.request = request, .outcome = outcome};
    struct node *old = NULL;
    enum status s = STATUS_OK;

    *outcome = (struct run_outcome){0};
    signals_catch(world_reports());
    if (request->resume != NULL)
        s = load_old_config(&r, &old);
    if (s == STATUS_OK)
        s = run_read(&r, old != NULL ? old : request->root);
    node_free(old);
    mem_free(r.checkpoint);
    mem_free(r.old_budget);
    rundir_names_release(&r.earlier);
    folders_release(&r.folders);
    return s; /* the log stays open: the caller still has a message to write */
}

void run_outcome_release(struct run_outcome *o)
{
    mem_free(o->run_dir);
    mem_free(o->name);
    mem_free(o->problem);
    mem_free(o->model);
    mem_free(o->dataset);
    mem_free(o->data);
    mem_free(o->optimizer);
    mem_free(o->algorithm);
    mem_free(o->partition);
    mem_free(o->transport);
    mem_free(o->ended_by);
    mem_free(o->report.per_worker);
    mem_free(o->report.link_bytes);
    rundir_names_release(&o->report.broken);
    *o = (struct run_outcome){0};
}
