/*
 * names.h - the names of the runs of a study, and the selection of runs by name.
 *
 * The full name says everything that varies: <entry>_key=value..._seed=N. The name is that of the
 * run's folder: the full name where a file may be called so. Where it would be too long, or that of
 * a file of the study, or two full names would become the same, it holds a hash of the case. So a
 * name depends on what the run is, not on the other runs, except that a run with a rare letter in a
 * value gets its hash only once another run has the same name without it.
 */
#ifndef STUDY_NAMES_H
#define STUDY_NAMES_H

#include "study/study.h"

/* The name of a run's case: "sync_momentum=0.9"; "run" where nothing varies. mem_free. */
char *names_case(const struct study_run *c);

/* Names all runs, and puts the names into their settings. */
void names_assign(struct study *s);

/*
 * Leaves out all runs but those that a list of names asks for: "sync,async" are entries,
 * "sync_momentum=0.5" is a case or a run, by its folder's name or in full, and * and ? match any
 * letters. Where values have commas themselves, the longest piece that matches something is a
 * name. A name that matches nothing is an error.
 */
enum status names_select(struct study *s, const char *names);

/* The names of the runs, one per line; after a name that does not say everything, the full name. */
void names_list(const struct study *s, struct text *out);

#endif
