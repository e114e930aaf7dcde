/*
 * show.c - `muster show RUN`: what the directory of a run holds, and where the run stands.
 */
#include <math.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/text_table.h"
#include "cli/list.h"
#include "record/record.h"
#include "record/recorder.h"

static const struct flag show_flags[] = {
    {"json", NULL, NULL, "print one JSON object", "How"},
    FLAG_LAST,
};

static const struct flags_spec show_spec = {
    .command = "show",
    .usage = "muster show [RUN] [--json]",
    .intro = "Prints whether a run is running, has ended or was killed, when it was started and "
             "stopped, its last evaluation, what each worker did, and which files it has. It only "
             "reads, and also works for a run that is training, was killed, or has lost files. "
             "Without RUN it uses runs/latest, the newest one.",
    .examples = "muster show runs/<run>\n"
                "muster show runs/<experiment>/<run> --json",
    .flags = show_flags,
    .positional_max = 1,
};

/* --- the last evaluation --- */

/* The row about the run: that of all workers together, or of the only one. */
static int64_t last_evaluation(const struct metric_table *t)
{
    static const char *const losses[] = {"test_loss", "validation_loss"};

    for (int64_t worker = METRIC_ALL_WORKERS; worker <= 0; worker++)
        for (int i = 0; i < 2; i++) {
            const struct metric_series *s = metric_table_find(t, worker, losses[i]);

            if (s != NULL)
                return s->rows[s->count - 1];
        }
    return -1;
}

/* Calls `add` with each metric of a row of the table. */
static void each_metric(const struct metric_table *t, int64_t row, void *context,
                        void (*add)(void *context, const char *name, double value))
{
    for (int64_t i = 0; i < t->series_count; i++) {
        const struct metric_series *s = &t->series[i];
        const double value = s->worker == t->worker[row] ? metric_series_at(s, row) : (double)NAN;

        if (!isnan(value))
            add(context, s->name, value);
    }
}

/* --- for people --- */

static void add_metric(void *context, const char *name, double value)
{
    struct text *out = context;

    text_addf(out, "  %s ", name);
    text_add_double(out, value);
    text_add(out, "\n");
}

static void evaluation_text(const struct metric_table *t, struct text *out)
{
    const int64_t row = last_evaluation(t);

    if (row < 0) {
        text_add(out, "\nnot evaluated yet\n");
        return;
    }
    text_addf(out, "\nlast evaluation: round %lld, epoch ", (long long)t->round[row]);
    text_add_fixed(out, t->epoch[row], 2);
    text_add(out, ", ");
    text_add_fixed(out, t->seconds[row], 1);
    text_add(out, " s of training\n");
    each_metric(t, row, out, add_metric);
}

static void put_row(struct text_table *g, int64_t row, const char *const *cells, int count)
{
    for (int i = 0; i < count; i++)
        text_table_put(g, row, i, mem_text(cells[i]));
}

static void write_table(struct text_table *g, const char *title, struct text *out)
{
    text_addf(out, "\n%s\n", title);
    text_table_write(g, out);
    text_table_free(g);
}

static void attempts_text(const struct attempts *a, struct text *out)
{
    static const char *const headings[] = {"start", "end", "how", "from round", "to round", "host"};
    enum { START, END, HOW, FROM, TO, HOST, COLUMNS };
    struct text_table g = text_table_new(a->count + 1, COLUMNS);

    put_row(&g, 0, headings, COLUMNS);
    for (int64_t i = 0; i < a->count; i++) {
        const struct attempt *one = &a->items[i];

        text_table_put(&g, i + 1, START, mem_text(one->start));
        text_table_put(&g, i + 1, END, mem_text(one->end == NULL ? "-" : one->end));
        text_table_put(&g, i + 1, HOW, mem_text(one->reason == NULL ? "-" : one->reason));
        text_table_put(&g, i + 1, FROM, text_format("%lld", (long long)one->from_round));
        text_table_put(&g, i + 1, TO,
                       one->to_round < 0 ? mem_text("-")
                                         : text_format("%lld", (long long)one->to_round));
        text_table_put(&g, i + 1, HOST, mem_text(one->host == NULL ? "-" : one->host));
    }
    g.is_left[START] = g.is_left[END] = g.is_left[HOW] = g.is_left[HOST] = true;
    if (a->count > 0)
        write_table(&g, "starts", out);
    else
        text_table_free(&g);
    for (int64_t i = 0; i < a->count; i++)
        if (a->items[i].message != NULL)
            text_addf(out, "start %lld: %s\n", (long long)i + 1, a->items[i].message);
}

static void worker_text(struct text_table *g, int64_t w, const struct counters *c)
{
    const double numbers[] = {c->rounds,       c->samples,  c->computing,   c->waiting,
                              c->transferring, c->sleeping, 1e-6 * c->bytes};
    static const int digits[] = {0, 0, 2, 2, 2, 2, 2};

    text_table_put(g, w + 1, 0, text_format("%lld", (long long)w));
    for (int i = 0; i < 7; i++)
        text_table_put(g, w + 1, i + 1, text_format("%.*f", digits[i], numbers[i]));
}

/* At its end a run writes workers.json; before, live.json has their counters. */
static void workers_text(const struct record *r, struct text *out)
{
    static const char *const headings[] = {"worker",  "updates",      "samples",  "computing",
                                           "waiting", "transferring", "sleeping", "MB sent"};
    enum { COLUMNS = 8, SHOWN_MAX = 32 };
    const bool is_final = r->workers.count > 0;
    const int64_t count = is_final ? r->workers.count : r->live.worker_count;
    const int64_t shown = count < SHOWN_MAX ? count : SHOWN_MAX;
    struct text_table g = text_table_new(shown + 1, COLUMNS);

    put_row(&g, 0, headings, COLUMNS);
    for (int64_t w = 0; w < shown; w++)
        worker_text(&g, w, is_final ? &r->workers.items[w].counters : &r->live.workers[w]);
    if (count > 0)
        write_table(&g, "workers", out);
    else
        text_table_free(&g);
    if (count > shown)
        text_addf(out, "and %lld more\n", (long long)(count - shown));
}

