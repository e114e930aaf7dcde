/*
 * single.h - the folder of one run, whose file has become an experiment since.
 */
#ifndef STUDY_SINGLE_H
#define STUDY_SINGLE_H

#include "study/study.h"

/* Whether it is a folder as `muster train` makes it, with one run. */
bool single_is_folder(const char *folder);

/*
 * Makes the run that the folder holds one of the study's, if it is one of them: its files come
 * together in the run's own folder, as cells have them, and a results.json says what the folder is
 * now. Else nothing is changed, and *found is false. The caller has the lock.
 */
enum status single_take_over(const struct study *s, const char *folder, bool *found);

#endif
