/*
 * workers_table.h - what each worker of a run did, as a table for a person. Programs read
 * workers.json (train/workers_json.h).
 */
#ifndef CLI_WORKERS_TABLE_H
#define CLI_WORKERS_TABLE_H

#include "base/text.h"
#include "train/loop/endpoint.h"

/* A row per worker; of more than 32 workers the least, the median and the most of each column. */
void workers_table(const struct run_report *r, struct text *out);

#endif
