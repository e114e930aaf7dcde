/*
 * output.h - the section `output` of a study: where its folder is made, and whether it stays. Its
 * other keys are those of its runs.
 */
#ifndef STUDY_OUTPUT_H
#define STUDY_OUTPUT_H

#include <stdbool.h>

#include "conf/field.h"

/* What runs measured, for torch.load, in the folder of the study. */
enum output_results {
    OUTPUT_RESULTS_NONE,
    OUTPUT_RESULTS_NAMED,    /* <run>_results.pt */
    OUTPUT_RESULTS_NUMBERED, /* 0_results.pt, 1_results.pt, ... in the order of the runs */
};

/* Which maps of robots those files have. */
enum output_maps { OUTPUT_MAPS_NONE, OUTPUT_MAPS_LAST, OUTPUT_MAPS_ALL };

struct study_output {
    char *dir;             /* the dated folder is made in this one */
    bool write;            /* false: the runs leave no file */
    int results;           /* enum output_results */
    int64_t results_batch; /* 0: validation_loss is a mean there */
    int results_maps;      /* enum output_maps */
    char *models;          /* NULL: none; "all", or entries of `runs` by commas */
};

extern const struct field output_fields[];

/* Whether a section `output` has a key that is not about single runs, or is not a map. */
bool output_is_about_study(const struct node *section);

/* Leaves in a tree what each of the runs has of the section (struct run_output_options). */
void output_keep_for_runs(struct node *root);

#define OUTPUT_MODELS_ALL "all"

/* The next of names with commas between them, and moves on; NULL: there are no more. mem_free. */
char *output_next_name(const char **list);

/* Whether <run>_models.pt is written for the runs of an entry; NULL: those of a study without
 * entries. */
bool output_wants_models(const struct study_output *o, const char *entry);

/* Of a study's tree; what is not given takes its default. On failure nothing is left behind. */
enum status output_read(struct study_output *o, const struct node *root);
void output_release(struct study_output *o);

#endif
