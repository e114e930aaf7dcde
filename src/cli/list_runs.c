/*
 * list_runs.c - `muster list [FOLDER]`: the runs and experiments of a folder, a line each.
 */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/text_table.h"
#include "cli/list.h"
#include "record/run_summary.h"

static const struct flag list_flags[] = {
    {"json", NULL, NULL, "print one JSON object", "How"},
    FLAG_LAST,
};

static const struct flags_spec list_spec = {
    .command = "list",
    .usage = "muster list [FOLDER] [--json]",
    .intro = "Lists the runs and experiments of a folder (default runs), the newest last: the "
             "state of each, what it trains, its progress, its test accuracy (over a graph, the "
             "mean of the nodes), and when it ended or was last active. If FOLDER is an "
             "experiment, lists its runs. It only reads; a damaged run is listed with the reason.",
    .examples = "muster list\n"
                "muster list runs/<experiment>\n"
                "muster list results --json",
    .flags = list_flags,
    .positional_max = 1,
};

/* --- for people --- */

/* "finished"; of an experiment "2 of 3 finished, 1 failed". mem_free */
static char *state_text(const struct run_summary *s)
{
    struct text out = {0};
    int64_t begun = 0;

    if (!s->is_study)
        text_add(&out, s->is_damaged && s->state == RECORD_UNKNOWN ? "damaged"
                                                                   : record_state_names[s->state]);
    else
        text_addf(&out, "%lld of %lld finished", (long long)s->states[RECORD_FINISHED],
                  (long long)s->runs);
    for (int i = 0; s->is_study && i < RECORD_STATES; i++) {
        begun += s->states[i];
        if (i != RECORD_FINISHED && s->states[i] > 0)
            text_addf(&out, ", %lld %s", (long long)s->states[i], record_state_names[i]);
    }
    if (s->is_study && begun < s->runs)
        text_addf(&out, ", %lld not started", (long long)(s->runs - begun));
    return text_take(&out);
}

static char *workers_text(const struct run_summary *s)
{
    return s->workers > 0   ? text_format("%lld", (long long)s->workers)
           : s->workers < 0 ? mem_text("varies")
                            : NULL;
}

/* "2.4 of 6 epochs", in rounds where the length is given so, or how far a budget has come. */
static char *progress_text(const struct run_summary *s)
{
    if (s->is_study || s->round < 0)
        return NULL;
    if (!isnan(s->epochs) && !isnan(s->epochs_total))
        return text_format("%.4g of %.6g epochs", s->epochs, s->epochs_total);
    if (s->rounds_total > 0)
        return text_format("%lld of %lld rounds", (long long)s->round, (long long)s->rounds_total);
    if (!isnan(s->epochs))
        return text_format("%.4g epochs", s->epochs);
    return text_format("%lld rounds", (long long)s->round);
}

static char *accuracy_text(const struct run_summary *s)
{
    if (isnan(s->accuracy))
        return NULL;
    if (s->accuracy < s->accuracy_most)
        return text_format("%.2f - %.2f %%", 100 * s->accuracy, 100 * s->accuracy_most);
    return text_format("%.2f %%", 100 * s->accuracy);
}

/* "2026-01-31 14:05:09" of "2026-01-31T14:05:09+01:00"; NULL: not known */
static char *time_text(const char *time)
{
    char *text = time == NULL ? NULL : mem_text_n(time, strcspn(time, "+Z"));
    char *letter = text == NULL ? NULL : strchr(text, 'T');

    if (letter != NULL)
        *letter = ' ';
    return text;
}

static char *or_dash(char *text)
{
    return text == NULL ? mem_text("-") : text;
}

static char *copy_or_dash(const char *text)
{
    return mem_text(text == NULL ? "-" : text);
}

