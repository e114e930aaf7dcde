/*
 * robots_page.h - the page on which robots drive: their positions, links and growing maps, with one
 * slider for the time of all runs.
 */
#ifndef REPORT_ROBOTS_PAGE_H
#define REPORT_ROBOTS_PAGE_H

#include "report/subject.h"

/* Whether a run of the subject has maps to show. */
bool robots_page_has(const struct subject *s);

/* A page that needs no network, like the report. Of runs with many robots or records it shows some
 * of them. A damaged maps.bin is left out with a warning. */
enum status robots_page_write(const struct subject *s, const char *path);

#endif
