/*
 * table.h - the comparison: a row per combination, means and spreads over its seeds.
 */
#ifndef STUDY_TABLE_H
#define STUDY_TABLE_H

#include "study/result.h"
#include "study/study.h"

/* Over the seeds that finished. The spread is the standard deviation of a sample (n - 1). */
struct study_mean {
    double mean;   /* NaN: no seed has such a number */
    double spread; /* NaN: fewer than two seeds have it */
};

struct study_row {
    const struct study_cell *cell; /* borrowed: the first of the combination */
    int64_t seeds, failed;         /* how many finished, how many failed */
    int64_t waiting;               /* how many have not run */
    int64_t diverged;              /* how many came to nothing (study_result_diverges) */
    struct study_mean numbers[STUDY_NUMBERS];
};

struct study_table {
    const struct study *study;          /* borrowed */
    const struct study_result *results; /* borrowed; [study->count] */
    struct study_row *rows;             /* in the order of the cells */
    int64_t count;
    bool is_whole; /* cells that are left out are in it, too */
};

/* Of all cells, or of those that are not left out. */
void study_table_init(struct study_table *t, const struct study *s,
                      const struct study_result *results);
void study_table_init_kept(struct study_table *t, const struct study *s,
                           const struct study_result *results);
bool study_table_shows(const struct study_table *t, int64_t cell);
void study_table_release(struct study_table *t);

/* For people; as CSV with a heading; as JSON with the rows and every cell (folder may be
 * NULL). */
void study_table_text(const struct study_table *t, struct text *out);
void study_table_csv(const struct study_table *t, struct text *out);
struct judgements; /* published.h; NULL: nothing was published about it */
void study_table_json(const struct study_table *t, const char *folder,
                      const struct judgements *judged, struct text *out);

/* The cells of a study, one name a line; behind one that does not say all, the full name. */
void study_list_text(const struct study *s, struct text *out);

#endif
