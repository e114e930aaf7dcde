/*
 * common_settings.h - what all runs of a report have in common, in one line.
 */
#ifndef REPORT_COMMON_SETTINGS_H
#define REPORT_COMMON_SETTINGS_H

#include "report/subject.h"

/* "lenet5 on figures, sgd, lr 0.02, 4 workers, batches of 32, 6 epochs"; adds nothing if no run can
 * be read. */
void common_settings(const struct subject *s, struct text *out);

#endif
