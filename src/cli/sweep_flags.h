/*
 * sweep_flags.h - lists on the command line, "sync,ps-async", to lists in a study's tree, which are
 * a sweep.
 */
#ifndef CLI_SWEEP_FLAGS_H
#define CLI_SWEEP_FLAGS_H

#include "conf/node.h"

/*
 * Puts the values of a list where a flag of this name, or this dotted key, would put one. Commas
 * separate them, or semicolons where values have commas; always these where a value is a list.
 * `origin` names it in messages.
 */
enum status sweep_flags_put(struct node *root, const char *key, const char *values,
                            const char *origin);

#endif
