/*
 * upgrade_folder.h - the folder of one run whose file has become a study since.
 */
#ifndef STUDY_UPGRADE_FOLDER_H
#define STUDY_UPGRADE_FOLDER_H

#include "study/study.h"

/* Whether it is a folder with one run, as `muster train` makes it. */
bool upgrade_folder_is_single_run(const char *folder);

/*
 * If the folder's run is one of the study's, moves its files to the run's own folder, as every run
 * of a study has one, and writes a results.json that marks the folder as a study's. Else nothing is
 * changed, and *found is false. The caller has the lock.
 */
enum status upgrade_folder(const struct study *s, const char *folder, bool *found);

#endif
