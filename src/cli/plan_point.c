/*
 * plan_point.c - see plan_point.h.
 */
#include "cli/plan_point.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

enum status plan_point_read(const char *flag, const char *given, const struct floor_plan *p,
                            struct lidar_point *at)
{
    const double x_max = (double)p->width / 2, y_max = (double)p->height / 2;
    const char *comma = strchr(given, ',');
    char *x = mem_text_n(given, comma == NULL ? 0 : (size_t)(comma - given));
    const bool is_point =
        comma != NULL && text_to_double(x, &at->x) && text_to_double(comma + 1, &at->y);

    mem_free(x);
    if (!is_point)
        return FAIL(STATUS_BAD_INPUT, "--%s: \"%s\" is not a place such as 120,-35.5", flag, given);
    if (!(fabs(at->x) <= x_max && fabs(at->y) <= y_max))
        return FAIL(STATUS_BAD_INPUT,
                    "--%s: (%g, %g) is outside the plan, which is from (%g, %g) to (%g, %g)", flag,
                    at->x, at->y, -x_max, -y_max, x_max, y_max);
    return STATUS_OK;
}