static void files_text(const struct record *r, struct text *out)
{
    enum { NAME, STATE, BYTES, COLUMNS };
    struct text_table g = text_table_new(RECORD_FILES, COLUMNS);

    for (int i = 0; i < RECORD_FILES; i++) {
        const struct record_file *f = &r->files[i];

        text_table_put(&g, i, NAME, mem_text(f->name));
        text_table_put(&g, i, STATE, mem_text(record_file_state_names[f->state]));
        if (f->bytes >= 0)
            text_table_put(&g, i, BYTES, text_format("%lld bytes", (long long)f->bytes));
    }
    g.is_left[NAME] = g.is_left[STATE] = true;
    write_table(&g, "files", out);
    for (int i = 0; i < RECORD_FILES; i++)
        if (r->files[i].message != NULL)
            text_addf(out, "%s\n", r->files[i].message);
}

static void round_text(const struct live_file *live, struct text *out)
{
    text_addf(out, "round %lld", (long long)live->round);
    if (live->rounds_total > 0)
        text_addf(out, " of %lld", (long long)live->rounds_total);
    text_addf(out, ", as of %s\n", live->time);
}

static void show_text(const struct record *r, struct text *out)
{
    const struct rundir_facts *e = &r->environment;

    text_addf(out, "%s: %s\n", r->run_dir, record_state_names[r->state]);
    if (r->state == RECORD_RUNNING && record_has(r, RECORD_LIVE))
        round_text(&r->live, out);
    if (record_has(r, RECORD_ENVIRONMENT))
        text_addf(out, "muster %s on %s, %s, %lld worker%s over %s\n",
                  e->version == NULL ? "?" : e->version, e->host == NULL ? "?" : e->host,
                  e->date == NULL ? "?" : e->date, (long long)e->workers,
                  e->workers == 1 ? "" : "s", e->transport == NULL ? "?" : e->transport);
    attempts_text(&r->attempts, out);
    evaluation_text(&r->metrics, out);
    workers_text(r, out);
    files_text(r, out);
}

/* --- as JSON --- */

static void add_metric_json(void *context, const char *name, double value)
{
    struct json *j = context;

    json_number(j, name, value);
}

static void evaluation_json(const struct metric_table *t, struct json *j)
{
    const int64_t row = last_evaluation(t);

    if (row < 0) {
        json_text(j, "last_evaluation", NULL);
        return;
    }
    json_open_map(j, "last_evaluation");
    json_int(j, "round", t->round[row]);
    json_number(j, "epoch", t->epoch[row]);
    json_number(j, "seconds", t->seconds[row]);
    each_metric(t, row, j, add_metric_json);
    json_close_map(j);
}

static void attempts_json(const struct attempts *a, struct json *j)
{
    json_open_list(j, "attempts");
    for (int64_t i = 0; i < a->count; i++) {
        const struct attempt *one = &a->items[i];

        json_open_map(j, NULL);
        json_text(j, "start", one->start);
        json_text(j, "end", one->end);
        json_text(j, "reason", one->reason);
        json_text(j, "host", one->host);
        json_int(j, "from_round", one->from_round);
        if (one->to_round >= 0)
            json_int(j, "to_round", one->to_round);
        json_text(j, "message", one->message);
        json_close_map(j);
    }
    json_close_list(j);
}

static void files_json(const struct record *r, struct json *j)
{
    json_open_list(j, "files");
    for (int i = 0; i < RECORD_FILES; i++) {
        const struct record_file *f = &r->files[i];

        json_open_map(j, NULL);
        json_text(j, "name", f->name);
        json_text(j, "state", record_file_state_names[f->state]);
        if (f->bytes >= 0)
            json_int(j, "bytes", f->bytes);
        if (f->message != NULL)
            json_text(j, "message", f->message);
        json_close_map(j);
    }
    json_close_list(j);
}

static void show_json(const struct record *r, struct text *out)
{
    struct json j;

    json_init(&j, out);
    json_open_map(&j, NULL);
    json_text(&j, "run_dir", r->run_dir);
    json_text(&j, "top_dir", r->top_dir);
    json_text(&j, "state", record_state_names[r->state]);
    json_int(&j, "rows", r->metrics.row_count);
    attempts_json(&r->attempts, &j);
    evaluation_json(&r->metrics, &j);
    workers_add_json(&r->workers, &j, "workers");
    files_json(r, &j);
    json_close_map(&j);
    text_add(out, "\n");
}

/* --- the command --- */

static enum status show_parsed(const struct flags *f)
{
    struct record r;
    struct text out = {0};

    char *folder = NULL;

    TRY(command_run_folder(f, f->positional_count == 0 ? NULL : f->positional[0], &folder));
    const enum status s = record_open(folder, &r);
    mem_free(folder);
    if (s == STATUS_OK) {
        (flags_has(f, "json") ? show_json : show_text)(&r, &out);
        command_print(text_get(&out));
    }
    text_release(&out);
    record_release(&r);
    return s;
}

static enum status show_run(int argc, char **argv)
{
    return command_run(&show_spec, argc, argv, show_parsed);
}

const struct command show_command = {
    .name = "show",
    .summary = "show whether a run is running, finished or killed, and what it measured",
    .flags = &show_spec,
    .run = show_run,
};
