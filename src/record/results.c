/*
 * results.c - writes results.json and results.csv. Reading: results_read.c.
 */
#include "record/results.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "record/paired_cases.h"

const struct result_number_name result_numbers[RESULT_NUMBERS] = {
    [RESULT_ACCURACY] = {"accuracy",                   "test %",           100,  2 },
    [RESULT_NODE_ACCURACY_MIN] = {"test_accuracy_min",          "least",            100,  2 },
    [RESULT_NODE_ACCURACY_MAX] = {"test_accuracy_max",          "most",             100,  2 },
    [RESULT_MEAN_MODEL_ACCURACY] = {"mean_model_accuracy",        "mean model %",     100,  2 },
    [RESULT_FINAL_TRAIN_ACCURACY] = {"final_train_accuracy",       "final train %",    100,  2 },
    [RESULT_ACCURACY_GAP] = {"accuracy_gap",               "gap",              100,  2 },
    [RESULT_FINAL_TRAIN_LOSS] = {"final_train_loss",           "final train loss", 1,    4 },
    [RESULT_LOSS] = {"loss",                       "test loss",        1,    4 },
    [RESULT_MEAN_MODEL_LOSS] = {"mean_model_loss",            "mean model loss",  1,    4 },
    [RESULT_AT_ACCURACY] = {"accuracy_at",                "%",                100,  2 },
    [RESULT_AT_LOSS] = {"loss_at",                    "loss",             1,    4 },
    [RESULT_AT_USED] = {"used_at",                    "evaluated at",     1,    -4},
    [RESULT_TARGET_ROUNDS] = {"rounds_to_target",           "rounds",           1,    0 },
    [RESULT_TARGET_SAMPLES] = {"samples_to_target",          "samples",          1,    0 },
    [RESULT_TARGET_SECONDS] = {"seconds_to_target",          "seconds",          1,    2 },
    [RESULT_TARGET_BYTES] = {"bytes_to_target",            "MB",               1e-6, 2 },
    [RESULT_TEST_ACCURACY] = {"test_accuracy",              NULL,               100,  2 },
    [RESULT_NODE_ACCURACY] = {"test_accuracy_mean",         NULL,               100,  2 },
    [RESULT_TEST_LOSS] = {"test_loss",                  NULL,               1,    4 },
    [RESULT_NODE_LOSS] = {"test_loss_mean",             NULL,               1,    4 },
    [RESULT_STALENESS] = {"staleness",                  "staleness",        1,    2 },
    [RESULT_STALENESS_MAX] = {"staleness_max",              "at most",          1,    0 },
    [RESULT_OPTIMUM_DISTANCE] = {"distance_to_optimum",        "distance",         1,    -3},
    [RESULT_VALIDATION_ACCURACY] = {"validation_accuracy",        "validation %",     100,  2 },
    [RESULT_VALIDATION_LOSS] = {"validation_loss",            "validation loss",  1,    4 },
    [RESULT_TRAIN_LOSS] = {"train_loss",                 NULL,               1,    4 },
    [RESULT_CONSENSUS] = {"consensus_error_normalized", "consensus",        1,    4 },
    [RESULT_SECONDS] = {"train_seconds",              "seconds",          1,    2 },
    [RESULT_SAMPLES_PER_S] = {"samples_per_s",              "samples/s",        1,    0 },
    [RESULT_ROUNDS] = {"rounds",                     "rounds",           1,    0 },
    [RESULT_EPOCHS] = {"epochs",                     "epochs",           1,    1 },
    [RESULT_BATCHES] = {"batches",                    NULL,               1,    0 },
    [RESULT_BYTES] = {"bytes_sent",                 "MB sent",          1e-6, 2 },
};

bool results_is_stopped(const struct results *r, const struct results_case *c)
{
    return c->stage < r->stages.count;
}

static bool have_folds(const struct results *r)
{
    bool found = false;

    for (int64_t i = 0; i < r->run_count; i++)
        found = found || r->runs[i].fold != NULL;
    return found;
}

bool results_use_validation(const struct results *r)
{
    return r->is_by_validation || have_folds(r);
}

