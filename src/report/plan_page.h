/*
 * plan_page.h - the page in which the way-points of a robot are edited over a floor plan.
 */
#ifndef REPORT_PLAN_PAGE_H
#define REPORT_PLAN_PAGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct plan_page {
    const char *title;
    const char *name; /* of the files that the page saves, without an ending */
    int64_t width, height;
    const void *picture; /* a PNG file of the plan whose opacity is the wall, in any colour */
    size_t picture_bytes;
    const double *waypoints; /* [waypoint_count][2] in [-1, 1]; may be none */
    int64_t waypoint_count;
};

/* One HTML file with all that it needs; write, fsync, rename. */
enum status plan_page_write(const struct plan_page *p, const char *path);

#endif
