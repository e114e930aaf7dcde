/*
 * scale.c - `muster scale`: the same training at several numbers of workers, one after the other.
 *
 * Here: the runs. Not here: the lists (scale_axes.c), the table and scale.csv (scale_table.c), what
 * a run is (train/run.h).
 */
#include "cli/scale.h"

#include <math.h>

#include "base/log.h"
#include "base/mem.h"
#include "cli/list.h"
#include "cli/scale_axes.h"
#include "cli/train_flags.h"
#include "comm/world.h"
#include "metrics/rundir.h"

static const struct flag scale_flags[] = {
    TRAIN_FLAGS,
    {"csv",   NULL, "FILE", "append a row per run (default scale.csv in the output folder)", NULL},
    {0},
};

static const struct flags_spec scale_spec = {
    .command = "scale",
    .usage = "muster scale --workers 1,2,4,8 [flags]",
    .intro =
        "Runs the same training at each number of workers and prints time, speed-up, efficiency "
        "and accuracy. --workers, --algorithm, --partition and --model take lists, and every "
        "combination is run. All other flags are those of muster train; --local-sgd.period 8 "
        "counts where local-sgd is the algorithm. Speed-up is against the first number of workers. "
        "A worker computes on one thread, unless --threads says otherwise.",
    .examples = "muster scale --workers 1,2,4 --dataset figures --epochs 2\n"
                "muster scale --workers 1,2,4,8 --algorithm sync,ps-async,local-sgd "
                "--local-sgd.period 8",
    .flags = scale_flags,
    .tables = experiment_tables,
    .registries = experiment_registries,
};

/* All runs of one call. */
struct scale {
    const struct flags *flags;
    struct node *root; /* what the flags set, with the lists */
    struct scale_axes axes;
    char *folder;
    struct file_log csv;
    struct scale_row *rows;
    int64_t count, failed;
    enum status first_failure;
    int argc;
    char **argv;
};

/* --- one run --- */

/* Batches of a worker in an epoch, the mean where workers do not keep step. */
static double batches_of(const struct run_outcome *o)
{
    const struct loop_report *r = &o->report;
    double updates = 0;

    if (o->batches > 0)
        return (double)o->batches;
    for (int w = 0; w < r->workers; w++)
        updates += r->is_served ? (double)r->each[w].client.updates : r->each[w].tally.rounds;
    return r->epochs > 0 ? updates / r->epochs / r->workers : (double)NAN;
}

static void take_outcome(struct scale_row *row, const struct run_outcome *o)
{
    row->dataset = mem_text(o->dataset);
    row->run_dir = mem_text(o->run_dir);
    row->batches = batches_of(o);
    row->seconds = o->report.seconds;
    row->test_loss = o->report.test_loss;
    row->test_accuracy = o->report.test_accuracy;
}

/* Against the first number of workers of this combination. */
static void compare(struct scale_row *row, const struct scale_row *first)
{
    if (!first->is_finished || !row->is_finished || !(row->seconds > 0))
        return;
    row->speedup = first->seconds / row->seconds;
    row->efficiency = row->speedup * (double)first->workers / (double)row->workers;
}

static char *folder_of(const struct scale *s, const struct scale_row *row, int64_t index)
{
    const struct scale_axis *axes = s->axes.axes;
    struct text name = {0};

    text_addf(&name, "%s/%lld", s->folder, (long long)index + 1);
    text_addf(&name, "_%s", row->algorithm);
    if (axes[SCALE_PARTITION].count > 1)
        text_addf(&name, "_%s", row->partition);
    text_addf(&name, "_w%lld", (long long)row->workers);
    return text_take(&name);
}

static enum status run_row(struct scale *s, struct scale_row *row, const struct node *experiment,
                           int64_t index)
{
    char *folder = folder_of(s, row, index);
    const struct run_request request = {
        .root = experiment,
        .out = folder,
        .save = !flags_has(s->flags, "no-save"),
        .argc = s->argc,
        .argv = s->argv,
    };
    struct run_outcome outcome;

    log_info("run %lld of %lld: %s, %s, %s, %lld worker%s", (long long)index + 1,
             (long long)s->count, row->algorithm, row->partition, row->model,
             (long long)row->workers, row->workers == 1 ? "" : "s");
    const enum status status = run_experiment(&request, &outcome);
    row->is_finished = status == STATUS_OK;
    if (row->is_finished)
        take_outcome(row, &outcome);
    run_outcome_release(&outcome);
    mem_free(folder);
    return status;
}

