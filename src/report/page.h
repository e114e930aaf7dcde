/*
 * page.h - the page of a report: HTML with style, scripts, data and pictures inside.
 */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "report/subject.h"

/* NULL: there is no such page. */
struct page_links {
    const char *landscape, *robots;
};

/* Reads the runs one after the other. What does not read is named on the page. The links are
 * paths of other pages, from where this one will be. */
void page_write(const struct subject *s, const struct page_links *links, struct text *out);

#endif
