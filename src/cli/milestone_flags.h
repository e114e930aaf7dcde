/*
 * milestone_flags.h - the flags that ask how good runs were at an amount of work, and when they
 * reached a target.
 */
#ifndef CLI_MILESTONE_FLAGS_H
#define CLI_MILESTONE_FLAGS_H

#include "conf/flags.h"
#include "record/metrics_history.h"

/* Rows for a flag table. */
#define MILESTONE_FLAGS                                                                      \
    {"at", NULL, "UNIT:N",                                                                   \
     "also show the last evaluation at or before samples:N, epochs:N, rounds:N, bytes:N or " \
     "seconds:N",                                                                            \
     NULL},                                                                                  \
        {"target", NULL, "ACCURACY",                                                         \
         "also show what each run used to reach this accuracy, such as 0.9 or 90%", NULL},   \
    {                                                                                        \
        "target-loss", NULL, "X", "the same for a loss", NULL                                \
    }

enum status milestone_flags_read(const struct flags *f, struct milestones *m);

#endif
