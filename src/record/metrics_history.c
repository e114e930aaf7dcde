/*
 * metrics_history.c - how a run went, row by row.
 */
#include "record/metrics_history.h"

#include <jansson.h>
#include <math.h>

#include "base/check.h"
#include "base/file.h"
#include "base/mem.h"
#include "record/json_read.h"
#include "record/metrics_reader.h"
#include "record/recorder.h"
#include "record/rundir.h"

static struct evaluated_point no_point(void)
{
    struct evaluated_point p = {.accuracy = (double)NAN, .loss = (double)NAN};

    for (int u = 0; u < AMOUNT_UNITS; u++)
        p.used[u] = (double)NAN;
    return p;
}

/* The search in the rows about all workers together, and in those about one: a run of one worker
 * has no others. */
struct search {
    const struct milestones *wanted;
    struct milestones_found of_one, of_all;
    bool has_all;
};

/* The first of these keys that the row has. */
static double first_of(const json_t *row, const char *const keys[3])
{
    double value = (double)NAN;

    for (int i = 0; i < 3 && isnan(value); i++)
        value = json_read_number(row, keys[i]);
    return value;
}

static struct evaluated_point point_of(const json_t *row)
{
    static const char *const accuracies[] = {"test_accuracy_mean", "test_accuracy",
                                             "validation_accuracy"};
    static const char *const losses[] = {"test_loss_mean", "test_loss", "validation_loss"};

    return (struct evaluated_point){
        .accuracy = first_of(row, accuracies),
        .loss = first_of(row, losses),
        .used =
            {
                   [AMOUNT_NONE] = (double)NAN,
                   [AMOUNT_SAMPLES] = json_read_number(row, "samples"),
                   [AMOUNT_EPOCHS] = json_read_number(row, "epoch"),
                   [AMOUNT_ROUNDS] = json_read_number(row, "round"),
                   [AMOUNT_BYTES] = json_read_number(row, "bytes_sent"),
                   [AMOUNT_SECONDS] = json_read_number(row, "seconds"),
                   },
    };
}

static bool reaches(const struct evaluated_point *p, const struct milestones *m)
{
    switch (m->target_kind) {
    case TARGET_NONE:
        return false;
    case TARGET_ACCURACY:
        return p->accuracy >= m->target;
    case TARGET_LOSS:
        return p->loss <= m->target;
    }
    BUG("target out of range");
}

/* Snapshots may be evaluated, and their rows written, in another order than they were taken in. */
static void look_at(void *context, const json_t *row)
{
    struct search *s = context;
    const struct milestones *m = s->wanted;
    const bool is_all = json_read_int(row, "worker", 0) == METRIC_ALL_WORKERS;
    struct milestones_found *f = is_all ? &s->of_all : &s->of_one;
    const struct evaluated_point p = point_of(row);
    const double used = p.used[m->at.unit];

    s->has_all = s->has_all || is_all;
    if (isnan(p.accuracy) && isnan(p.loss))
        return;
    if (m->rounds > 0 && p.used[AMOUNT_ROUNDS] > (double)m->rounds)
        return;
    if (used <= m->at.value && !(used <= f->at.used[m->at.unit]))
        f->at = p;
    if (reaches(&p, m) && !(p.used[AMOUNT_ROUNDS] >= f->target.used[AMOUNT_ROUNDS]))
        f->target = p;
}

void metrics_history_find(const char *folder, const struct milestones *m,
                          struct milestones_found *found)
{
    const struct milestones_found none = {no_point(), no_point()};
    struct search search = {.wanted = m, .of_one = none, .of_all = none};
    char *run = NULL, *top_dir = NULL;

    if (rundir_find(folder, &run, &top_dir) == STATUS_OK) {
        char *path = file_join(run, "metrics.jsonl");
        (void)metrics_reader_each(path, JSON_LINES_LENIENT,
                                  &(struct metrics_reader_visitor){look_at, &search});
        mem_free(path);
    }
    mem_free(run);
    mem_free(top_dir);
    *found = search.has_all ? search.of_all : search.of_one;
}
