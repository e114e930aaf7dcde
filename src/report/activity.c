/*
 * activity.c - names and colours of what workers do.
 */
#include "report/activity.h"

#define ACTIVITY_ENTRY(constant, text, paint) \
    [ACTIVITY_##constant] = {.name = (text), .colour = (paint)},
const struct legend_entry activity_entries[ACTIVITIES] = {ACTIVITY_LIST(ACTIVITY_ENTRY)};
