/*
 * settings.h - all settings of a run of a study, and those that the run in a folder had.
 */
#ifndef STUDY_SETTINGS_H
#define STUDY_SETTINGS_H

#include "study/study.h"

/* Every value of the run's settings, including defaults, and the launcher's number of workers where
 * none is given. node_free. */
enum status settings_effective(const struct study_run *c, struct node **root);

/* The same without the name, which decides nothing: it changes when the file grows. */
enum status settings_unnamed(const struct study_run *c, struct node **root);

/* The same as YAML: its experiment.yaml. mem_free. */
enum status settings_yaml(const struct study_run *c, char **yaml);

/* Of the values that may change when a run is resumed, those of this run. */
enum status settings_changes(const struct study_run *c, struct node **over);

/* The settings of the run in a folder: every value that was used, without its name. */
enum status settings_of_folder(const char *folder, struct node **its);

/* Whether the value at this path is the length of the run, in epochs or rounds. */
bool settings_is_length(const char *path);

/* Whether two values are the same; NULL: not given. */
bool settings_same(const struct node *a, const struct node *b);

/* Whether the folder's run has the run's values of what varies in the study. */
bool settings_vary_alike(const struct study_run *c, const char *folder);

#endif
