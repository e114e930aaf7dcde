/*
 * run_in_folder.h - trains one run of a study in its folder: in the process of the study, or in one
 * of its own (`muster run-one`).
 */
#ifndef STUDY_RUN_IN_FOLDER_H
#define STUDY_RUN_IN_FOLDER_H

#include "study/study.h"
#include "train/run.h"

struct folder_run {
    const char *folder;
    bool resumes;      /* from its checkpoint, or from the beginning where there is none */
    bool save;         /* false: no model, no checkpoints */
    bool is_temporary; /* the folder will be removed: no message names it */
    int argc;          /* the command line, for environment.json */
    char *const *argv;
};

/* Trains, and writes result.json also when the run failed before its first round. Returns the
 * status of the training; release the outcome in any case. */
enum status run_in_folder(const struct study_run *run, const struct folder_run *how,
                          struct run_outcome *outcome);

/* The same of the run that the folder's experiment.yaml describes; resumes where it has begun. */
enum status run_in_folder_described(const struct folder_run *how, struct run_outcome *outcome);

/* Writes the experiment.yaml of the run, with every setting; makes the folder. */
enum status run_in_folder_describe(const struct study_run *run, const char *folder);

#endif
