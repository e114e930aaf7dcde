/*
 * input_paths.h - the files and folders that a study's settings name.
 */
#ifndef STUDY_INPUT_PATHS_H
#define STUDY_INPUT_PATHS_H

#include "conf/node.h"

/* Makes their paths absolute, in the tree of a study: it then means the same in any folder. */
void input_paths_make_absolute(struct node *root);

#endif
