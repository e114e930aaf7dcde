/*
 * evaluate.h - what the files of `muster evaluate` share: what is asked for, what was measured, and
 * how it is shown.
 */
#ifndef CLI_EVALUATE_H
#define CLI_EVALUATE_H

#include "base/json.h"
#include "train/saved_model.h"

enum { EVALUATE_PARTS = PART_TEST + 1 };

/* What to measure, and what to show. */
struct evaluate_request {
    bool parts[EVALUATE_PARTS]; /* by enum problem_part */
    bool classes, confusion;
    const char *map;         /* the file that gets the map of the model, or NULL */
    bool is_table;           /* of several models: a part without samples is left out */
    const struct node *over; /* settings that override those of the models */
};

/* --- evaluate_model.c: one model --- */

/* One part of one model. */
struct evaluate_part {
    bool is_measured;
    struct evaluation evaluation; /* its confusion is owned */
};

struct evaluated_model {
    struct saved_model saved;
    struct evaluate_part parts[EVALUATE_PARTS];
    double seconds; /* of the run's training; NaN: not known */
};

/* Opens and measures; after a failure there is nothing to release. */
enum status evaluate_model_open(struct evaluated_model *m, const char *path,
                                const struct evaluate_request *r);
void evaluate_model_release(struct evaluated_model *m);

/* A metric of a part; NaN: it was not measured, or the problem has none of this name. */
double evaluate_model_value(const struct evaluated_model *m, enum problem_part part,
                            const char *metric);

/* The accuracy on the training samples less that on the test samples; NaN: not known. */
double evaluate_model_gap(const struct evaluated_model *m);

/* --- evaluate_show.c: one model, for people and as JSON --- */

void evaluate_show_text(const struct evaluated_model *m, const struct evaluate_request *r,
                        struct text *out);
void evaluate_show_json(const struct evaluated_model *m, const char *path, struct json *j);

/* --- evaluate_map.c: the map of one model --- */

/* Before anything is measured; path NULL: no map is asked for. */
enum status evaluate_map_check(const char *path);
enum status evaluate_map_write(const struct evaluated_model *m, const char *path);

/* --- evaluate_table.c: several models --- */

struct evaluate_row {
    char *name, *file, *model, *dataset; /* owned; dataset NULL: none */
    double loss[EVALUATE_PARTS], accuracy[EVALUATE_PARTS];
    double gap, seconds; /* NaN: not known, like those above */
};

/* Zeroed it is empty. */
struct evaluate_table {
    int64_t count;
    struct evaluate_row *rows;
};

void evaluate_table_add(struct evaluate_table *t, const struct evaluated_model *m,
                        const char *path);
void evaluate_table_text(const struct evaluate_table *t, struct text *out);
void evaluate_table_csv(const struct evaluate_table *t, struct text *out);
void evaluate_table_release(struct evaluate_table *t);

#endif
