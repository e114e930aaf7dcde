/*
 * state.h - what a cell would run beside what a folder says was run.
 */
#ifndef STUDY_STATE_H
#define STUDY_STATE_H

#include "study/study.h"

/* What is to be done with a cell; the letters go from the first process to the others. */
enum study_step {
    STUDY_BEGIN = 'b',
    STUDY_GO_ON = 'g', /* from its checkpoint, or from the beginning where there is none */
    STUDY_ANEW = 'a',  /* it is to be longer, and cannot go on from its end: it goes, and begins */
    STUDY_SKIP = 's',  /* it is finished */
    STUDY_LOST = 'd',  /* it diverged, and would again */
    STUDY_LEAVE = 'l', /* it was not asked for, and what its folder has counts */
    STUDY_OMIT = 'o',  /* it was not asked for, and does not count */
};

/*
 * Compares what a cell would run with what its folder says was run. A cell is finished when its
 * result.json says so and nothing that matters is different, and lost when it says that training
 * diverged; more epochs make it go on, or begin anew where what is computed depends on how many
 * there are. A cell that was run with other
 * settings, or longer, is an error that names them: nothing is overwritten.
 */
enum status study_state(const struct study_cell *c, const char *folder, enum study_step *step);

/* Whether a run with these settings (`mine`) is the other one, or that one made longer. */
bool study_may_go_on(const struct node *mine, const struct node *its);

/* Whether a folder holds a run that has come so far as to compute. */
bool study_has_begun(const char *folder);

/*
 * By which a run is found again, whatever it is called: of all its settings, of those that decide
 * what is computed and for how long (threads, traces and the like do not), and of these without how
 * long.
 */
struct study_print {
    uint64_t all, computed, endless;
};
enum status study_print_cell(const struct study_cell *c, struct study_print *p);
enum status study_print_folder(const char *folder, struct study_print *p);

/* Whether what varies in the study has the cell's values in the folder's run. */
bool study_varies_alike(const struct study_cell *c, const char *folder);

/* Every value of the cell's experiment, defaults too, and the launcher's number of workers where
 * none is given. node_free. */
enum status study_effective(const struct study_cell *c, struct node **root);

/* The same as YAML: its experiment.yaml. mem_free. */
enum status study_settings(const struct study_cell *c, char **yaml);

/* Of the values that a run may change when it goes on, those of this cell. */
enum status study_changes(const struct study_cell *c, struct node **over);

#endif
