/*
 * registry.c - the registries of optimisers (list.h) and of schedules (schedule_list.h).
 */
#include "conf/registry.h"

#include "optim/list.h"
#include "optim/schedule_list.h"

#define ENTRY(symbol) &symbol.entry,

static const struct entry *const optim_entries[] = {OPTIM_LIST(ENTRY) NULL};
static const struct entry *const schedule_entries[] = {SCHEDULE_LIST(ENTRY) NULL};

const struct registry optim_registry = {
    .what = "optimizer",
    .section = "optimizer",
    .entries = optim_entries,
};

const struct registry schedule_registry = {
    .what = "schedule",
    .section = "schedule",
    .entries = schedule_entries,
};
