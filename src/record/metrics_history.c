/*
 * metrics_history.c - how a run went, row by row.
 */
#include "record/metrics_history.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>

#include "base/file.h"
#include "base/mem.h"
#include "record/metrics_reader.h"
#include "record/recorder.h"
#include "record/rundir.h"

/* The search for the first row that reaches a level. */
struct search {
    double level;
    double round; /* NaN: not found so far */
    bool has_all; /* a row about all workers together was seen; a run of one has none */
};

static void look_at(void *context, const json_t *row)
{
    struct search *s = context;
    const bool has_mean = json_object_get(row, "test_accuracy_mean") != NULL;
    const double accuracy =
        json_read_number(row, has_mean ? "test_accuracy_mean" : "test_accuracy");
    const bool is_all = json_read_int(row, "worker", 0) == METRIC_ALL_WORKERS;

    s->has_all = s->has_all || is_all;
    if (isnan(s->round) && accuracy >= s->level && is_all == s->has_all)
        s->round = json_read_number(row, "round");
}

double metrics_history_rounds_to(const char *folder, double level)
{
    char *run = NULL, *top_dir = NULL;
    struct search search = {.level = level, .round = (double)NAN};

    if (rundir_find(folder, &run, &top_dir) == STATUS_OK) {
        char *path = file_join(run, "metrics.jsonl");
        (void)metrics_reader_each(path, JSON_LINES_LENIENT,
                                  &(struct metrics_reader_visitor){look_at, &search});
        mem_free(path);
    }
    mem_free(run);
    mem_free(top_dir);
    return search.round;
}
