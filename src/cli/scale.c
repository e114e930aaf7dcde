/*
 * scale.c - `muster scale`: the same training at several numbers of workers.
 *
 * Here: which lists there are, and the speed-up. Not here: the runs (study/), the
 * table and scale.csv (scale_table.c).
 */
#include "cli/scale.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "cli/list.h"
#include "cli/other_flags.h"
#include "cli/study_command.h"
#include "cli/sweep_flags.h"
#include "comm/world.h"
#include "data/dataset.h"
#include "data/partition.h"
#include "nn/zoo.h"
#include "study/runner.h"

static const struct flag scale_flags[] = {
    TRAIN_FLAGS,
    {"csv", NULL, "FILE", "append a row per run (default scale.csv in the output folder)", NULL},
    JOBS_FLAG(NULL),
    FLAG_LAST,
};

static const struct flags_spec scale_spec = {
    .command = "scale",
    .usage = "muster scale --workers 1,2,4,8 [flags]",
    .intro = "Runs the same training with each number of workers and prints time, speed-up, "
             "efficiency and accuracy. --workers, --algorithm, --partition and --model take lists, "
             "and every combination is run. All other flags are those of muster train; "
             "--local-sgd.period 8 applies to the runs with local-sgd. Speed-up is relative to the "
             "first number of workers. Each worker uses one thread unless --threads is given.",
    .examples = "muster scale --workers 1,2,4 --dataset figures --epochs 2\n"
                "muster scale --workers 1,2,4,8 --algorithm sync,ps-async,local-sgd "
                "--local-sgd.period 8",
    .flags = scale_flags,
    .other_names = other_flags,
    .briefs = train_flag_briefs,
    .tables = run_config_tables,
    .registries = run_config_registries,
};

/* --- the lists --- */

/* In the order of the table, the last fastest. `usual` stands where the flag is not given. */
static const struct {
    const char *key, *path, *usual;
    bool is_of_data; /* only of problems with data */
} axes[] = {
    {"model",     "model.name",        "lenet5", true },
    {"partition", "partition.name",    "split",  true },
    {"algorithm", "algorithm.name",    "sync",   false}, /* with one worker too */
    {"workers",   "transport.workers", NULL,     false},
};

enum { AXES = sizeof axes / sizeof axes[0] };

/* A number of workers is a number: 0 would leave it to the program. */
static enum status check_workers(const struct node *root)
{
    const struct node *list = node_find_path(root, "transport.workers");

    for (int64_t i = 0; i < list->count; i++) {
        int64_t number = 0;

        if (!text_to_int(list->children[i]->text, &number) || number < 1)
            return node_fail(
                list, "\"%s\" is not a positive whole number; expected a list such as 1,2,4,8",
                list->children[i]->text);
    }
    return STATUS_OK;
}

static bool has_data(const struct node *settings)
{
    const struct entry *e =
        registry_find(&problem_registry, train_flags_choice(settings, &problem_registry));

    return e == NULL || ((const struct problem_ops *)e)->has_data;
}

/* The flags as a study: the lists first, in their order, and all else laid over them. */
static enum status make_tree(const struct node *settings, struct node *root)
{
    struct node *rest = node_copy(settings);
    enum status s = STATUS_OK;

    for (int i = 0; i < AXES && s == STATUS_OK; i++) {
        const struct node *given = node_find_path(settings, axes[i].path);
        const char *values = given != NULL ? given->text : axes[i].usual;

        if (given == NULL && axes[i].is_of_data && !has_data(settings))
            continue;
        char *origin = text_format("--%s", axes[i].key);
        char *section = mem_text_n(axes[i].path, strcspn(axes[i].path, "."));
        struct node *map = node_find(rest, section);

        s = values == NULL
                ? FAIL(STATUS_BAD_INPUT, "muster scale needs --workers with a list of "
                                         "numbers, such as --workers 1,2,4,8")
                : sweep_flags_put(root, &(struct sweep_flag){"scale", axes[i].key, values, origin});
        if (map != NULL)
            node_remove(map, strchr(axes[i].path, '.') + 1);
        mem_free(section);
        mem_free(origin);
    }
    if (s == STATUS_OK)
        s = check_workers(root);
    node_overlay(root, rest);
    /* One worker on all cores would leave nothing for more workers to add. */
    if (node_find_path(root, "train.threads") == NULL)
        node_put_path(root, "train.threads", node_new_scalar("1", "muster scale", 0, 0));
    node_free(rest);
    return s;
}

/* --- what came of it --- */

static const char *chosen(const struct study_run *c, const char *path)
{
    const struct node *n = node_find_path(c->root, path);

    return n == NULL ? "-" : n->text;
}

static void fill_row(struct scale_row *row, const struct study_run *c, const struct compared_run *r)
{
    *row = (struct scale_row){
        .model = chosen(c, "model.name"),
        .partition = chosen(c, "partition.name"),
        .algorithm = chosen(c, "algorithm.name"),
        .dataset = has_data(c->root) ? train_flags_choice(c->root, &dataset_registry) : "-",
        .name = c->name,
        .batches = r->numbers[RESULT_BATCHES],
        .seconds = r->numbers[RESULT_SECONDS],
        .test_loss = r->numbers[RESULT_TEST_LOSS],
        .test_accuracy = r->numbers[RESULT_TEST_ACCURACY],
        .speedup = (double)NAN,
        .efficiency = (double)NAN,
        .is_finished = r->state == RESULT_FINISHED,
    };
    (void)text_to_int(chosen(c, "transport.workers"), &row->workers);
}

