/*
 * data_samples.h - some samples of a data set, on a terminal or in a picture.
 */
#ifndef CLI_DATA_SAMPLES_H
#define CLI_DATA_SAMPLES_H

#include "base/text.h"
#include "conf/flags.h"
#include "data/dataset.h"

struct data_samples {
    const struct dataset *dataset;
    const struct samples *part; /* train or test */
    int64_t count;
    int64_t *numbers;    /* which samples are shown, the first `count` */
    struct samples read; /* of a source: those that are shown, in memory */
};

/* By --count, --split and --seed; data_samples_release, also after a failure. */
enum status data_samples_choose(const struct flags *f, const struct dataset *d,
                                struct data_samples *s);

void data_samples_release(struct data_samples *s);

/* The name of the class of sample i (mem_free). */
char *data_samples_class(const struct data_samples *s, int64_t i);

/* Images as letters, or lines of numbers. */
void data_samples_show(const struct data_samples *s, struct text *out);

/* --- data_sheet.c --- */

/* The images in rows, each with the name of its class below it, as a PNG file. */
enum status data_sheet_save(const struct data_samples *s, const char *path);

#endif
