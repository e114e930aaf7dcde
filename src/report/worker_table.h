/*
 * worker_table.h - what each worker of a run did, as a table of its report.
 */
#ifndef REPORT_WORKER_TABLE_H
#define REPORT_WORKER_TABLE_H

#include "record/workers.h"
#include "report/table.h"

/* No rows: there is one worker, or there are more than WORKER_TABLE_MAX. table_release. */
enum { WORKER_TABLE_MAX = 100 };
void worker_table(const struct record_workers *w, struct table *t);

#endif
