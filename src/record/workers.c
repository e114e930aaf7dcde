/*
 * workers.c - writes and reads workers.json.
 */
#include "record/workers.h"

#include <jansson.h>
#include <math.h>

#include "base/file.h"
#include "base/mem.h"
#include "record/json_read.h"
#include "record/json_write.h"

struct record_worker workers_start_one(void)
{
    return (struct record_worker){
        .counters = counters_start(),
        .train_loss = (double)NAN,
        .test_loss = (double)NAN,
        .test_accuracy = (double)NAN,
        .staleness = {.mean = (double)NAN},
    };
}

void workers_set_links(struct record_worker *w, const int64_t *bytes, int64_t count)
{
    for (int64_t to = 0; to < count; to++) {
        if (bytes[to] == 0)
            continue;
        w->links = mem_grow(w->links, w->link_count + 1, sizeof *w->links);
        w->links[w->link_count++] = (struct record_link){.to = to, .bytes = bytes[to]};
    }
}

void workers_init(struct record_workers *w, int64_t count)
{
    *w = (struct record_workers){.items = MEM_NEW_N(struct record_worker, count), .count = count};
    for (int64_t i = 0; i < count; i++)
        w->items[i] = workers_start_one();
}

void workers_release(struct record_workers *w)
{
    for (int64_t i = 0; i < w->count; i++)
        mem_free(w->items[i].links);
    mem_free(w->items);
    *w = (struct record_workers){0};
}

/* --- writing --- */

static void write_staleness(struct json *j, const struct record_staleness *s)
{
    json_number(j, "staleness_mean", s->mean);
    json_int(j, "staleness_max", s->max);
    json_write_ints(j, "staleness", s->bins, STALENESS_BINS);
}

static void write_links(struct json *j, const struct record_worker *w)
{
    json_open_list(j, "links");
    for (int64_t i = 0; i < w->link_count; i++) {
        json_open_map(j, NULL);
        json_int(j, "to", w->links[i].to);
        json_int(j, "bytes", w->links[i].bytes);
        json_close_map(j);
    }
    json_close_list(j);
}

static void write_worker(struct json *j, const struct record_worker *w, int64_t number)
{
    json_open_map(j, NULL);
    json_int(j, "worker", number);
    json_int(j, "updates", (int64_t)w->counters.rounds);
    counters_json(&w->counters, COUNTER_ROW, j);
    counters_json(&w->counters, COUNTER_WORKER, j);
    if (!isnan(w->train_loss))
        json_number(j, "train_loss", w->train_loss);
    if (w->has_staleness)
        write_staleness(j, &w->staleness);
    if (!isnan(w->test_loss)) {
        json_number(j, "test_loss", w->test_loss);
        json_number(j, "test_accuracy", w->test_accuracy);
    }
    if (w->link_count > 0)
        write_links(j, w);
    json_close_map(j);
}

void workers_add_json(const struct record_workers *w, struct json *j, const char *key)
{
    json_open_list(j, key);
    for (int64_t i = 0; i < w->count; i++)
        write_worker(j, &w->items[i], i);
    json_close_list(j);
}

enum status workers_write(const char *run_dir, const struct record_workers *w)
{
    struct text content = {0};
    struct json j;

    json_init(&j, &content);
    workers_add_json(w, &j, NULL);
    return json_write_refreshed(run_dir, "workers.json", &content);
}

/* --- reading --- */

static void read_staleness(const json_t *map, struct record_worker *w)
{
    w->has_staleness =
        json_read_ints(json_object_get(map, "staleness"), STALENESS_BINS, w->staleness.bins);
    w->staleness.mean = json_read_number(map, "staleness_mean");
    w->staleness.max = json_read_int(map, "staleness_max", 0);
}

static void read_links(const json_t *list, struct record_worker *w)
{
    const json_t *link;
    size_t i;

    w->links = MEM_NEW_N(struct record_link, (int64_t)json_array_size(list));
    json_array_foreach(list, i, link) w->links[w->link_count++] = (struct record_link){
        .to = json_read_int(link, "to", -1),
        .bytes = json_read_int(link, "bytes", 0),
    };
}

static void read_worker(const json_t *map, struct record_worker *w)
{
    json_read_counters(map, &w->counters);
    w->counters.rounds = (double)json_read_int(map, "updates", 0);
    w->train_loss = json_read_number(map, "train_loss");
    w->test_loss = json_read_number(map, "test_loss");
    w->test_accuracy = json_read_number(map, "test_accuracy");
    read_staleness(map, w);
    read_links(json_object_get(map, "links"), w);
}

bool workers_parse(const struct json_t *list, struct record_workers *w)
{
    bool is_list = json_is_array(list);
    const json_t *worker;
    size_t i;

    workers_init(w, (int64_t)json_array_size(list));
    json_array_foreach(list, i, worker)
    {
        is_list = is_list && json_is_object(worker);
        read_worker(worker, &w->items[i]);
    }
    if (!is_list)
        workers_release(w);
    return is_list;
}

enum status workers_read(const char *run_dir, struct record_workers *w)
{
    char *path = file_join(run_dir, "workers.json");
    json_t *root = NULL;
    enum status s = json_read_file(path, &root);

    *w = (struct record_workers){0};
    if (s == STATUS_OK && !workers_parse(root, w))
        s = FAIL(STATUS_IO, "%s: is not a list of workers", path);
    json_decref(root);
    mem_free(path);
    return s;
}