const char *results_repetitions(const struct results *r)
{
    const bool folds = have_folds(r);
    bool seeds = false;

    for (int64_t i = 0; i < r->run_count; i++)
        seeds = seeds || r->runs[i].seed != NULL;
    if (folds && seeds)
        return "runs";
    return folds ? "folds" : seeds ? "seeds" : NULL;
}

const char *results_keep(struct results *r, const char *text)
{
    if (text == NULL)
        return NULL;
    rundir_names_add(&r->texts, text);
    return r->texts.items[r->texts.count - 1];
}

void results_release(struct results *r)
{
    for (int64_t i = 0; i < r->case_count; i++) {
        mem_free(r->cases[i].values.items);
        mem_free(r->cases[i].tuned.items);
        rundir_names_release(&r->cases[i].tuning_runs);
    }
    for (int64_t i = 0; i < r->run_count; i++)
        mem_free(r->runs[i].values.items);
    mem_free(r->cases);
    mem_free(r->runs);
    mem_free(r->claims);
    rundir_names_release(&r->texts);
    *r = (struct results){0};
}

bool results_have(const struct results *r, int number)
{
    if (number >= RESULT_AT_ACCURACY && number <= RESULT_AT_USED)
        return r->milestones.at.unit != AMOUNT_NONE;
    if (number >= RESULT_TARGET_ROUNDS && number <= RESULT_TARGET_BYTES)
        return r->milestones.target_kind != TARGET_NONE;
    return true;
}

/* --- what varies --- */

static bool keys_have(const struct results_keys *k, const char *name)
{
    for (int64_t i = 0; i < k->count; i++)
        if (strcmp(k->names[i], name) == 0)
            return true;
    return false;
}

struct results_keys results_find_keys(const struct results *r)
{
    struct results_keys k = {0};

    for (int64_t i = 0; i < r->case_count; i++)
        for (int64_t v = 0; v < r->cases[i].values.count; v++) {
            const char *key = r->cases[i].values.items[v].key;

            if (keys_have(&k, key))
                continue;
            k.names = mem_grow(k.names, k.count + 1, sizeof *k.names);
            k.names[k.count++] = key;
        }
    return k;
}

const char *results_find_value(const struct results_values *v, const char *key)
{
    for (int64_t i = 0; i < v->count; i++)
        if (strcmp(v->items[i].key, key) == 0)
            return v->items[i].text;
    return NULL;
}

bool results_belongs(const struct results_run *run, const struct results_case *c)
{
    bool does = text_equal(run->run, c->run) && run->values.count == c->values.count;

    for (int64_t i = 0; does && i < c->values.count; i++)
        does = text_equal(results_find_value(&run->values, c->values.items[i].key),
                          c->values.items[i].text);
    return does;
}

/* --- CSV --- */

static void csv_number(struct text *out, double value)
{
    text_add(out, ",");
    if (!isnan(value))
        text_add_double(out, value);
}

static void csv_case(const struct results *r, const struct results_case *c,
                     const struct results_keys *keys, struct text *out)
{
    text_add_csv(out, c->run == NULL ? "" : c->run);
    for (int64_t k = 0; k < keys->count; k++) {
        const char *value = results_find_value(&c->values, keys->names[k]);

        text_add(out, ",");
        text_add_csv(out, value == NULL ? "" : value);
    }
    text_addf(out, ",%" PRId64 ",%" PRId64, c->seeds, c->failed);
    if (r->stages.count > 0)
        text_addf(out, ",%" PRId64, c->stage);
    if (r->milestones.target_kind != TARGET_NONE)
        text_addf(out, ",%" PRId64, c->numbers[RESULT_TARGET_ROUNDS].count);
    if (r->milestones.at.unit != AMOUNT_NONE)
        text_addf(out, ",%" PRId64, c->numbers[RESULT_AT_USED].count);
    for (int n = 0; n < RESULT_NUMBERS; n++) {
        if (!results_have(r, n))
            continue;
        csv_number(out, c->numbers[n].mean);
        csv_number(out, c->numbers[n].deviation);
        csv_number(out, c->numbers[n].half_width);
    }
    text_add(out, "\n");
}

