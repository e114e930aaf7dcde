/*
 * landscape_page.h - the page of a loss landscape: a table of the runs, surface, contours, paths
 * and losses along them.
 */
#ifndef REPORT_LANDSCAPE_PAGE_H
#define REPORT_LANDSCAPE_PAGE_H

#include "record/landscape.h"
#include "report/table.h"

/* A page that needs no network, like the report. The table is of landscape_table.h: a row that is
 * named like a run of the landscape gets the colour of its path. */
enum status landscape_page_write(const struct landscape *l, const struct table *table,
                                 const char *path);

#endif
