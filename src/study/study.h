/*
 * study.h - an experiment of many runs, from its file to the table that compares them.
 *
 *     study_read     the file, to a tree in the canonical schema (train/experiment.h), beside
 *                    whose keys there may be lists, `runs`, `baselines`, `quick` and `output`
 *     study_new      every combination as a cell: one run with its own experiment
 *     study_check    all cells, before anything is computed
 *     study_run      the cells one after the other, each in its folder; what is finished is skipped
 *     study_table    a row per combination, means and spreads over its seeds (study/table.h)
 *
 * A list is a sweep over its values, unless the key's value is a list by nature (model.layers,
 * model.widths). Cells are in the order of the file, the last key fastest, seeds innermost. Cells
 * with the same seed share initial weights, data subsets and graph, because random numbers are
 * functions of the seed and a purpose.
 */
#ifndef STUDY_STUDY_H
#define STUDY_STUDY_H

#include "conf/node.h"
#include "study/output.h"

/*
 * Reads an experiment file to the canonical tree. `given` gets the file's text as it stands, for
 * the copy in the output folder; text_release. A file in another layout is translated here, its
 * positions kept, so that whoever calls this knows one layout only.
 */
enum status study_read(const char *path, struct text *given, struct node **root);

/* One value of a combination. */
struct study_value {
    char *path; /* "optimizer.momentum" */
    char *key;  /* as it is shown: "momentum"; "model" for model.name */
    char *text; /* "0.9" */
};

struct study_values {
    struct study_value *items;
    int64_t count;
};

/* One run. */
struct study_cell {
    char *run;                  /* its name in `runs` or `baselines`; NULL: there are none */
    struct study_values values; /* what varies, in the order of the file; without the seed */
    char *seed;                 /* NULL: the seed does not vary */
    char *full_name;            /* <run>[_key=value...][_seed=N]; NULL: the study is single */
    char *name;                 /* the same as a folder may be called: see names.h */
    int64_t combination;        /* cells that differ in the seed alone follow each other with it */
    struct node *root;          /* its experiment */
    bool is_left_out;           /* study_select did not keep it: neither run nor shown */
};

struct study {
    char *name;
    struct study_output output;
    bool is_single; /* a file without lists, runs and output: one run as of `muster train` */
    int64_t count, combinations;
    struct study_cell *cells;
    struct node *root; /* what is run, in full, without `quick`: makes the same cells again */
};

struct study_options {
    const char *name;        /* of a study that has none */
    const struct node *over; /* laid over everything: what flags set; NULL: nothing */
    bool quick;              /* lay `quick` over everything */
    bool is_many;            /* also one run alone is a study with a table */
};

enum { STUDY_CELLS_MAX = 10000 };

/* On failure nothing is left behind. Copies what it needs. */
enum status study_new(const struct node *root, const struct study_options *options,
                      struct study **study);
void study_free(struct study *s); /* NULL is fine */

/*
 * Leaves out all cells but those that a list of names asks for: "sync,async" are runs,
 * "sync_momentum=0.5" is a combination or a cell, by its folder's name or in full, and * and ?
 * stand for any letters. Where values have commas themselves, the longest piece that fits
 * something is a name. A name that fits nothing is an error.
 */
enum status study_select(struct study *s, const char *names);

/*
 * Reads and checks every cell that is not left out: whatever a run would refuse before it begins to
 * train. A cell that has a result in the folder `out` may lack its data.
 */
struct study_check {
    const char *out;    /* the study's folder, new or of an earlier call; NULL: a new one */
    bool may_lack_data; /* the data need not be there: the study is only shown */
};
enum status study_check(const struct study *s, const struct study_check *how);

#endif
