/* registry.c - the problems that can be chosen by name (list.h). */
#include "problem/list.h"

#define PROBLEM_ENTRY(symbol) &symbol.entry,
static const struct entry *const entries[] = {PROBLEM_LIST(PROBLEM_ENTRY) NULL};

const struct registry problem_registry = {
    .what = "problem",
    .section = "problem",
    .entries = entries,
};
