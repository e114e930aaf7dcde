/*
 * recorder.c - rows of metrics into metrics.jsonl and the TensorBoard file.
 *
 * A row, or those of a round together, are one write: a killed run keeps every row that it
 * measured.
 */
#include "record/recorder.h"

#include "base/check.h"
#include "base/json.h"
#include "base/mem.h"
#include "record/metrics_reader.h"
#include "record/tensorboard.h"

void metric_row_add_named(struct metric_row *row, const char *name, double value)
{
    CHECK(row->count < METRIC_ROW_MAX);
    row->metrics[row->count++] = (struct metric){.name = name, .value = value};
}

void metric_row_add(struct metric_row *row, enum metric_id id, double value)
{
    metric_row_add_named(row, metric_name(id), value);
}

void metric_row_add_counters(struct metric_row *row, const struct counters *c)
{
    for (int i = 0; i < COUNTERS_COUNT; i++)
        if (counters_list[i].shown == COUNTER_WORKER)
            metric_row_add_named(row, counters_list[i].key, counters_get(c, i));
}

static enum status open_files(struct recorder *r, const char *path, const char *run_dir,
                              int64_t keep_round)
{
    TRY(keep_round < 0 ? file_write_text(path, "") : metrics_reader_truncate(path, keep_round));
    TRY(tensorboard_open(&r->events, run_dir));
    return file_log_open(&r->rows, path);
}

enum status recorder_open(struct recorder *r, const char *run_dir, int64_t keep_round)
{
    char *path = file_join(run_dir, "metrics.jsonl");
    enum status status;

    *r = (struct recorder){.rows = {.descriptor = -1}};
    status = open_files(r, path, run_dir, keep_round);
    mem_free(path);
    if (status != STATUS_OK) {
        tensorboard_free(r->events);
        *r = (struct recorder){.rows = {.descriptor = -1}};
    }
    return status;
}

/* The order of keys is part of the format: docs/reference/formats.md. */
static void write_row(struct json *j, const struct metric_row *row)
{
    const struct metric_header *p = &row->header;

    json_open_map(j, NULL);
    json_int(j, "round", p->round);
    json_number(j, "epoch", p->epoch);
    counters_json(&p->counters, COUNTER_ROW, j);
    json_int(j, "worker", p->worker);
    for (int i = 0; i < row->count; i++)
        json_number(j, row->metrics[i].name, row->metrics[i].value);
    json_close_map(j);
}

static enum status add_events(struct recorder *r, const struct metric_row *row)
{
    struct event_scalars scalars = {0};
    enum status status = STATUS_OK;

    event_tags_of_row(&scalars, row, &r->style);
    for (int i = 0; i < scalars.count && status == STATUS_OK; i++)
        status = tensorboard_scalar(r->events, scalars.items[i].tag, row->header.round,
                                    scalars.items[i].value);
    return status;
}

enum status recorder_add(struct recorder *r, const struct metric_row *row)
{
    struct json json;

    if (r->lines.length > 0)
        text_add(&r->lines, "\n");
    json_init(&json, &r->lines);
    write_row(&json, row);
    if (!r->is_held)
        TRY(recorder_write(r));
    return row->skips_events ? STATUS_OK : add_events(r, row);
}

void recorder_hold(struct recorder *r)
{
    r->is_held = true;
}

enum status recorder_write(struct recorder *r)
{
    const enum status s =
        r->lines.length > 0 ? file_log_line(&r->rows, text_get(&r->lines)) : STATUS_OK;

    text_clear(&r->lines);
    r->is_held = false;
    return s;
}

enum status recorder_close(struct recorder *r)
{
    struct tensorboard *events = r->events;

    if (events == NULL)
        return STATUS_OK;
    file_log_close(&r->rows);
    text_release(&r->lines);
    *r = (struct recorder){.rows = {.descriptor = -1}};
    return tensorboard_close(events);
}
