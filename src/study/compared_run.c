/*
 * compared_run.c - the numbers of one run, out of its result.json and metrics.jsonl.
 */
#include "study/compared_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "record/attempts.h"
#include "record/run_numbers.h"

const char *const result_state_names[RESULT_STATES] = {
    [RESULT_NOT_RUN] = "not run",
    [RESULT_FINISHED] = "finished",
    [RESULT_FAILED] = "failed",
};

void compared_run_clear(struct compared_run *c)
{
    const double nan = (double)NAN;

    *c = (struct compared_run){
        .chance = nan,
        .test_samples = nan,
        .validation_chance = nan,
        .validation_samples = nan,
        .validation_base_loss = nan,
    };
    for (int i = 0; i < RESULT_NUMBERS; i++)
        c->numbers[i] = nan;
}

/* Not where one of them is not known. */
static bool is_chance(double accuracy, double chance, double samples)
{
    return accuracy <= chance + 3 * sqrt(chance * (1 - chance) / samples);
}

static bool fails_validation(const struct compared_run *c)
{
    const double loss = c->numbers[RESULT_VALIDATION_LOSS];

    if (c->validation_samples > 0 && !isfinite(loss))
        return true;
    return is_chance(c->numbers[RESULT_VALIDATION_ACCURACY], c->validation_chance,
                     c->validation_samples) ||
           loss >= c->validation_base_loss;
}

bool compared_run_diverges(const struct compared_run *c, enum judged_by by)
{
    if (c->state != RESULT_FINISHED)
        return c->state == RESULT_FAILED && c->diverged;
    return by == JUDGED_BY_VALIDATION
               ? fails_validation(c)
               : is_chance(c->numbers[RESULT_ACCURACY], c->chance, c->test_samples);
}

/* An interrupted run counts as one that has not run. */
static enum result_state state_of(const char *word)
{
    if (word == NULL || strcmp(word, "interrupted") == 0)
        return RESULT_NOT_RUN;
    return strcmp(word, "finished") == 0 ? RESULT_FINISHED : RESULT_FAILED;
}

static void take_result(const struct run_result *r, struct compared_run *c)
{
    c->state = state_of(r->status);
    c->diverged = r->status != NULL && strcmp(r->status, "diverged") == 0;
    run_numbers_of_result(r, c->numbers);
    c->chance = r->chance_accuracy;
    c->test_samples = result_number(r, "test_samples");
    c->validation_chance = r->validation_chance_accuracy;
    c->validation_samples = r->validation_samples;
    c->validation_base_loss = r->validation_base_loss;
    c->workers = r->workers;
    (void)snprintf(c->data, sizeof c->data, "%s", r->data == NULL ? "" : r->data);
}

/* Messages name the fault first, and after a semicolon what would help. */
void compared_run_explain(struct compared_run *c, const char *message)
{
    const size_t line = strcspn(message, "\n");
    const char *remedy = strstr(message, "; ");
    const size_t length =
        remedy != NULL && (size_t)(remedy - message) < line ? (size_t)(remedy - message) : line;

    (void)snprintf(c->reason, sizeof c->reason, "%.*s", (int)length, message);
}

/* The record of the last start says why. */
static void read_reason(const char *folder, struct compared_run *c)
{
    struct attempts a;

    if (attempts_read(folder, &a) == STATUS_OK && a.count > 0 &&
        a.items[a.count - 1].message != NULL)
        compared_run_explain(c, a.items[a.count - 1].message);
    attempts_release(&a);
}

enum status compared_run_read(const char *folder, struct compared_run *c)
{
    struct run_result r;

    compared_run_clear(c);
    if (!file_exists_in(folder, "result.json"))
        return STATUS_OK;
    TRY(result_read(folder, &r));
    take_result(&r, c);
    result_release(&r);
    if (c->state == RESULT_FAILED)
        read_reason(folder, c);
    return STATUS_OK;
}

void compared_run_find(const char *folder, const struct milestones *m, struct compared_run *c)
{
    if (c->state == RESULT_FINISHED)
        run_numbers_find(folder, m, c->numbers);
}
