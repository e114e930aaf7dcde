/*
 * plan.h - the verbs of `muster plan`; argv[0] is the verb.
 */
#ifndef CLI_PLAN_H
#define CLI_PLAN_H

#include "base/status.h"
#include "base/text.h"
#include "data/floor_plan.h"

/* How a PNG file begins, for command_check_target. */
#define PLAN_PNG_BEGINS "\x89PNG"

enum status plan_make(int argc, char **argv);
enum status plan_path(int argc, char **argv);
enum status plan_prepare(int argc, char **argv);
enum status plan_show(int argc, char **argv);
enum status plan_edit(int argc, char **argv);

/* "2167 x 1608 pixels, 31.8 % wall, 1 connected free area" */
void plan_add_facts(struct text *out, const struct floor_plan *p);

#endif
