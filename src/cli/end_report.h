/*
 * end_report.h - the report that commands write when their runs have ended.
 */
#ifndef CLI_END_REPORT_H
#define CLI_END_REPORT_H

#include "conf/flags.h"
#include "record/metrics_history.h"

/* A row for a flag table. */
#define REPORT_FLAG                                           \
    {                                                         \
        "no-report", NULL, NULL, "write no report.html", NULL \
    }

/* Runs of fewer rounds are trials, and get no page. */
enum { REPORT_ROUNDS_MIN = 10 };

/*
 * Writes report.html into the folder of a run or study; the path, or NULL: --no-report, --no-save,
 * or it could not be written, which is a warning. mem_free.
 */
char *end_report(const struct flags *f, const char *folder);

#endif
