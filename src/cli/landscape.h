/*
 * landscape.h - the parts of `muster landscape`.
 */
#ifndef CLI_LANDSCAPE_H
#define CLI_LANDSCAPE_H

#include "conf/flags.h"
#include "report/table.h"
#include "study/landscape.h"

/* `--between`: measures, writes between.html and prints the barriers. */
enum status landscape_between_print(const struct flags *f, const struct landscape_request *q);

/* The plane in words, the table with its note, and a row per snapshot. */
void landscape_show_summary(const struct landscape *l, struct text *out);
void landscape_show_table(const struct table *t, struct text *out);
void landscape_show_path(const struct landscape *l, struct text *out);

#endif
