/*
 * page.h - the page of a report: HTML with style, scripts, data and pictures inside.
 */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "report/subject.h"

/* Reads the runs one after the other. What does not read is named on the page. `landscape` is the
 * path of a page to link to, from where this one will be; NULL: there is none. */
void page_write(const struct subject *s, const char *landscape, struct text *out);

#endif
