/*
 * evaluation_series.c - reads the evaluations of a run from its files.
 *
 * An evaluation is a round in which some row has a test loss (without a test set, a validation
 * loss). Where nodes were evaluated each, their rows count, else the run's.
 */
#include "record/evaluation_series.h"

#include <endian.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "record/correct_answers.h"
#include "record/graph_rows.h"
#include "record/metric.h"
#include "record/metrics_reader.h"

/* Where a series comes from in a row: the first key that is there. */
struct source {
    const char *name;
    const char *keys[2];
    bool is_count, is_of_run; /* one number per evaluation, from the run's row */
};

static const struct source sources[] = {
    {"round",                     {"round"},                                true,  true },
    {"seconds",                   {"seconds"},                              false, true },
    {"forward_pass_count",        {"forward_passes", "samples"},            true,  false},
    {"gradient_count",            {"gradients"},                            true,  false},
    {"bytes_sent",                {"bytes_sent"},                           true,  false},
    {"current_epoch",             {"epoch"},                                false, false},
    {"train_loss_moving_average", {"train_loss_moving"},                    false, false},
    {"validation_loss",           {"test_loss", "validation_loss"},         false, false},
    {"top1_accuracy",             {"test_accuracy", "validation_accuracy"}, false, false},
    {"mean_model_loss",           {"test_loss", "validation_loss"},         false, true },
    {"mean_model_accuracy",       {"test_accuracy", "validation_accuracy"}, false, true },
};
enum { SOURCES = sizeof sources / sizeof sources[0] };

/* Those of consensus.jsonl come behind. */
static const struct {
    const char *name, *key;
    int rank;
} distances[] = {
    {"consensus_error",        "normalized",           2},
    {"consensus_error_raw",    "raw",                  2},
    {"consensus_distance",     "from_mean_normalized", 1},
    {"consensus_distance_raw", "from_mean",            1},
};
enum { DISTANCES = sizeof distances / sizeof distances[0] };

enum { CORRECT_BYTES_MAX = 1 << 30 }; /* of all answers, a byte each */

/* --- which evaluations there are --- */

static bool is_evaluation(const json_t *row)
{
    return json_object_get(row, "test_loss") != NULL ||
           json_object_get(row, "validation_loss") != NULL;
}

static int64_t int_of(const json_t *row, const char *key)
{
    return json_integer_value(json_object_get(row, key));
}