static void list_text(const struct run_summaries *l, struct text *out)
{
    static const char *const headings[] = {"run",     "state", "algorithm", "model", "data",
                                           "workers", "done",  "accuracy",  "as of"};
    enum { NAME, STATE, ALGORITHM, MODEL, DATA, WORKERS, DONE, ACCURACY, AS_OF, COLUMNS };
    struct text_table g = text_table_new(l->count + 1, COLUMNS);

    for (int i = 0; i < COLUMNS; i++)
        text_table_put(&g, 0, i, mem_text(headings[i]));
    for (int64_t i = 0; i < l->count; i++) {
        const struct run_summary *s = &l->items[i];

        text_table_put(&g, i + 1, NAME, mem_text(s->name));
        text_table_put(&g, i + 1, STATE, state_text(s));
        text_table_put(&g, i + 1, ALGORITHM, copy_or_dash(s->algorithm));
        text_table_put(&g, i + 1, MODEL, copy_or_dash(s->model));
        text_table_put(&g, i + 1, DATA, copy_or_dash(s->data));
        text_table_put(&g, i + 1, WORKERS, or_dash(workers_text(s)));
        text_table_put(&g, i + 1, DONE, or_dash(progress_text(s)));
        text_table_put(&g, i + 1, ACCURACY, or_dash(accuracy_text(s)));
        text_table_put(&g, i + 1, AS_OF, or_dash(time_text(s->as_of)));
    }
    for (int i = 0; i < COLUMNS; i++)
        g.is_left[i] = i != WORKERS && i != DONE && i != ACCURACY;
    text_table_write(&g, out);
    text_table_free(&g);
    for (int64_t i = 0; i < l->count; i++)
        if (l->items[i].message != NULL)
            text_addf(out, "%s is damaged: %s\n", l->items[i].name, l->items[i].message);
}

/* --- as JSON --- */

static void states_json(const struct run_summary *s, struct json *j)
{
    json_int(j, "runs", s->runs);
    json_open_map(j, "states");
    for (int i = 0; i < RECORD_STATES; i++)
        if (s->states[i] > 0)
            json_int(j, record_state_names[i], s->states[i]);
    json_close_map(j);
}

static void count_json(struct json *j, const char *key, int64_t value)
{
    if (value >= 0)
        json_int(j, key, value);
    else
        json_text(j, key, NULL);
}

static void summary_json(const struct run_summary *s, struct json *j)
{
    json_open_map(j, NULL);
    json_text(j, "name", s->name);
    json_text(j, "kind", s->is_study ? "experiment" : "run");
    json_text(j, "state", record_state_names[s->state]);
    if (s->is_study)
        states_json(s, j);
    json_text(j, "algorithm", s->algorithm);
    json_text(j, "model", s->model);
    json_text(j, "data", s->data);
    count_json(j, "workers", s->workers == 0 ? -1 : s->workers);
    count_json(j, "round", s->round);
    count_json(j, "rounds_total", s->rounds_total);
    json_number(j, "epochs", s->epochs);
    json_number(j, "epochs_total", s->epochs_total);
    json_number(j, "test_accuracy", s->accuracy);
    if (s->is_study)
        json_number(j, "test_accuracy_most", s->accuracy_most);
    else
        json_number(j, "test_loss", s->test_loss);
    json_text(j, "begun", s->begun);
    json_text(j, "as_of", s->as_of);
    json_text(j, "damaged", s->message);
    json_close_map(j);
}

static void list_json(const struct run_summaries *l, const char *folder, struct text *out)
{
    struct json j;

    json_init(&j, out);
    json_open_map(&j, NULL);
    json_text(&j, "folder", folder);
    json_open_list(&j, "runs");
    for (int64_t i = 0; i < l->count; i++)
        summary_json(&l->items[i], &j);
    json_close_list(&j);
    json_close_map(&j);
    text_add(out, "\n");
}

/* --- the command --- */

static enum status list_parsed(const struct flags *f)
{
    const char *folder = f->positional_count == 0 ? RUNDIR_PARENT : f->positional[0];
    struct run_summaries l;
    struct text out = {0};

    TRY(run_summaries_read(folder, &l));
    if (flags_has(f, "json"))
        list_json(&l, folder, &out);
    else if (l.count == 0)
        text_addf(&out, "%s has no runs\n", folder);
    else
        list_text(&l, &out);
    command_print(text_get(&out));
    text_release(&out);
    run_summaries_release(&l);
    return STATUS_OK;
}

static enum status list_run(int argc, char **argv)
{
    return command_run(&list_spec, argc, argv, list_parsed);
}

const struct command list_command = {
    .name = "list",
    .summary = "list the runs of a folder with their state and results",
    .flags = &list_spec,
    .run = list_run,
};
