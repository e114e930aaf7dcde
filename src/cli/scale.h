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
    const char *algorithm, *partition, *model; /* borrowed */
    char *dataset, *run_dir;                   /* NULL: the run never got so far */
    int64_t workers;
    double batches; /* of each worker in an epoch */
    double seconds; /* of training */
    double speedup, efficiency;
    double test_loss, test_accuracy; /* accuracy as a fraction */
    bool is_finished;
};

void scale_table(const struct scale_row *rows, int64_t count, struct text *out);
void scale_json(const struct scale_row *rows, int64_t count, const char *folder, struct text *out);

/* Opens scale.csv to append to; a new or empty file gets the heading, another heading is refused.
 */
enum status scale_csv_open(struct file_log *file, const char *path);
enum status scale_csv_add(struct file_log *file, const struct scale_row *row);

#endif
