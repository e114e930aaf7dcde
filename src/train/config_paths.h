/*
 * config_paths.h - the files and folders that settings name: the values of all options that are
 * paths (FIELD_PATH), in the tree of a run config or of a study.
 */
#ifndef TRAIN_CONFIG_PATHS_H
#define TRAIN_CONFIG_PATHS_H

#include "conf/node.h"

/* Makes them absolute: the tree then means the same in any current folder. */
void config_paths_make_absolute(struct node *root);

/* Leaves the last name of each: the tree then is the same wherever the files are. */
void config_paths_drop_folders(struct node *root);

/* Gives those of a run config the folders that they have in `known`, where the last names are the
 * same. */
void config_paths_find_folders(struct node *root, const struct node *known);

#endif