void results_add_csv(const struct results *r, struct text *out)
{
    struct results_keys keys = results_find_keys(r);

    text_add(out, "run");
    for (int64_t k = 0; k < keys.count; k++) {
        text_add(out, ",");
        text_add_csv(out, keys.names[k]);
    }
    text_add(out, ",seeds,failed");
    if (r->stages.count > 0)
        text_add(out, ",stage");
    if (r->milestones.target_kind != TARGET_NONE)
        text_add(out, ",reached");
    if (r->milestones.at.unit != AMOUNT_NONE)
        text_add(out, ",evaluated_at");
    for (int n = 0; n < RESULT_NUMBERS; n++)
        if (results_have(r, n))
            text_addf(out, ",%s,%s_deviation,%s_half_width", result_numbers[n].key,
                      result_numbers[n].key, result_numbers[n].key);
    text_add(out, "\n");
    for (int64_t i = 0; i < r->case_count; i++)
        csv_case(r, &r->cases[i], &keys, out);
    mem_free(keys.names);
}

/* --- JSON --- */

static void json_map(struct json *j, const char *key, const struct results_values *v)
{
    json_open_map(j, key);
    for (int64_t i = 0; i < v->count; i++)
        json_text(j, v->items[i].key, v->items[i].text);
    json_close_map(j);
}

static void json_values(struct json *j, const char *run, const struct results_values *v)
{
    json_text(j, "run", run);
    json_map(j, "values", v);
}

static void json_tuned(struct json *j, const struct results_case *c)
{
    if (c->tuned.count == 0)
        return;
    json_open_map(j, "tuned");
    json_map(j, "values", &c->tuned);
    json_number(j, "validation_loss", c->tuned_loss);
    json_open_list(j, "runs");
    for (int64_t i = 0; i < c->tuning_runs.count; i++)
        json_text(j, NULL, c->tuning_runs.items[i]);
    json_close_list(j);
    json_close_map(j);
}

static void json_numbers(struct json *j, const char *key, const struct mean_deviation *m)
{
    char *deviation = text_format("%s_deviation", key);
    char *half_width = text_format("%s_half_width", key);

    json_number(j, key, m->mean);
    json_number(j, deviation, m->deviation);
    json_number(j, half_width, m->half_width);
    mem_free(deviation);
    mem_free(half_width);
}

static void json_case(struct json *j, const struct results *r, const struct results_case *c)
{
    json_open_map(j, NULL);
    json_values(j, c->run, &c->values);
    json_tuned(j, c);
    json_int(j, "seeds", c->seeds);
    json_int(j, "failed", c->failed);
    json_int(j, "not_run", c->not_run);
    json_int(j, "diverged", c->diverged);
    if (r->stages.count > 0)
        json_int(j, "stage", c->stage);
    if (r->milestones.target_kind != TARGET_NONE)
        json_int(j, "reached", c->numbers[RESULT_TARGET_ROUNDS].count);
    if (r->milestones.at.unit != AMOUNT_NONE)
        json_int(j, "evaluated_at", c->numbers[RESULT_AT_USED].count);
    for (int n = 0; n < RESULT_NUMBERS; n++)
        if (results_have(r, n))
            json_numbers(j, result_numbers[n].key, &c->numbers[n]);
    json_close_map(j);
}

static void json_run(struct json *j, const struct results *r, const struct results_run *run)
{
    json_open_map(j, NULL);
    json_text(j, "name", run->name);
    json_values(j, run->run, &run->values);
    if (run->fold != NULL)
        json_text(j, "fold", run->fold);
    json_text(j, "seed", run->seed);
    json_text(j, "status", run->status);
    json_text(j, "reason", run->reason);
    json_text(j, "run_dir", run->run_dir);
    if (run->part_of != NULL) {
        json_text(j, "part_of", run->part_of);
        json_int(j, "as_of_round", run->as_of_round);
    }
    for (int n = 0; n < RESULT_NUMBERS; n++)
        if (results_have(r, n))
            json_number(j, result_numbers[n].key, run->numbers[n]);
    json_close_map(j);
}

