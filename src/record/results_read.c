/*
 * results_read.c - reads results.json.
 *
 * Earlier versions called cases "rows", runs "cells", and deviations "<number>_spread",
 * and wrote no half-widths of intervals.
 */
#include <jansson.h>
#include <math.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/statistics.h"
#include "record/json_read.h"
#include "record/results.h"

static const char *text_in(struct results *r, const json_t *map, const char *key)
{
    return results_keep(r, json_string_value(json_object_get(map, key)));
}

static void read_values(struct results *r, const json_t *map, struct results_values *v)
{
    json_t *values = json_object_get(map, "values");

    v->items = MEM_NEW_N(struct results_value, (int64_t)json_object_size(values));
    for (void *at = json_object_iter(values); at != NULL; at = json_object_iter_next(values, at)) {
        const char *text = json_string_value(json_object_iter_value(at));

        v->items[v->count++] = (struct results_value){
            .key = results_keep(r, json_object_iter_key(at)),
            .text = results_keep(r, text == NULL ? "" : text),
        };
    }
}

static double deviation_of(const json_t *map, const char *key)
{
    char *now = text_format("%s_deviation", key), *once = text_format("%s_spread", key);
    const double deviation = json_read_number(map, json_object_get(map, now) ? now : once);

    mem_free(now);
    mem_free(once);
    return deviation;
}

static double half_width_of(const json_t *map, const char *key, const struct mean_deviation *m)
{
    char *name = text_format("%s_half_width", key);
    const double half_width = json_object_get(map, name) != NULL
                                  ? json_read_number(map, name)
                                  : t_half_width(m->deviation, m->count, STATISTICS_LEVEL);

    mem_free(name);
    return half_width;
}

/* How many seeds have the number; of others than milestones the files do not say it. */
static int64_t count_of(const json_t *map, int number, const struct results_case *c)
{
    if (number < RESULT_AT_ACCURACY || number > RESULT_TARGET_BYTES)
        return isnan(c->numbers[number].mean) ? 0 : c->seeds;
    return json_read_int(map, number <= RESULT_AT_USED ? "evaluated_at" : "reached", 0);
}

static void read_case(struct results *r, const json_t *map, struct results_case *c)
{
    *c = (struct results_case){
        .run = text_in(r, map, "run"),
        .seeds = json_read_int(map, "seeds", 0),
        .failed = json_read_int(map, "failed", 0),
        .not_run = json_read_int(map, "not_run", 0),
        .diverged = json_read_int(map, "diverged", 0),
        .stage = json_read_int(map, "stage", 0),
    };
    read_values(r, map, &c->values);
    for (int n = 0; n < RESULT_NUMBERS; n++) {
        struct mean_deviation *m = &c->numbers[n];

        m->mean = json_read_number(map, result_numbers[n].key);
        m->deviation = deviation_of(map, result_numbers[n].key);
        m->count = count_of(map, n, c);
        m->half_width = half_width_of(map, result_numbers[n].key, m);
    }
}

static void read_run(struct results *r, const json_t *map, struct results_run *run)
{
    const char *name = json_string_value(json_object_get(map, "name"));

    *run = (struct results_run){
        .name = results_keep(r, name == NULL ? "" : name),
        .run = text_in(r, map, "run"),
        .fold = text_in(r, map, "fold"),
        .seed = text_in(r, map, "seed"),
        .status = text_in(r, map, "status"),
        .reason = text_in(r, map, "reason"),
        .run_dir = text_in(r, map, "run_dir"),
        .part_of = text_in(r, map, "part_of"),
        .as_of_round = json_read_int(map, "as_of_round", 0),
    };
    read_values(r, map, &run->values);
    for (int n = 0; n < RESULT_NUMBERS; n++)
        run->numbers[n] = json_read_number(map, result_numbers[n].key);
}

static void read_claim(struct results *r, const json_t *map, struct results_claim *c)
{
    *c = (struct results_claim){
        .run = text_in(r, map, "run"),
        .number = text_in(r, map, "number"),
        .low = json_read_number(map, "low"),
        .high = json_read_number(map, "high"),
        .measured = json_read_number(map, "measured"),
        .verdict = text_in(r, map, "verdict"),
    };
}

static const json_t *list_of(const json_t *root, const char *now, const char *once)
{
    const json_t *list = json_object_get(root, now);

    return list != NULL ? list : json_object_get(root, once);
}

static void read_milestones(const json_t *root, struct milestones *m)
{
    const char *at = json_string_value(json_object_get(root, "at"));
    const double accuracy = json_read_number(root, "target_accuracy");
    const double loss = json_read_number(root, "target_loss");

    if (at != NULL)
        (void)amount_read(at, &m->at);
    if (!isnan(accuracy) || !isnan(loss))
        m->target_kind = isnan(accuracy) ? TARGET_LOSS : TARGET_ACCURACY;
    m->target = isnan(accuracy) ? loss : accuracy;
}

static void read_stages(const json_t *root, struct results_stages *s)
{
    const json_t *list = json_object_get(root, "stage_epochs"), *item;
    size_t i;

    json_array_foreach(list, i, item)
    {
        if (i < RESULTS_STAGES_MAX)
            s->epochs[s->count++] = (int64_t)json_integer_value(item);
    }
}

static void read_results(const json_t *root, struct results *r)
{
    const json_t *cases = list_of(root, "cases", "rows"), *runs = list_of(root, "runs", "cells");
    const json_t *claims = json_object_get(root, "published"), *item;
    size_t i;

    r->name = text_in(r, root, "name");
    r->folder = text_in(r, root, "folder");
    read_milestones(root, &r->milestones);
    read_stages(root, &r->stages);
    r->is_by_validation = json_is_true(json_object_get(root, "is_by_validation"));
    r->cases = MEM_NEW_N(struct results_case, (int64_t)json_array_size(cases));
    r->runs = MEM_NEW_N(struct results_run, (int64_t)json_array_size(runs));
    r->claims = MEM_NEW_N(struct results_claim, (int64_t)json_array_size(claims));
    json_array_foreach(cases, i, item) read_case(r, item, &r->cases[r->case_count++]);
    json_array_foreach(runs, i, item) read_run(r, item, &r->runs[r->run_count++]);
    json_array_foreach(claims, i, item) read_claim(r, item, &r->claims[r->claim_count++]);
}

enum status results_read(const char *folder, struct results *r)
{
    char *path = file_join(folder, "results.json");
    json_t *root = NULL;
    enum status s = json_read_file(path, &root);

    *r = (struct results){0};
    if (s == STATUS_OK && !json_is_object(root))
        s = FAIL(STATUS_IO, "%s:1: is not the results of a study", path);
    if (s == STATUS_OK)
        read_results(root, r);
    json_decref(root);
    mem_free(path);
    return s;
}