static void begin_row(struct scale *s, struct scale_row *row, const int64_t at[SCALE_AXES])
{
    const struct scale_axes *a = &s->axes;

    *row = (struct scale_row){
        .model = scale_axes_value(a, SCALE_MODEL, at[SCALE_MODEL]),
        .partition = scale_axes_value(a, SCALE_PARTITION, at[SCALE_PARTITION]),
        .algorithm = scale_axes_value(a, SCALE_ALGORITHM, at[SCALE_ALGORITHM]),
        .batches = (double)NAN,
        .seconds = (double)NAN,
        .speedup = (double)NAN,
        .efficiency = (double)NAN,
        .test_loss = (double)NAN,
        .test_accuracy = (double)NAN,
    };
    (void)text_to_int(scale_axes_value(a, SCALE_WORKERS, at[SCALE_WORKERS]), &row->workers);
}

/* A run that fails is told and counted; only an interruption or a full disk ends the series. */
static enum status do_row(struct scale *s, int64_t index)
{
    struct scale_row *row = &s->rows[index];
    int64_t at[SCALE_AXES];

    scale_axes_at(&s->axes, index, at);
    begin_row(s, row, at);
    struct node *experiment = scale_axes_experiment(&s->axes, s->flags, s->root, at);
    const enum status status = run_row(s, row, experiment, index);
    node_free(experiment);
    if (status == STATUS_INTERRUPTED)
        return status;
    if (status != STATUS_OK) {
        log_warning("%s, %s, %s with %lld worker%s failed: %s", row->algorithm, row->partition,
                    row->model, (long long)row->workers, row->workers == 1 ? "" : "s",
                    status_message());
        s->first_failure = s->failed++ == 0 ? status : s->first_failure;
    }
    compare(row, row - at[SCALE_WORKERS]);
    return scale_csv_add(&s->csv, row);
}

/* --- all --- */

static void tell(const struct scale *s, int64_t done)
{
    struct text out = {0};

    if (flags_has(s->flags, "json")) {
        scale_json(s->rows, done, s->folder, &out);
    } else {
        scale_table(s->rows, done, &out);
        text_addf(&out, "results in %s\n", s->folder);
    }
    command_print(text_get(&out));
    text_release(&out);
}

static enum status open_csv(struct scale *s)
{
    const char *given = flags_value(s->flags, "csv");
    char *path = given != NULL ? mem_text(given) : file_join(s->folder, "scale.csv");
    const enum status status = scale_csv_open(&s->csv, path);

    mem_free(path);
    return status;
}

static enum status run_all(struct scale *s)
{
    enum status status = STATUS_OK;
    int64_t done = 0;

    s->count = scale_axes_count(&s->axes);
    s->rows = MEM_NEW_N(struct scale_row, s->count);
    while (done < s->count && status == STATUS_OK) {
        status = do_row(s, done);
        done += status == STATUS_OK ? 1 : 0;
    }
    tell(s, done);
    TRY(status);
    if (s->failed > 0)
        return FAIL(s->first_failure, "%lld of %lld runs failed", (long long)s->failed,
                    (long long)s->count);
    return STATUS_OK;
}

static enum status prepare(struct scale *s)
{
    const struct node *name = node_find(s->root, "name");

    if (world_is_launched())
        return FAIL(STATUS_BAD_INPUT,
                    "muster scale runs on threads: under mpirun the number of workers is the "
                    "launcher's (use muster train)");
    TRY(scale_axes_read(&s->axes, s->flags, s->root));
    /* One worker on all cores would leave nothing for more workers to add. */
    if (node_find_path(s->root, "train.threads") == NULL)
        node_put_path(s->root, "train.threads", node_new_scalar("1", "muster scale", 0, 0));
    TRY(rundir_make(flags_value(s->flags, "out"), name != NULL ? name->text : "scale", &s->folder));
    return open_csv(s);
}

static void scale_release(struct scale *s)
{
    for (int64_t i = 0; s->rows != NULL && i < s->count; i++) {
        mem_free(s->rows[i].dataset);
        mem_free(s->rows[i].run_dir);
    }
    mem_free(s->rows);
    if (s->csv.path != NULL)
        file_log_close(&s->csv);
    mem_free(s->folder);
    scale_axes_release(&s->axes);
    node_free(s->root);
}

static enum status scale_run(int argc, char **argv)
{
    struct flags f = {0};
    bool done = false;
    enum status status = command_parse(&f, &scale_spec, argc, argv, &done);

    if (status == STATUS_OK && !done) {
        struct scale s = {.flags = &f, .argc = argc, .argv = argv};

        s.root = command_settings(&f, &scale_spec);
        if (flags_has(&f, "quiet"))
            log_set_level(LOG_WARNING);
        status = prepare(&s);
        if (status == STATUS_OK)
            status = run_all(&s);
        scale_release(&s);
    }
    flags_release(&f);
    return status;
}

const struct command scale_command = {
    .name = "scale",
    .summary = "run the same training with 1, 2, 4, ... workers and compare",
    .flags = &scale_spec,
    .run = scale_run,
};
