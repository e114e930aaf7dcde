/*
 * study_command.c - from a study's tree to its table on stdout.
 */
#include "cli/study_command.h"

#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/team.h"
#include "cli/command.h"
#include "cli/milestone_flags.h"
#include "cli/search_best.h"
#include "cli/study_landscape.h"
#include "cli/train.h"
#include "comm/world.h"
#include "study/best_case.h"
#include "study/broadcast.h"
#include "study/comparison.h"
#include "study/epoch_cases.h"
#include "study/halving.h"
#include "study/names.h"
#include "study/published.h"
#include "study/random_cases.h"
#include "study/runner.h"
#include "study/tune.h"

/* "--local-sgd.period" needs a run with local-sgd. */
static enum status check_entry(const struct study *s, const struct node *flag)
{
    const char *entry = node_find(flag, "entry")->text;
    const char *section = node_find(flag, "section")->text;
    const struct registry *r = NULL;

    for (int i = 0; run_config_registries[i] != NULL; i++)
        if (strcmp(run_config_registries[i]->section, section) == 0)
            r = run_config_registries[i];
    for (int64_t i = 0; i < s->count; i++) {
        const char *chosen = train_flags_choice(s->runs[i].root, r);

        if (chosen != NULL && registry_find(r, chosen) == registry_find(r, entry))
            return STATUS_OK; /* also "folder:DIR" */
    }
    return node_fail(flag, "this is an option of %s %s, which no run uses", r->what, entry);
}

enum status study_command_check_entries(const struct study *s, const struct flags *f)
{
    if (s->is_single)
        return train_flags_check_entries(f, s->runs[0].root);
    for (int64_t i = 0; i < f->entry_flags->count; i++)
        TRY(check_entry(s, f->entry_flags->children[i]));
    return STATUS_OK;
}

enum { JOBS_MAX = 4096 };

enum status study_command_jobs(const struct flags *f, int *jobs)
{
    const char *given = flags_value(f, "jobs");
    int64_t number = 0;

    *jobs = 1;
    if (given == NULL)
        return STATUS_OK;
    if (!text_to_int(given, &number) || number < 0 || number > JOBS_MAX)
        return FAIL(STATUS_BAD_INPUT, "--jobs: \"%s\" is not a whole number from 0 to %d", given,
                    JOBS_MAX);
    *jobs = number == 0 ? team_cores() : (int)number;
    if (*jobs > 1 && world_is_launched())
        return FAIL(STATUS_BAD_INPUT,
                    "--jobs cannot be used under mpirun or srun, where all processes train one run "
                    "together; leave out --jobs, or start without the launcher");
    return STATUS_OK;
}

static enum status print_csv(const struct results *results, const char *path)
{
    struct text out = {0};

    results_add_csv(results, &out);
    const enum status s = command_print_or_write(text_get(&out), path);
    text_release(&out);
    return s;
}

char *study_report(const struct flags *f, const struct runner_outcome *o, int64_t count)
{
    double rounds = 0;

    for (int64_t i = 0; i < count; i++)
        if (o->results[i].numbers[RESULT_ROUNDS] > rounds)
            rounds = o->results[i].numbers[RESULT_ROUNDS];
    return o->folder != NULL && rounds >= REPORT_ROUNDS_MIN ? end_report(f, o->folder) : NULL;
}

/* What is known at the end only, published results and the best case, is added to results.json: of
 * all runs, also of those that --only leaves out. The report reads it. */
static enum status write_results(const struct study *s, const struct study_call *call,
                                 const struct published *published, const struct runner_outcome *o)
{
    struct comparison whole;
    struct judgements judged;
    struct results results;
    struct text out = {0};

    comparison_init(&whole, s, o->results);
    published_judge(published, &whole, o->folder, &judged);
    comparison_results(&whole, o->folder, &judged, &results);
    enum status status = call->is_search ? search_best_find(call, &whole, &results) : STATUS_OK;
    results_add_json(&results, &out);
    if (status == STATUS_OK)
        status = file_write_in(o->folder, "results.json", text_get(&out));
    text_release(&out);
    results_release(&results);
    published_judgements_release(&judged);
    comparison_release(&whole);
    return status;
}

