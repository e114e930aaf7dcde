/*
 * study_landscape.h - the landscape that a study ends with, if its file has a section `landscape`.
 */
#ifndef CLI_STUDY_LANDSCAPE_H
#define CLI_STUDY_LANDSCAPE_H

#include "study/runner.h"

/*
 * Writes landscape.html and its files into the folder of a study that has run: the path of the
 * first finished run of each case, unless it came to nothing, and a table with means over all of
 * them. *page gets its path (mem_free), or NULL.
 */
enum status study_landscape(const struct study *s, const struct runner_outcome *o, char **page);

#endif
