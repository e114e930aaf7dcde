/*
 * landscape.h - the parts of `muster landscape`.
 */
#ifndef CLI_LANDSCAPE_H
#define CLI_LANDSCAPE_H

#include "conf/flags.h"
#include "report/table.h"
#include "study/landscape.h"

/* The runs that the user names, each once; rundir_list_release. */
enum status landscape_runs_find(const struct flags *f, struct rundir_list *runs);

/*
 * Those of them that one landscape is of. The weights of a run that came to nothing may be so far
 * away that nothing of the others would be seen: of a folder, such runs are left out if others
 * remain. Of `--between` it is runs without a model. mem_free its paths, which are borrowed.
 */
struct rundir_list landscape_runs_choose(const struct flags *f, const struct rundir_list *runs);

/* `--between`: measures, writes between.html and prints the barriers. */
enum status landscape_between_print(const struct flags *f, const struct landscape_request *q);

/* The plane in words, the table with its note, and a row per snapshot. */
void landscape_show_summary(const struct landscape *l, struct text *out);
void landscape_show_table(const struct table *t, struct text *out);
void landscape_show_path(const struct landscape *l, struct text *out);

#endif