/* NaN where there is no number. */
static double number_of(const json_t *row, const char *key)
{
    const json_t *value = key == NULL ? NULL : json_object_get(row, key);

    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

struct reading {
    struct evaluation_series *series;
    int64_t capacity;
    int64_t *rounds;       /* [evaluations] */
    bool is_alone;         /* the one node of its graph */
    bool has_pairs;        /* some row has the distances between any two nodes */
    bool is_uneven;        /* rows of correct.jsonl that are not of the same samples */
    int64_t measured;      /* evaluations whose rows say how far nodes are apart */
    int64_t distance_rows; /* those that consensus.jsonl has */
    struct named_series *distances[DISTANCES]; /* NULL: not measured */
};

static void count_row(void *context, const json_t *row)
{
    struct reading *c = context;
    struct evaluation_series *r = c->series;

    if (!is_evaluation(row))
        return;
    const int64_t round = int_of(row, "round"), worker = int_of(row, "worker");
    if (worker >= METRIC_WORKERS_MAX)
        return;
    r->nodes = worker + 1 > r->nodes ? worker + 1 : r->nodes;
    if (r->evaluations > 0 && c->rounds[r->evaluations - 1] == round)
        return;
    if (r->evaluations == c->capacity) {
        const int64_t capacity = 2 * c->capacity + 64;

        c->rounds = mem_resize(c->rounds, c->capacity, capacity, sizeof *c->rounds);
        c->capacity = capacity;
    }
    c->rounds[r->evaluations++] = round;
}

/* -1: no such evaluation. Rows come in nearly this order, so that the search is short. */
static int64_t evaluation_of(const struct reading *c, int64_t round)
{
    for (int64_t i = c->series->evaluations - 1; i >= 0; i--)
        if (c->rounds[i] == round)
            return i;
    return -1;
}

/* --- values --- */

struct named_series *evaluation_series_add(struct evaluation_series *r,
                                           const struct named_series *shape)
{
    struct named_series *s = &r->series[r->series_count++];

    CHECK(r->series_count <= NAMED_SERIES_MAX);
    *s = *shape;
    s->size = s->dims[0] * s->dims[1];
    s->values = MEM_NEW_N(double, r->evaluations * s->size);
    for (int64_t i = 0; i < r->evaluations * s->size; i++)
        s->values[i] = (double)NAN;
    return s;
}

/* A number for the run, each node or each pair of nodes. */
static struct named_series *add_series(struct evaluation_series *r, const char *name, bool is_count,
                                       int rank)
{
    return evaluation_series_add(r, &(struct named_series){
                                        .name = name,
                                        .is_count = is_count,
                                        .rank = rank,
                                        .is_symmetric = rank == 2,
                                        .dims = {rank > 0 ? r->nodes : 1, rank > 1 ? r->nodes : 1},
    });
}

static void read_row(void *context, const json_t *row)
{
    struct reading *c = context;
    const int64_t worker = int_of(row, "worker"), at = evaluation_of(c, int_of(row, "round"));
    const bool is_of_run = worker < 0 || c->series->nodes == 1;

    if (at < 0 || !is_evaluation(row) || worker >= c->series->nodes)
        return;
    c->measured += worker < 0 && json_object_get(row, "consensus_error") != NULL ? 1 : 0;
    for (int i = 0; i < SOURCES; i++) {
        struct named_series *s = &c->series->series[i];
        double value = number_of(row, sources[i].keys[0]);

        if (isnan(value))
            value = number_of(row, sources[i].keys[1]);
        if (s->is_count && isnan(value))
            continue;
        if (sources[i].is_of_run && is_of_run)
            s->values[at] = value;
        else if (!sources[i].is_of_run && (worker >= 0 || c->series->nodes == 1))
            s->values[at * s->size + (worker > 0 ? worker : 0)] = value;
    }
}

static void read_vector(const json_t *list, int64_t n, double *values)
{
    for (int64_t i = 0; i < n; i++)
        values[i] = json_number_value(json_array_get(list, (size_t)i));
}

static void read_pairs(const json_t *list, int64_t n, double *values)
{
    size_t k = 0;

    for (int64_t i = 0; i < n; i++) {
        values[i * n + i] = 0;
        for (int64_t j = i + 1; j < n; j++)
            values[i * n + j] = values[j * n + i] = json_number_value(json_array_get(list, k++));
    }
}

static void read_distances(void *context, const json_t *row)
{
    struct reading *c = context;
    const int64_t at = evaluation_of(c, int_of(row, "round")), n = c->series->nodes;

    if (at < 0 || int_of(row, "nodes") != n)
        return;
    c->distance_rows++;
    for (int i = 0; i < DISTANCES; i++) {
        const struct named_series *s = c->distances[i];
        const json_t *list = json_object_get(row, distances[i].key);

        if (s == NULL || list == NULL)
            continue;
        if (distances[i].rank == 2)
            read_pairs(list, n, s->values + at * s->size);
        else
            read_vector(list, n, s->values + at * s->size);
    }
}

static void look_for_pairs(void *context, const json_t *row)
{
    struct reading *c = context;

    c->has_pairs = c->has_pairs || json_object_get(row, "raw") != NULL;
}

static void add_distances(struct reading *c)
{
    for (int i = 0; i < DISTANCES; i++)
        if (distances[i].rank < 2 || c->has_pairs)
            c->distances[i] = add_series(c->series, distances[i].name, false, distances[i].rank);
}

/* A node alone is where it is itself: nobody needs to have measured that. */
static void set_distances_zero(const struct reading *c)
{
    for (int i = 0; i < DISTANCES; i++) {
        const struct named_series *s = c->distances[i];

        for (int64_t k = 0; k < c->series->evaluations * s->size; k++)
            s->values[k] = 0;
    }
}

/* --- answers --- */

static void count_answers(void *context, const json_t *row)
{
    struct evaluation_series *r = ((struct reading *)context)->series;
    const int64_t samples = int_of(row, "samples");

    r->samples = samples > r->samples ? samples : r->samples;
}

static void read_answers(void *context, const json_t *row)
{
    struct reading *c = context;
    struct evaluation_series *r = c->series;
    const int64_t at = evaluation_of(c, int_of(row, "round")), worker = int_of(row, "worker");
    const char *digits = json_string_value(json_object_get(row, "correct"));

    if (at < 0 || worker < 0 || worker >= r->nodes)
        return;
    c->is_uneven =
        c->is_uneven || digits == NULL ||
        !correct_row_unpack(digits, r->correct + (at * r->nodes + worker) * r->samples, r->samples);
}

static enum status read_correct(struct reading *c, const char *path)
{
    struct evaluation_series *r = c->series;

    if (!file_exists(path))
        return STATUS_OK;
    TRY(metrics_reader_each(path, JSON_LINES_STRICT_AND_WARN,
                            &(struct metrics_reader_visitor){count_answers, c}));
    if (r->samples <= 0 || r->samples > CORRECT_BYTES_MAX / (r->evaluations * r->nodes))
        return FAIL(STATUS_IO, "%s: missing number of samples", path);
    r->correct = MEM_NEW_N(uint8_t, r->evaluations * r->nodes * r->samples);
    TRY(metrics_reader_each(path, JSON_LINES_STRICT,
                            &(struct metrics_reader_visitor){read_answers, c}));
    return c->is_uneven
               ? FAIL(STATUS_IO, "%s: a row is not of %lld samples", path, (long long)r->samples)
               : STATUS_OK;
}

/* --- all of it --- */

static enum status read_graph(struct reading *c, const char *run_dir)
{
    struct evaluation_series *r = c->series;
    struct graph_rows graphs;
    const enum status s = graph_rows_read(run_dir, &graphs);

    if (s == STATUS_OK && graphs.count > 0) {
        const struct graph_row *first = &graphs.items[0];

        c->is_alone = r->nodes == 1 && first->nodes == 1;
        r->edge_count = first->edge_count;
        r->edges = MEM_NEW_N(double, 2 * r->edge_count);
        for (int64_t i = 0; i < 2 * r->edge_count; i++)
            r->edges[i] = (double)first->edges[i];
    }
    graph_rows_release(&graphs);
    return s;
}

struct paths {
    char *rows, *distances, *correct;
};

/* The file was lost or damaged, or became too large while the run wrote it. */
static void warn_of_missing_distances(const struct reading *c, const char *path)
{
    if (c->distance_rows < c->measured)
        log_warning("%s: has the distances between nodes of %lld of %lld evaluations; the others "
                    "are left out",
                    path, (long long)c->distance_rows, (long long)c->measured);
}

static enum status read_distance_file(struct reading *c, const char *path)
{
    if (file_exists(path)) {
        TRY(metrics_reader_each(path, JSON_LINES_STRICT,
                                &(struct metrics_reader_visitor){look_for_pairs, c}));
        add_distances(c);
        TRY(metrics_reader_each(path, JSON_LINES_STRICT_AND_WARN,
                                &(struct metrics_reader_visitor){read_distances, c}));
    }
    warn_of_missing_distances(c, path);
    return STATUS_OK;
}

static enum status read_series(struct reading *c, const struct paths *p)
{
    struct evaluation_series *r = c->series;

    for (int i = 0; i < SOURCES; i++)
        add_series(r, sources[i].name, sources[i].is_count, sources[i].is_of_run ? 0 : 1);
    for (int64_t i = 0; i < r->evaluations; i++) /* also where a cut row was the one of the run */
        r->series[0].values[i] = (double)c->rounds[i];
    TRY(metrics_reader_each(p->rows, JSON_LINES_STRICT,
                            &(struct metrics_reader_visitor){read_row, c}));
    if (!c->is_alone)
        return read_distance_file(c, p->distances);
    c->has_pairs = true;
    add_distances(c);
    set_distances_zero(c);
    return STATUS_OK;
}

static enum status read_all(struct reading *c, const struct paths *p, const char *run_dir)
{
    struct evaluation_series *r = c->series;

    if (!file_exists(p->rows))
        return FAIL(STATUS_BAD_INPUT, "%s: has no metrics.jsonl", run_dir);
    TRY(metrics_reader_each(p->rows, JSON_LINES_STRICT_AND_WARN,
                            &(struct metrics_reader_visitor){count_row, c}));
    if (r->evaluations == 0)
        return FAIL(STATUS_BAD_INPUT, "%s: the run has not been evaluated yet", run_dir);
    TRY(read_graph(c, run_dir));
    TRY(read_series(c, p));
    TRY(evaluation_series_add_places(r, run_dir, false));
    return read_correct(c, p->correct);
}

enum status evaluation_series_read(struct evaluation_series *r, const char *run_dir)
{
    struct reading c = {.series = r};
    const struct paths p = {
        .rows = file_join(run_dir, "metrics.jsonl"),
        .distances = file_join(run_dir, "consensus.jsonl"),
        .correct = file_join(run_dir, "correct.jsonl"),
    };

    *r = (struct evaluation_series){.nodes = 1};
    const enum status s = read_all(&c, &p, run_dir);
    mem_free(p.rows);
    mem_free(p.distances);
    mem_free(p.correct);
    mem_free(c.rounds);
    if (s != STATUS_OK)
        evaluation_series_release(r);
    return s;
}

void evaluation_series_release(struct evaluation_series *r)
{
    for (int i = 0; i < r->series_count; i++)
        mem_free(r->series[i].values);
    mem_free(r->edges);
    mem_free(r->correct);
    mem_free(r->maps.values);
    mem_free(r->maps.inputs);
    *r = (struct evaluation_series){0};
}

void evaluation_series_scale(struct evaluation_series *r, const char *name, double factor)
{
    for (int i = 0; i < r->series_count; i++)
        for (int64_t k = 0;
             strcmp(r->series[i].name, name) == 0 && k < r->evaluations * r->series[i].size; k++)
            r->series[i].values[k] *= factor;
}

void *evaluation_series_bytes(const double *values, int64_t count, bool is_count)
{
    uint64_t *words = MEM_NEW_N(uint64_t, count + 1);

    for (int64_t i = 0; i < count; i++) {
        const int64_t whole = is_count && !isnan(values[i]) ? (int64_t)values[i] : -1;
        memcpy(&words[i], is_count ? (const void *)&whole : (const void *)&values[i],
               sizeof words[i]);
        words[i] = htole64(words[i]);
    }
    return words;
}
