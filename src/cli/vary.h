/*
 * vary.h - lists on the command line, "sync,ps-async", to lists in an experiment's tree, which the
 * study goes through.
 */
#ifndef CLI_VARY_H
#define CLI_VARY_H

#include "conf/node.h"

/*
 * Puts the values of a list where a flag of this name, or this dotted key, would put one. Commas
 * part them, or semicolons where values have commas; always these where a value is a list. `origin`
 * names it in messages.
 */
enum status vary_put(struct node *root, const char *key, const char *values, const char *origin);

#endif
