/*
 * landscape_page.h - the page of a loss landscape: surface, contours, paths and losses along them.
 */
#ifndef REPORT_LANDSCAPE_PAGE_H
#define REPORT_LANDSCAPE_PAGE_H

#include "record/landscape.h"

/* A page that needs no network, like the report. */
enum status landscape_page_write(const struct landscape *l, const char *path);

#endif
