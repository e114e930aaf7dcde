/*
 * consensus_row.h - the last row of consensus.jsonl: how far the models of a graph's nodes are from
 * each other at the end of a run (docs/reference/formats.md).
 */
#ifndef RECORD_CONSENSUS_ROW_H
#define RECORD_CONSENSUS_ROW_H

#include <stdint.h>

#include "base/status.h"

struct consensus_row {
    int64_t round, nodes;
    double *from_mean, *from_mean_normalized; /* [nodes]; NaN: not finite; NULL: absent */
    double *raw, *normalized;                 /* [nodes][nodes]; NULL: not measured */
};

/*
 * Only the end of the file is read. A last row that was cut off is left out. Without a row nodes is
 * 0; a missing file is an error.
 */
enum status consensus_row_read_last(const char *run_dir, struct consensus_row *row);
void consensus_row_release(struct consensus_row *row); /* may be called twice */

#endif