/* Whether stdout is for people. */
static bool prints_text(const struct flags *f)
{
    const char *csv = flags_value(f, "csv");

    return !flags_has(f, "json") && (csv == NULL || csv[0] != '\0');
}

static enum status print_comparison(const struct study *s, const struct study_call *call,
                                    const struct published *published,
                                    const struct runner_outcome *o)
{
    const struct flags *f = call->flags;
    const char *csv = flags_value(f, "csv");
    struct comparison table;
    struct judgements judged;
    struct results results;
    struct text out = {0};
    enum status status = STATUS_OK;

    if ((published->count > 0 || call->is_search) && o->folder != NULL)
        TRY(write_results(s, call, published, o));
    char *report = study_report(f, o, s->count);
    comparison_init_kept(&table, s, o->results);
    published_judge(published, &table, o->folder, &judged);
    comparison_results(&table, o->folder, &judged, &results);
    if (call->is_search)
        status = search_best_find(call, &table, &results);
    if (status == STATUS_OK && csv != NULL)
        status = print_csv(&results, csv);
    if (flags_has(f, "json")) {
        results_add_json(&results, &out);
    } else if (prints_text(f)) {
        comparison_text(&results, &out);
        published_judgements_text(&judged, &out);
        if (judged.count > 0 && flags_has(f, "quick"))
            text_add(&out, "this was a quick trial: its verdicts are not reliable\n");
        if (call->is_search)
            search_best_text(&results, &out);
        if (o->folder != NULL)
            text_addf(&out, "results in %s\n", o->folder);
        if (report != NULL)
            text_addf(&out, "report in %s\n", report);
    }
    mem_free(report);
    command_print(text_get(&out));
    text_release(&out);
    results_release(&results);
    published_judgements_release(&judged);
    comparison_release(&table);
    return status;
}

/* First the landscape, to which the report has a link. Without it, the results are still printed.
 */
static enum status draw_and_print(const struct study *s, const struct study_call *call,
                                  const struct published *published, const struct runner_outcome *o)
{
    char *page = NULL;
    const enum status drawn = study_landscape(s, o, &page);
    char *why = drawn == STATUS_OK ? NULL : mem_text(status_message());
    enum status status = print_comparison(s, call, published, o);

    if (page != NULL && prints_text(call->flags)) {
        char *line = text_format("landscape in %s\n", page);

        command_print(line);
        mem_free(line);
    }
    if (status == STATUS_OK && why != NULL)
        status = FAIL(drawn, "the landscape could not be drawn: %s", why);
    mem_free(why);
    mem_free(page);
    return status;
}

/* One of the two is a mistake: a folder is asked for, and files are not wanted. */
static enum status check_out(const struct study *s, const struct study_call *call, const char *out)
{
    if (s->output.write || out == NULL)
        return STATUS_OK;
    return node_fail(
        node_find_path(call->root, "output.write"), /* or S001's writeout */
        "conflicts with --out %s: false means that no files are kept; remove one of them", out);
}

/* It needs the models of the runs. */
static bool draws_landscape(const struct study *s, const struct study_call *call)
{
    return s->landscape.is_wanted && !flags_has(call->flags, "no-save");
}

/* Before the first run, not after the last. */
static enum status check_landscape(const struct study *s, const struct study_call *call)
{
    const struct node *section = node_find(call->root, "landscape");

    if (!draws_landscape(s, call))
        return STATUS_OK;
    if (section == NULL)
        section = node_find_path(call->root, "quick.landscape");
    if (!s->output.write)
        return node_fail(section, "landscape: conflicts with output.write: false, which keeps no "
                                  "files");
    return landscape_options_check(s, section);
}

/* What lies in the study's folder is written when that has been made. */
static bool is_inside(const char *folder, const char *path)
{
    size_t length = folder == NULL ? 0 : strlen(folder);

    while (length > 1 && folder[length - 1] == '/')
        length--;
    return length > 0 && strncmp(path, folder, length) == 0 && path[length] == '/';
}

/* By the process that will write it: others may see other folders. */
static enum status check_csv(void *context, struct text *decision)
{
    const struct flags *const *flags = context;

    (void)decision;
    return command_check_file(*flags, "csv");
}

static enum status check_files(const struct study_call *call, const char *out)
{
    const struct flags *f = call->flags;
    const char *csv = flags_value(f, "csv");
    struct text nothing = {0};

