/*
 * registry.c - look-up in the list of algorithms (list.h).
 */
#include <stddef.h>

#include "algo/list.h"
#include "base/check.h"

#define ALGO_ENTRY(symbol) &symbol.entry,
static const struct entry *const entries[] = {ALGO_LIST(ALGO_ENTRY) NULL};

const struct registry algo_registry = {
    .what = "algorithm",
    .section = "algorithm",
    .entries = entries,
};

enum status algo_round(const struct algo_ops *a, struct worker *w)
{
    CHECK(w->problem != NULL && w->optim != NULL && w->state != NULL && w->gradient != NULL);
    w->result = (struct round_result){0};
    return a->round(w);
}
