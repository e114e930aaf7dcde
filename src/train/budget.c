/*
 * budget.c - reads train.budget, and says how much of it is used.
 */
#include "train/budget.h"

#include <string.h>

#include "algo/algo.h"
#include "base/mem.h"
#include "optim/schedule.h"
#include "train/loop/coordinator.h"

enum status budget_read(const struct run_config *config, struct amount *budget)
{
    const char *text = config->train.budget;

    *budget = (struct amount){0};
    if (text == NULL)
        return STATUS_OK;
    if (amount_read(text, budget) != STATUS_OK) {
        char *message = mem_text(status_message());
        const enum status s = FAIL(STATUS_BAD_INPUT, "train.budget: %s", message);

        mem_free(message);
        return s;
    }
    if (budget->unit == AMOUNT_EPOCHS)
        return FAIL(STATUS_BAD_INPUT, "train.budget: use train.epochs for epochs; a budget is "
                                      "samples:N, rounds:N, bytes:N or seconds:N");
    return STATUS_OK;
}

bool budget_is_open(const struct amount *budget)
{
    return budget->unit == AMOUNT_BYTES || budget->unit == AMOUNT_SECONDS;
}

double budget_used(const struct amount *budget, const struct counters *totals)
{
    if (!budget_is_open(budget))
        return 0;
    return (budget->unit == AMOUNT_BYTES ? totals->bytes : totals->seconds) / budget->value;
}

/* Workers of the algorithm send each other nothing while they train. */
static bool sends_nothing(const struct algo_ops *algo, int workers,
                          const struct topology_facts *graph)
{
    const bool is_alone = workers == 1 && !coordinator_of(algo)->has_server;

    return is_alone || strcmp(algo->bytes, "0") == 0 || (graph != NULL && graph->degree_max == 0);
}

enum status budget_check(const struct run_config *config, int workers,
                         const struct topology_facts *graph)
{
    const struct algo_ops *algo = (const struct algo_ops *)config->algorithm.entry;
    struct amount budget;

    TRY(budget_read(config, &budget));
    if (!budget_is_open(&budget))
        return STATUS_OK;
    if (schedule_spans_run(&config->schedule))
        return FAIL(STATUS_BAD_INPUT,
                    "train.budget: schedule %s needs a known number of rounds, which a budget of "
                    "%s does not give; use a budget of samples or rounds, or another schedule",
                    config->schedule.entry->name, amount_unit_name(budget.unit));
    if (budget.unit == AMOUNT_BYTES && sends_nothing(algo, workers, graph))
        return FAIL(STATUS_BAD_INPUT,
                    "train.budget: %d worker%s of %s send%s no bytes, so the run would never end; "
                    "use a budget of samples, rounds or seconds",
                    workers, workers == 1 ? "" : "s", algo->entry.name, workers == 1 ? "s" : "");
    return STATUS_OK;
}
