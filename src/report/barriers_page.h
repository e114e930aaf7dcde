/*
 * barriers_page.h - the page of losses on the lines between models.
 */
#ifndef REPORT_BARRIERS_PAGE_H
#define REPORT_BARRIERS_PAGE_H

#include "record/barriers.h"

/* A page without scripts that needs no network. */
enum status barriers_page_write(const struct barriers *b, const char *path);

#endif