static bool differ_in_workers_alone(const struct scale_row *a, const struct scale_row *b)
{
    return strcmp(a->model, b->model) == 0 && strcmp(a->partition, b->partition) == 0 &&
           strcmp(a->algorithm, b->algorithm) == 0;
}

/* Against the first number of workers with the same model, partition and algorithm. */
static void compute_speedup(struct scale_row *rows, int64_t at)
{
    struct scale_row *row = &rows[at];
    int64_t first = at;

    while (first > 0 && differ_in_workers_alone(&rows[first - 1], row))
        first--;
    if (!rows[first].is_finished || !row->is_finished || !(row->seconds > 0))
        return;
    row->speedup = rows[first].seconds / row->seconds;
    row->efficiency = row->speedup * (double)rows[first].workers / (double)row->workers;
}

static enum status append_csv(const struct scale_result *result, const char *given)
{
    char *path = given != NULL ? mem_text(given) : file_join(result->folder, "scale.csv");
    struct file_log csv = {0};
    enum status s = scale_csv_open(&csv, path);

    for (int64_t i = 0; i < result->count && s == STATUS_OK; i++)
        if (result->rows[i].is_run)
            s = scale_csv_add(&csv, result, i);
    if (csv.path != NULL)
        file_log_close(&csv);
    mem_free(path);
    return s;
}

static enum status print_scale(const struct study *s, const struct runner_outcome *o,
                               const struct flags *f)
{
    struct scale_result result = {.folder = o->folder, .count = s->count};
    char *report = study_report(f, o, s->count);
    struct text out = {0};

    result.rows = MEM_NEW_N(struct scale_row, s->count);
    for (int64_t i = 0; i < s->count; i++) {
        fill_row(&result.rows[i], &s->runs[i], &o->results[i]);
        result.rows[i].is_run = o->results[i].state != RESULT_NOT_RUN;
        compute_speedup(result.rows, i);
    }
    const enum status status = append_csv(&result, flags_value(f, "csv"));
    if (flags_has(f, "json")) {
        scale_json(&result, &out);
    } else {
        scale_table(&result, &out);
        text_addf(&out, "results in %s\n", o->folder);
        if (report != NULL)
            text_addf(&out, "report in %s\n", report);
    }
    mem_free(report);
    command_print(text_get(&out));
    text_release(&out);
    mem_free(result.rows);
    return status;
}

/* --- the runs --- */

static enum status run_study(struct study *s, const struct runner_request *request,
                             const struct flags *f)
{
    struct runner_outcome outcome;
    enum status status = runner_run(s, request, &outcome);

    if (outcome.has_begun) {
        char *message = mem_text(status_message());
        const enum status printed = print_scale(s, &outcome, f);

        if (status != STATUS_OK)
            status = FAIL(status, "%s", message);
        else
            status = printed;
        mem_free(message);
    }
    runner_outcome_release(&outcome);
    return status;
}

static enum status check_csv(const struct flags *f)
{
    const char *path = flags_value(f, "csv");
    struct file_log csv = {0};

    if (path == NULL)
        return STATUS_OK;
    const enum status s = scale_csv_open(&csv, path);
    if (csv.path != NULL)
        file_log_close(&csv);
    return s;
}

static enum status scale_tree(const struct flags *f, const struct node *root, int argc, char **argv)
{
    const struct study_options options = {.name = "scale"};
    struct text given = {0};
    struct study *s = NULL;

    TRY(study_new(root, &options, &s));
    node_write(root, &given);
    struct runner_request request = {
        .out = flags_value(f, "out"),
        .given = text_get(&given),
        .save = !flags_has(f, "no-save"),
        .argc = argc,
        .argv = argv,
    };
    enum status status = study_command_jobs(f, &request.jobs);
    if (status == STATUS_OK)
        status = study_command_check_entries(s, f);
    if (status == STATUS_OK)
        status = study_check(s, &(struct study_check){.out = flags_value(f, "out")});
    if (status == STATUS_OK)
        status = check_csv(f);
    if (status == STATUS_OK && request.jobs > 1)
        log_warning("--jobs %d: the runs share the machine, so times and speed-ups are not those "
                    "of a run alone",
                    request.jobs);
    if (status == STATUS_OK)
        status = run_study(s, &request, f);
    text_release(&given);
    study_free(s);
    return status;
}

static enum status scale_parsed(const struct flags *f)
{
    if (world_is_launched())
        return FAIL(
            STATUS_BAD_INPUT,
            "muster scale cannot run under a launcher, which decides the number of workers; "
            "use muster train");
    if (flags_has(f, "quiet"))
        log_set_level(LOG_WARNING);
    struct node *settings = command_settings(f, &scale_spec);
    struct node *root = node_new(NODE_MAP, "flags", 0, 0);
    enum status s = make_tree(settings, root);
    if (s == STATUS_OK)
        s = scale_tree(f, root, f->argc, f->argv);
    node_free(root);
    node_free(settings);
    return s;
}

static enum status scale_run(int argc, char **argv)
{
    return command_run(&scale_spec, argc, argv, scale_parsed);
}

const struct command scale_command = {
    .name = "scale",
    .summary = "run the same training with 1, 2, 4, ... workers and compare",
    .flags = &scale_spec,
    .run = scale_run,
};