    if (csv == NULL || csv[0] == '\0' || is_inside(out, csv))
        return STATUS_OK;
    const enum status s = broadcast_decision(check_csv, &f, &nothing);
    text_release(&nothing);
    return s;
}

static const char *folder_of(const struct study_call *call)
{
    return call->out != NULL ? call->out : flags_value(call->flags, "out");
}

/* How the runs of a study are run. */
struct run_plan {
    int jobs;
    int64_t halving; /* the factor; 0: all runs in full */
};

static enum status run_study(struct study *s, const struct study_call *call,
                             const struct published *published, const struct run_plan *plan)
{
    const struct flags *f = call->flags;
    const struct runner_request request = {
        .out = folder_of(call),
        .given = call->given,
        .save = !flags_has(f, "no-save"),
        .jobs = plan->jobs,
        .argc = call->argc,
        .argv = call->argv,
    };
    struct runner_outcome outcome;
    enum status status = plan->halving > 0 ? halving_run(s, plan->halving, &request, &outcome)
                                           : runner_run(s, &request, &outcome);

    if (outcome.has_begun && world_reports()) {
        struct status_slot mine = {0};
        struct status_slot *const usual = status_slot_use(&mine); /* keeps the run's message */
        const bool draws = draws_landscape(s, call) && status != STATUS_INTERRUPTED;
        const enum status shown = draws ? draw_and_print(s, call, published, &outcome)
                                        : print_comparison(s, call, published, &outcome);

        (void)status_slot_use(usual);
        if (status == STATUS_OK && shown != STATUS_OK)
            status = FAIL(shown, "%s", mine.text);
        else if (shown != STATUS_OK)
            log_warning("%s", mine.text);
    }
    runner_outcome_release(&outcome);
    return status;
}

static enum status run_single(const struct study *s, const struct study_call *call)
{
    struct run_request request = {
        .root = s->runs[0].root,
        .given = call->given,
        .argc = call->argc,
        .argv = call->argv,
    };

    if (call->out != NULL)
        return FAIL(STATUS_BAD_INPUT, "--resume: %s is a single run; use muster train --resume %s",
                    call->out, call->out);
    if (flags_has(call->flags, "csv"))
        return FAIL(STATUS_BAD_INPUT,
                    "--csv: a single run has no table; use muster export RUN --results csv");
    if (s->milestones.at.unit != AMOUNT_NONE || s->milestones.target_kind != TARGET_NONE)
        return FAIL(
            STATUS_BAD_INPUT,
            "--at and --target: a single run has no table; see muster show RUN, or metrics.jsonl");
    if (flags_has(call->flags, "jobs"))
        log_info("--jobs: this is a single run, which uses all cores");
    return train_and_print(call->flags, &request);
}

static enum status list_runs(const struct study *s)
{
    struct text out = {0};

    names_list(s, &out);
    if (world_reports())
        command_print(text_get(&out));
    text_release(&out);
    return STATUS_OK;
}

static enum status do_study(struct study *s, const struct study_call *call,
                            const struct published *published, const struct search_options *search)
{
    const struct flags *f = call->flags;
    const char *only = flags_value(f, "only");
    struct run_plan plan = {.halving = search->halving};

    TRY(study_command_jobs(f, &plan.jobs));
    TRY(milestone_flags_read(f, &s->milestones));
    TRY(study_command_check_entries(s, f));
    s->is_by_validation = call->is_search;
    if (call->is_search && s->tuning != NULL)
        return FAIL(STATUS_BAD_INPUT,
                    "tune: muster search chooses settings itself; remove tune, or "
                    "use muster run");
    if (call->is_search) {
        TRY(best_case_check_validation(s));
        TRY(epoch_cases_check(s));
        random_cases_report(s, search->random);
    }
    if (only != NULL)
        TRY(names_select(s, only));
    tune_select(s);
    if (s->is_single && !flags_has(f, "list"))
        return run_single(s, call);
    const struct study_check how = {
        .out = folder_of(call),
        .may_lack_data = flags_has(f, "list"),
    };

    TRY(check_out(s, call, how.out));
    if (!flags_has(f, "list"))
        TRY(check_files(call, how.out));
    TRY(study_check(s, &how));
    TRY(check_landscape(s, call));
    if (plan.halving > 0)
        TRY(halving_plan(s, plan.halving));
    else if (call->is_search && !flags_has(f, "list"))
        epoch_cases_share(s);
    return flags_has(f, "list") ? list_runs(s) : run_study(s, call, published, &plan);
}