static void json_claim(struct json *j, const struct results_claim *c)
{
    json_open_map(j, NULL);
    json_text(j, "run", c->run);
    json_text(j, "number", c->number);
    if (!isnan(c->low)) {
        json_number(j, "low", c->low);
        json_number(j, "high", c->high);
    }
    json_number(j, "measured", c->measured);
    json_text(j, "verdict", c->verdict);
    json_close_map(j);
}

/* What was looked for in the course of the runs. */
static void json_milestones(struct json *j, const struct milestones *m)
{
    if (m->at.unit != AMOUNT_NONE) {
        char *at = amount_text(&m->at);

        json_text(j, "at", at);
        mem_free(at);
    }
    if (m->target_kind != TARGET_NONE)
        json_number(j, m->target_kind == TARGET_LOSS ? "target_loss" : "target_accuracy",
                    m->target);
}

static void json_comparison(struct json *j, const struct paired_case *c)
{
    json_open_map(j, NULL);
    json_int(j, "case", c->index);
    json_bool(j, "is_best", c->is_best);
    json_bool(j, "is_tied", c->is_tied);
    json_int(j, "seeds", c->seeds);
    json_number(j, "difference", c->difference);
    json_number(j, "low", c->low);
    json_number(j, "high", c->high);
    json_number(j, "p", c->p);
    json_number(j, "p_permutation", c->p_permutation);
    json_number(j, "p_holm", c->p_holm);
    json_int(j, "more_seeds", c->more_seeds);
    json_close_map(j);
}

/* Nothing where no two cases can be compared. */
static void json_comparisons(struct json *j, const struct results *r)
{
    struct paired_cases p;

    paired_cases_init(&p, r);
    if (p.compared > 0) {
        json_text(j, "compared_by", result_numbers[p.number].key);
        json_open_list(j, "comparisons");
        for (int64_t i = 0; i < p.count; i++)
            if (p.items[i].is_best || p.items[i].is_compared)
                json_comparison(j, &p.items[i]);
        json_close_list(j);
    }
    paired_cases_release(&p);
}

static void json_stages(struct json *j, const struct results_stages *s)
{
    if (s->count == 0)
        return;
    json_open_list(j, "stage_epochs");
    for (int64_t i = 0; i < s->count; i++)
        json_int(j, NULL, s->epochs[i]);
    json_close_list(j);
}

/* null: no case is any good. */
static void json_best(struct json *j, const struct results *r)
{
    if (!r->best.is_wanted)
        return;
    if (r->best.of == NULL) {
        json_text(j, "best", NULL);
        return;
    }
    json_open_map(j, "best");
    json_int(j, "case", r->best.of - r->cases);
    json_values(j, r->best.of->run, &r->best.of->values);
    json_text(j, "command", r->best.command);
    json_close_map(j);
}

static void json_lists(struct json *j, const struct results *r)
{
    json_open_list(j, "cases");
    for (int64_t i = 0; i < r->case_count; i++)
        json_case(j, r, &r->cases[i]);
    json_close_list(j);
    json_open_list(j, "runs");
    for (int64_t i = 0; i < r->run_count; i++)
        json_run(j, r, &r->runs[i]);
    json_close_list(j);
    json_comparisons(j, r);
    if (r->claim_count == 0)
        return;
    json_open_list(j, "published");
    for (int64_t i = 0; i < r->claim_count; i++)
        json_claim(j, &r->claims[i]);
    json_close_list(j);
}

void results_add_json(const struct results *r, struct text *out)
{
    struct json j;

    json_init(&j, out);
    json_open_map(&j, NULL);
    json_int(&j, "version", RESULTS_VERSION);
    json_text(&j, "name", r->name);
    json_text(&j, "folder", r->folder);
    json_milestones(&j, &r->milestones);
    json_stages(&j, &r->stages);
    json_best(&j, r);
    if (r->is_by_validation)
        json_bool(&j, "is_by_validation", true);
    json_lists(&j, r);
    json_close_map(&j);
    text_add(out, "\n");
}
