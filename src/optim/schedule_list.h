/*
 * schedule_list.h - the schedules, in the order that lists and help show them.
 * Adding one: its file under schedules/, its line here, its name in CMakeLists.txt.
 */
#ifndef OPTIM_SCHEDULE_LIST_H
#define OPTIM_SCHEDULE_LIST_H

#include "optim/schedule.h"

#define SCHEDULE_LIST(X)    \
    X(constant_schedule)    \
    X(linear_schedule)      \
    X(geometric_schedule)   \
    X(exponential_schedule) \
    X(cosine_schedule)      \
    X(step_schedule)        \
    X(onecycle_schedule)

#define SCHEDULE_DECLARE(symbol) extern const struct schedule_ops symbol;
SCHEDULE_LIST(SCHEDULE_DECLARE)
#undef SCHEDULE_DECLARE

#endif