/* A study that has become one run continues in its folder. Each process checks for itself: before
 * everything is checked none may open the world, or each would print what is wrong. */
static bool continues(const struct study_call *call)
{
    return folder_of(call) != NULL && runner_is_study_folder(folder_of(call));
}

enum status study_command_search(const struct flags *f, const struct node *section,
                                 struct search_options *o)
{
    const char *random = flags_value(f, "random"), *halving = flags_value(f, "halving");

    TRY(search_options_read(o, section));
    if (random != NULL &&
        (!text_to_int(random, &o->random) || o->random < 1 || o->random > STUDY_RUNS_MAX))
        return FAIL(STATUS_BAD_INPUT, "--random: \"%s\" is not a whole number from 1 to %d", random,
                    (int)STUDY_RUNS_MAX);
    if (halving != NULL && halving[0] == '\0')
        o->halving = HALVING_FACTOR;
    else if (halving != NULL && (!text_to_int(halving, &o->halving) || o->halving < 2 ||
                                 o->halving > HALVING_FACTOR_MAX))
        return FAIL(STATUS_BAD_INPUT, "--halving: \"%s\" is not a whole number from 2 to %d",
                    halving, (int)HALVING_FACTOR_MAX);
    return STATUS_OK;
}

/* Published results and the kind of search are not settings: the study is made without them, and
 * its folder keeps them. */
static enum status make_study(const struct study_call *call, bool is_claimed,
                              const struct search_options *search, struct study **study)
{
    const struct study_options options = {
        .name = call->name,
        .over = call->over,
        .quick = flags_has(call->flags, "quick"),
        .is_many = call->is_search || is_claimed || continues(call),
        .random = search->random,
    };
    struct node *root = node_copy(call->root);

    node_remove(root, "search");
    if (is_claimed)
        node_remove(root, "published");
    const enum status s = study_new(root, &options, study);
    if (s == STATUS_OK && is_claimed)
        node_put((*study)->root, "published", node_copy(node_find(call->root, "published")));
    if (s == STATUS_OK && call->is_search)
        node_put((*study)->root, "search", search_options_section(search));
    node_free(root);
    return s;
}

static void be_quiet_if_asked(const struct flags *f)
{
    if (flags_has(f, "quiet"))
        log_set_level(LOG_WARNING);
}

enum status study_command_run(const struct study_call *call)
{
    struct published published;
    struct search_options search;
    struct study *study = NULL;

    be_quiet_if_asked(call->flags);
    TRY(study_command_search(call->flags, node_find(call->root, "search"), &search));
    TRY(published_read(&published, call->root));
    enum status s = make_study(call, published.count > 0, &search, &study);
    if (s == STATUS_OK)
        s = do_study(study, call, &published, &search);
    study_free(study);
    published_release(&published);
    return s;
}

/* "experiments/momentum.yaml" is called momentum. */
static char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash == NULL ? path : slash + 1;
    const char *dot = strrchr(base, '.');

    return dot == NULL || dot == base ? mem_text(base) : mem_text_n(base, (size_t)(dot - base));
}

/* A study that is continued is what its folder says it was, including flags. */
enum status study_command_run_file(const char *path, const struct flags_spec *spec,
                                   struct study_call *call)
{
    struct node *over = command_settings(call->flags, spec);
    struct node *root = NULL;
    struct text given = {0};
    char *name = name_of(path);

    be_quiet_if_asked(call->flags); /* reading a file reports what has no effect in it */
    enum status s = study_read(path, &given, &root);

    if (s == STATUS_OK) {
        call->root = root;
        call->is_search = call->is_search || node_find(root, "search") != NULL;
        call->over = over;
        call->name = name;
        call->given = call->out == NULL ? text_get(&given) : NULL;
        s = study_command_run(call);
    }
    mem_free(name);
    node_free(root);
    node_free(over);
    text_release(&given);
    return s;
}
