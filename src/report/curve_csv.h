/*
 * curve_csv.h - every measured value of the runs of a report, a row each.
 */
#ifndef REPORT_CURVE_CSV_H
#define REPORT_CURVE_CSV_H

#include "report/subject.h"

/* curves.csv in the folder: case, run, seed, worker (-1: the run), round, epoch, samples,
 * gradients, bytes, seconds, metric, value. */
enum status curve_csv_write(const struct subject *s, const char *folder);

#endif
