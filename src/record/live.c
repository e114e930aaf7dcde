/*
 * live.c - writes and reads live.json.
 */
#include "record/live.h"

#include <jansson.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "record/json_read.h"

static const double SECONDS_BETWEEN_FILES = 1;

void live_open(struct live *l, const char *run_dir, const char *clock)
{
    *l = (struct live){.path = file_join(run_dir, "live.json"), .clock = clock};
}

void live_close(struct live *l)
{
    mem_free(l->path);
    *l = (struct live){0};
}

bool live_is_due(const struct live *l)
{
    return l->path != NULL && clock_seconds() - l->written_at >= SECONDS_BETWEEN_FILES;
}

static void write_workers(struct json *j, const struct live_state *s)
{
    json_open_list(j, "workers");
    for (int w = 0; w < s->worker_count && s->workers != NULL; w++) {
        json_open_map(j, NULL);
        json_int(j, "worker", w);
        json_int(j, "rounds", (int64_t)s->workers[w].rounds);
        counters_json(&s->workers[w], COUNTER_ROW, j);
        counters_json(&s->workers[w], COUNTER_WORKER, j);
        json_close_map(j);
    }
    json_close_list(j);
}

static void write_process(struct json *j)
{
    struct process_identity me;

    process_identify(&me);
    json_text(j, "host", me.host);
    json_int(j, "pid", me.pid);
    json_int(j, "process_start", me.start);
}

enum status live_write(struct live *l, const struct live_state *s)
{
    struct text content = {0};
    struct json j;
    char time[48];

    clock_date(time, sizeof time);
    json_init(&j, &content);
    json_open_map(&j, NULL);
    json_text(&j, "state", s->state);
    json_text(&j, "time", time);
    write_process(&j);
    json_int(&j, "round", s->round);
    json_int(&j, "rounds_total", s->rounds_total);
    json_number(&j, "epoch", s->epoch);
    json_number(&j, "train_loss", s->loss);
    json_number(&j, "train_accuracy", s->accuracy);
    json_number(&j, "test_accuracy", s->test_accuracy);
    json_number(&j, "samples_per_s", s->samples_per_s);
    json_text(&j, "clock", l->clock);
    counters_json(s->totals, COUNTER_ROW, &j);
    write_workers(&j, s);
    json_close_map(&j);
    text_add(&content, "\n");
    const enum status status = file_replace_text(l->path, text_get(&content));
    text_release(&content);
    l->written_at = clock_seconds();
    return status;
}

/* --- reading --- */

static void read_workers(const json_t *list, struct live_file *f)
{
    const json_t *worker;
    size_t i;

    f->workers = MEM_NEW_N(struct counters, (int64_t)json_array_size(list));
    json_array_foreach(list, i, worker) json_read_counters(worker, &f->workers[f->worker_count++]);
}

static void read_live(const json_t *root, struct live_file *f)
{
    json_read_short(root, "state", f->state, sizeof f->state);
    json_read_short(root, "time", f->time, sizeof f->time);
    json_read_short(root, "clock", f->clock, sizeof f->clock);
    json_read_short(root, "host", f->process.host, sizeof f->process.host);
    f->process.pid = json_read_int(root, "pid", 0);
    f->process.start = json_read_int(root, "process_start", 0);
    f->round = json_read_int(root, "round", 0);
    f->rounds_total = json_read_int(root, "rounds_total", 0);
    f->epoch = json_read_number(root, "epoch");
    f->loss = json_read_number(root, "train_loss");
    f->accuracy = json_read_number(root, "train_accuracy");
    f->test_accuracy = json_read_number(root, "test_accuracy");
    f->samples_per_s = json_read_number(root, "samples_per_s");
    json_read_counters(root, &f->totals);
    read_workers(json_object_get(root, "workers"), f);
}

enum status live_read(const char *run_dir, struct live_file *f)
{
    char *path = file_join(run_dir, "live.json");
    json_t *root = NULL;
    enum status s = json_read_file(path, &root);

    *f = (struct live_file){0};
    if (s == STATUS_OK && !json_is_string(json_object_get(root, "state")))
        s = FAIL(STATUS_IO, "%s: does not say how a run is doing", path);
    if (s == STATUS_OK)
        read_live(root, f);
    json_decref(root);
    mem_free(path);
    return s;
}

void live_file_release(struct live_file *f)
{
    mem_free(f->workers);
    *f = (struct live_file){0};
}

/* --- the end --- */

enum { JSON_FORM = JSON_REAL_PRECISION(17) };

static enum status replace(const char *path, json_t *root, const char *state)
{
    char now[48];

    clock_date(now, sizeof now);
    (void)json_object_set_new(root, "state", json_string(state));
    (void)json_object_set_new(root, "time", json_string(now));
    const size_t length = json_dumpb(root, NULL, 0, JSON_FORM);
    char *content = MEM_NEW_N(char, (int64_t)length + 2);
    (void)json_dumpb(root, content, length, JSON_FORM);
    content[length] = '\n';
    const enum status s = file_replace_text(path, content);
    mem_free(content);
    return s;
}

enum status live_end(const char *run_dir, const char *state)
{
    char *path = file_join(run_dir, "live.json");
    json_t *root = NULL;
    enum status s = STATUS_OK;

    if (file_exists(path))
        s = json_read_file(path, &root);
    if (s == STATUS_OK && root != NULL)
        s = replace(path, root, state);
    json_decref(root);
    mem_free(path);
    return s;
}
