/*
 * attempts.c - attempts.jsonl: read as a whole, written as a whole. It has a row per start, so that
 * it stays small.
 */
#include "record/attempts.h"

#include <jansson.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/process.h"
#include "record/json_read.h"

/* --- reading --- */

static void read_row(const json_t *row, struct attempt *a)
{
    *a = (struct attempt){
        .start = json_read_text(row, "start"),
        .end = json_read_text(row, "end"),
        .reason = json_read_text(row, "reason"),
        .host = json_read_text(row, "host"),
        .message = json_read_text(row, "message"),
        .pid = json_read_int(row, "pid", 0),
        .process_start = json_read_int(row, "process_start", 0),
        .from_round = json_read_int(row, "from_round", 0),
        .to_round = json_read_int(row, "to_round", -1),
    };
}

static bool add_row(void *context, json_t *row)
{
    struct attempts *a = context;

    if (!json_is_string(json_object_get(row, "start")))
        return false;
    a->items = mem_grow(a->items, a->count + 1, sizeof *a->items);
    read_row(row, &a->items[a->count++]);
    return true;
}

enum status attempts_read(const char *run_dir, struct attempts *a)
{
    char *path = file_join(run_dir, "attempts.jsonl");
    enum status s = STATUS_OK;

    *a = (struct attempts){0};
    if (file_exists(path))
        s = json_read_lines(path, &(struct json_taker){.take = add_row,
                                                       .context = a,
                                                       .what = "a start of a run",
                                                       .care = JSON_LINES_STRICT});
    mem_free(path);
    return s;
}

void attempts_release(struct attempts *a)
{
    for (int64_t i = 0; i < a->count; i++) {
        mem_free(a->items[i].start);
        mem_free(a->items[i].end);
        mem_free(a->items[i].reason);
        mem_free(a->items[i].host);
        mem_free(a->items[i].message);
    }
    mem_free(a->items);
    *a = (struct attempts){0};
}

/* --- writing --- */

static void write_row(const struct attempt *a, struct text *out)
{
    struct json j;

    json_init(&j, out);
    json_open_map(&j, NULL);
    json_text(&j, "start", a->start);
    json_text(&j, "end", a->end);
    json_text(&j, "reason", a->reason);
    json_text(&j, "host", a->host);
    json_int(&j, "pid", a->pid);
    json_int(&j, "process_start", a->process_start);
    json_int(&j, "from_round", a->from_round);
    if (a->to_round >= 0)
        json_int(&j, "to_round", a->to_round);
    json_text(&j, "message", a->message);
    json_close_map(&j);
    text_add(out, "\n");
}

static enum status write_all(const char *run_dir, const struct attempts *a)
{
    struct text content = {0};

    for (int64_t i = 0; i < a->count; i++)
        write_row(&a->items[i], &content);
    const enum status s = file_write_in(run_dir, "attempts.jsonl", text_get(&content));
    text_release(&content);
    return s;
}

/* What does not read is dropped: it must not keep a run from going on. */
static void read_for_writing(const char *run_dir, struct attempts *a)
{
    if (attempts_read(run_dir, a) != STATUS_OK)
        log_warning("%s; dropped", status_message());
}

enum status attempts_begin(const char *run_dir, int64_t from_round)
{
    struct attempts all;
    struct process_identity me;
    char now[48];

    read_for_writing(run_dir, &all);
    process_identify(&me);
    clock_date(now, sizeof now);
    all.items = mem_grow(all.items, all.count + 1, sizeof *all.items);
    all.items[all.count++] = (struct attempt){
        .start = mem_text(now),
        .host = mem_text(me.host),
        .pid = me.pid,
        .process_start = me.start,
        .from_round = from_round,
        .to_round = -1,
    };
    const enum status s = write_all(run_dir, &all);
    attempts_release(&all);
    return s;
}

enum status attempts_end_child(const char *run_dir, const struct attempts_death *d, bool *was_open)
{
    struct attempts all;
    char now[48];

    read_for_writing(run_dir, &all);
    struct attempt *last = all.count == 0 ? NULL : &all.items[all.count - 1];
    enum status s = STATUS_OK;

    *was_open = last != NULL && last->end == NULL && last->pid == d->pid;
    if (*was_open) {
        clock_date(now, sizeof now);
        last->end = mem_text(now);
        last->reason = mem_text(d->reason);
        last->message = d->message == NULL ? NULL : mem_text(d->message);
        last->to_round = d->to_round;
        s = write_all(run_dir, &all);
    }
    attempts_release(&all);
    return s;
}

enum status attempts_end(const char *run_dir, const char *reason, int64_t to_round,
                         const char *message)
{
    struct process_identity me;
    bool was_open = false;

    process_identify(&me);
    return attempts_end_child(
        run_dir,
        &(struct attempts_death){
            .pid = me.pid, .reason = reason, .message = message, .to_round = to_round},
        &was_open);
}
