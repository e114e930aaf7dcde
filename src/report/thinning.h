/*
 * thinning.h - which rows of long curves are kept, so that a page stays small and peaks stay
 * visible.
 */
#ifndef REPORT_THINNING_H
#define REPORT_THINNING_H

#include "record/metric_table.h"

/* Series of one worker that stand in the same rows of metrics.jsonl, and what is kept of them. */
struct thinned {
    const struct metric_series **series; /* [series_count]; borrowed */
    int64_t series_count;
    int64_t *kept; /* [kept_count], ascending: places in the series' rows and values */
    int64_t kept_count;
};

struct thinned_list {
    struct thinned *items;
    int64_t count;
};

/*
 * All series of a worker, in groups of the same rows. Of a group with more than `limit` rows the
 * rows are cut into pieces of equal length; of each piece the first row and, for every series, the
 * rows of its least and greatest value are kept. The last row is always kept.
 */
void thinned_init(struct thinned_list *l, const struct metric_table *t, int64_t worker,
                  int64_t limit);
void thinned_release(struct thinned_list *l);

#endif
