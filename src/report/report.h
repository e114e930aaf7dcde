/*
 * report.h - writes what runs and studies have measured as one page, or as files for a paper.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "record/metrics_history.h"

struct report_request {
    char *const *paths; /* [count] of runs, studies or folders of runs */
    int count;
    const char *out;              /* file or folder; NULL: in the folder of the run or study */
    const char *only;             /* names of runs, with commas; NULL: all */
    struct milestones milestones; /* zeroed: none, or those of the study */
};

/* X(name, what it writes) */
#define REPORT_FORMAT_LIST(X)                                                 \
    X(html, "report.html, a page that needs no network")                      \
    X(md, "report.md, the tables in Markdown")                                \
    X(csv, "report.csv, a row per case, and curves.csv, all measured values") \
    X(svg, "figures/, a picture per file")

/* The path of what was written: mem_free. */
enum status report_write_html(const struct report_request *q, char **written);
enum status report_write_md(const struct report_request *q, char **written);
enum status report_write_csv(const struct report_request *q, char **written);
enum status report_write_svg(const struct report_request *q, char **written);

#endif
