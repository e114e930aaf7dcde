/*
 * scale.h - what `muster scale` measured, between the runs (scale.c) and their showing
 * (scale_table.c).
 */
#ifndef CLI_SCALE_H
#define CLI_SCALE_H

#include "base/file.h"
#include "base/text.h"

/* One run. NaN where there is nothing to say. */
struct scale_row {
    const char *algorithm, *partition, *model, *dataset; /* borrowed, like the name */
    const char *name;                                    /* of its folder in the output's */
    int64_t workers;
    double batches; /* of each worker in an epoch */
    double seconds; /* of training */
    double speedup, efficiency;
    double test_loss, test_accuracy; /* accuracy as a fraction */
    bool is_run, is_finished;        /* a run that is not finished has failed */
};

struct scale_result {
    const char *folder; /* borrowed */
    struct scale_row *rows;
    int64_t count;
};

/* Of the rows that were run. */
void scale_table(const struct scale_result *r, struct text *out);
void scale_json(const struct scale_result *r, struct text *out);

/* Opens scale.csv to append to; a new or empty file gets the heading, another heading is refused.
 */
enum status scale_csv_open(struct file_log *file, const char *path);
enum status scale_csv_add(struct file_log *file, const struct scale_result *r, int64_t at);

#endif
