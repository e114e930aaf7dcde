/*
 * history.c - how a run went, row by row.
 */
#include "study/history.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "metrics/recorder.h"
#include "metrics/rundir.h"

enum { FILE_LIMIT = 1 << 28 };

struct row {
    double round, accuracy; /* accuracy NaN: a row without */
    bool is_all;            /* about all workers together; a run of one has no such rows */
};

static struct row read_row(const char *line, size_t length)
{
    json_t *row = json_loadb(line, length, 0, NULL);
    const json_t *mean = json_object_get(row, "test_accuracy_mean");
    const json_t *value = mean != NULL ? mean : json_object_get(row, "test_accuracy");
    const struct row r = {
        .round = json_number_value(json_object_get(row, "round")),
        .accuracy = json_is_number(value) ? json_number_value(value) : (double)NAN,
        .is_all = json_integer_value(json_object_get(row, "worker")) == METRIC_ALL_WORKERS,
    };

    json_decref(row);
    return r;
}

static double first_round(const struct text *rows, double level)
{
    const char *line = text_get(rows), *end = line + rows->length;
    bool has_all = false;

    while (line < end) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        const size_t length = (size_t)((stop == NULL ? end : stop) - line);
        const struct row r = read_row(line, length);

        has_all = has_all || r.is_all;
        if (r.accuracy >= level && r.is_all == has_all)
            return r.round;
        line += length + 1;
    }
    return (double)NAN;
}

double history_rounds_to(const char *folder, double level)
{
    char *run = NULL, *experiment = NULL;
    struct text rows = {0};
    double round = (double)NAN;

    if (rundir_find(folder, &run, &experiment) == STATUS_OK) {
        char *path = file_join(run, "metrics.jsonl");
        if (file_read(path, FILE_LIMIT, &rows) == STATUS_OK)
            round = first_round(&rows, level);
        mem_free(path);
    }
    text_release(&rows);
    mem_free(run);
    mem_free(experiment);
    return round;
}
