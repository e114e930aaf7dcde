/*
 * scale_table.c - the runs of `muster scale` as a table, as JSON, and as rows of scale.csv.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "cli/scale.h"

/* --- the table --- */

struct widths {
    int algorithm, partition, model;
};

static int wider(int width, const char *name)
{
    const int length = (int)strlen(name);

    return length > width ? length : width;
}

static struct widths widths_of(const struct scale_row *rows, int64_t count)
{
    struct widths w = {9, 9, 5}; /* of the headings */

    for (int64_t i = 0; i < count; i++) {
        w.algorithm = wider(w.algorithm, rows[i].algorithm);
        w.partition = wider(w.partition, rows[i].partition);
        w.model = wider(w.model, rows[i].model);
    }
    return w;
}

static void add_number(struct text *out, int width, int digits, double value)
{
    if (isnan(value))
        text_addf(out, "%*s", width, "-");
    else
        text_addf(out, "%*.*f", width, digits, value);
}

static void add_row(struct text *out, const struct widths *w, const struct scale_row *r)
{
    text_addf(out, "%-*s  %-*s  %-*s  %7" PRId64, w->algorithm, r->algorithm, w->partition,
              r->partition, w->model, r->model, r->workers);
    add_number(out, 9, 0, r->batches);
    add_number(out, 10, 2, r->seconds);
    add_number(out, 10, 2, r->speedup);
    add_number(out, 12, 2, r->efficiency);
    add_number(out, 11, 4, r->test_loss);
    add_number(out, 8, 2, 100.0 * r->test_accuracy);
    text_add(out, r->is_finished ? "\n" : "  failed\n");
}

void scale_table(const struct scale_result *r, struct text *out)
{
    const struct widths w = widths_of(r->rows, r->count);

    text_addf(out,
              "%-*s  %-*s  %-*s  workers  batches   seconds  speed-up  efficiency  test loss"
              "  test %%\n",
              w.algorithm, "algorithm", w.partition, "partition", w.model, "model");
    for (int64_t i = 0; i < r->count; i++)
        if (r->rows[i].is_run)
            add_row(out, &w, &r->rows[i]);
}

/* --- JSON --- */

static void json_row(struct json *j, const struct scale_row *r, const char *folder)
{
    char *run_dir = file_join(folder, r->name);

    json_open_map(j, NULL);
    json_text(j, "status", r->is_finished ? "finished" : "failed");
    json_text(j, "algorithm", r->algorithm);
    json_text(j, "partition", r->partition);
    json_text(j, "model", r->model);
    json_text(j, "dataset", r->dataset);
    json_int(j, "workers", r->workers);
    json_number(j, "batches", r->batches);
    json_number(j, "train_seconds", r->seconds);
    json_number(j, "speedup", r->speedup);
    json_number(j, "efficiency", r->efficiency);
    json_number(j, "test_loss", r->test_loss);
    json_number(j, "test_accuracy", r->test_accuracy);
    json_text(j, "run_dir", run_dir);
    json_close_map(j);
    mem_free(run_dir);
}

void scale_json(const struct scale_result *r, struct text *out)
{
    struct json j;

    json_init(&j, out);
    json_open_map(&j, NULL);
    json_text(&j, "folder", r->folder);
    json_open_list(&j, "runs");
    for (int64_t i = 0; i < r->count; i++)
        if (r->rows[i].is_run)
            json_row(&j, &r->rows[i], r->folder);
    json_close_list(&j);
    json_close_map(&j);
    text_add(out, "\n");
}

/* --- scale.csv: the first three columns are those of S003's TimeForTraining.txt --- */

static const char csv_heading[] = "workers,seconds,accuracy_percent,algorithm,partition,model,"
                                  "dataset,batches,speedup,efficiency,test_loss,run_dir";

enum { CSV_LIMIT = 1 << 28 };

static enum status check_heading(const char *path)
{
    struct text content = {0};

    TRY(file_read(path, CSV_LIMIT, &content));
    const size_t length = strcspn(text_get(&content), "\r\n");
    const bool is_ours =
        length == sizeof csv_heading - 1 && strncmp(text_get(&content), csv_heading, length) == 0;
    text_release(&content);
    if (!is_ours)
        return FAIL(STATUS_BAD_INPUT,
                    "--csv: cannot append to %s: its columns differ; the first line must be %s",
                    path, csv_heading);
    return STATUS_OK;
}

enum status scale_csv_open(struct file_log *file, const char *path)
{
    const bool is_new = !file_exists(path) || file_size(path) == 0;

    if (!is_new)
        TRY(check_heading(path));
    TRY(file_log_open(file, path));
    return is_new ? file_log_line(file, csv_heading) : STATUS_OK;
}

static void csv_number(struct text *line, double value)
{
    if (!isnan(value))
        text_add_double(line, value);
    text_add(line, ",");
}

enum status scale_csv_add(struct file_log *file, const struct scale_result *result, int64_t at)
{
    const struct scale_row *r = &result->rows[at];
    const char *const names[] = {r->algorithm, r->partition, r->model, r->dataset};
    char *run_dir = file_join(result->folder, r->name);
    struct text line = {0};

    text_addf(&line, "%" PRId64 ",", r->workers);
    csv_number(&line, r->seconds);
    csv_number(&line, 100.0 * r->test_accuracy);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        text_add_csv(&line, names[i]);
        text_add(&line, ",");
    }
    csv_number(&line, r->batches);
    csv_number(&line, r->speedup);
    csv_number(&line, r->efficiency);
    csv_number(&line, r->test_loss);
    text_add_csv(&line, run_dir);
    const enum status s = file_log_line(file, text_get(&line));
    text_release(&line);
    mem_free(run_dir);
    return s;
}
