/*
 * scan_rows.c - writes and reads scans.jsonl.
 */
#include "record/scan_rows.h"

#include <jansson.h>
#include <math.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "record/json_read.h"
#include "record/json_write.h"
#include "record/metrics_reader.h"

/* --- writing --- */

static double tenths(double x)
{
    return round(10 * x) / 10;
}

/* points[count][2]; without a key it is an item of a list. */
static void write_points(struct json *j, const char *key, const double *points, int64_t count)
{
    json_open_list(j, key);
    for (int64_t i = 0; i < count; i++) {
        json_open_list(j, NULL);
        json_number(j, NULL, tenths(points[2 * i]));
        json_number(j, NULL, tenths(points[2 * i + 1]));
        json_close_list(j);
    }
    json_close_list(j);
}

static void write_row(const struct scan_row *row, struct text *out)
{
    struct json j;

    json_init(&j, out);
    json_open_map(&j, NULL);
    json_int(&j, "round", row->round);
    write_points(&j, "positions", row->positions, row->robots);
    json_open_list(&j, "ends");
    for (int64_t i = 0; i < row->scanned; i++)
        write_points(&j, NULL, row->ends + 2 * i * row->beams, row->beams);
    json_close_list(&j);
    json_close_map(&j);
}

enum status scan_rows_add(const char *run_dir, const struct scan_row *row)
{
    struct text line = {0};

    write_row(row, &line);
    const enum status s = json_write_line(run_dir, "scans.jsonl", &line);
    text_release(&line);
    return s;
}

enum status scan_rows_truncate(const char *run_dir, int64_t keep_round)
{
    return metrics_reader_truncate_in(run_dir, "scans.jsonl", keep_round);
}

/* --- reading --- */

static bool read_ends(const json_t *list, struct scan_row *row)
{
    row->scanned = (int64_t)json_array_size(list);
    row->beams = (int64_t)json_array_size(json_array_get(list, 0));
    if (!json_is_array(list) || row->scanned > row->robots)
        return false;
    row->ends = MEM_NEW_N(double, 2 * row->scanned * row->beams);
    for (int64_t i = 0; i < row->scanned; i++)
        if (!json_read_points(json_array_get(list, (size_t)i), row->beams,
                              row->ends + 2 * i * row->beams))
            return false;
    return true;
}

static void release_row(struct scan_row *row)
{
    mem_free(row->positions);
    mem_free(row->ends);
    *row = (struct scan_row){0};
}

static bool read_row(void *context, json_t *map)
{
    struct scan_rows *s = context;
    const json_t *positions = json_object_get(map, "positions");
    struct scan_row row = {
        .round = json_read_int(map, "round", 0),
        .robots = (int64_t)json_array_size(positions),
    };

    row.positions = MEM_NEW_N(double, 2 * row.robots);
    if (row.robots < 1 || !json_read_points(positions, row.robots, row.positions) ||
        (s->count > 0 && row.robots != s->items[0].robots) ||
        !read_ends(json_object_get(map, "ends"), &row)) {
        release_row(&row);
        return false;
    }
    s->items = mem_grow(s->items, s->count + 1, sizeof *s->items);
    s->items[s->count++] = row;
    return true;
}

enum status scan_rows_read(const char *run_dir, struct scan_rows *s)
{
    char *path = file_join(run_dir, "scans.jsonl");
    enum status status = STATUS_OK;

    *s = (struct scan_rows){0};
    if (file_exists(path))
        status = json_read_lines(path, &(struct json_taker){.take = read_row,
                                                            .context = s,
                                                            .what = "a row of scans",
                                                            .care = JSON_LINES_STRICT});
    mem_free(path);
    return status;
}

void scan_rows_release(struct scan_rows *s)
{
    for (int64_t i = 0; i < s->count; i++)
        release_row(&s->items[i]);
    mem_free(s->items);
    *s = (struct scan_rows){0};
}
