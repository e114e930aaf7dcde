/*
 * activity.h - what a worker does at a time, with the same name and colour in every figure.
 */
#ifndef REPORT_ACTIVITY_H
#define REPORT_ACTIVITY_H

#include "report/legend.h"

/* clang-format off */
/* X(constant, name, colour). The first four are those of workers.json. */
#define ACTIVITY_LIST(X)                             \
    X(COMPUTING,    "computing",    SVG_FILL_0)      \
    X(WAITING,      "waiting",      SVG_FILL_4)      \
    X(TRANSFERRING, "transferring", SVG_FILL_2)      \
    X(SLEEPING,     "sleeping",     SVG_FILL_3)      \
    X(EVALUATING,   "evaluating",   SVG_FILL_5)
/* clang-format on */

enum activity {
#define ACTIVITY_CONSTANT(constant, name, colour) ACTIVITY_##constant,
    ACTIVITY_LIST(ACTIVITY_CONSTANT)
#undef ACTIVITY_CONSTANT
        ACTIVITIES,
    ACTIVITIES_OF_WORKERS = ACTIVITY_EVALUATING
};

extern const struct legend_entry activity_entries[ACTIVITIES];

#endif
