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
    *c = (struct compared_run){.chance = (double)NAN, .test_samples = (double)NAN};
    for (int i = 0; i < RESULT_NUMBERS; i++)
        c->numbers[i] = (double)NAN;
}

bool compared_run_diverges(const struct compared_run *c)
{
    const double accuracy = c->numbers[RESULT_ACCURACY];
    const double noise = sqrt(c->chance * (1 - c->chance) / c->test_samples);

    if (c->state != RESULT_FINISHED)
        return c->state == RESULT_FAILED && c->diverged;
    return accuracy <= c->chance + 3 * noise;
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
