/*
 * path.c - see path.h.
 */
#include "data/lidar/path.h"

#include <math.h>

#include "base/check.h"
#include "base/mem.h"
#include "data/lidar/cubic.h"

static double *coordinates_of(const struct waypoints *w, bool is_y)
{
    double *c = MEM_NEW_N(double, w->count + 2);

    for (int64_t i = 0; i < w->count; i++)
        c[i + 1] = is_y ? w->points[i].y : w->points[i].x;
    cubic_solve(c, w->count);
    return c;
}

void lidar_path_init(struct lidar_path *p, const struct waypoints *w, int64_t resolution,
                     int64_t width, int64_t height)
{
    CHECK(w->count >= WAYPOINTS_MIN && resolution >= 1);
    double *x = coordinates_of(w, false), *y = coordinates_of(w, true);
    const double last = (double)(w->count - 1);

    p->count = resolution * (w->count - 1);
    p->points = MEM_NEW_N(struct lidar_point, p->count);
    for (int64_t i = 0; i < p->count; i++) {
        const double at = i == p->count - 1 ? last : (double)i * (last / (double)(p->count - 1));

        p->points[i].x = cubic_at(x, w->count, at) * ((double)width / 2);
        p->points[i].y = cubic_at(y, w->count, at) * ((double)height / 2);
    }
    mem_free(x);
    mem_free(y);
}

void lidar_path_release(struct lidar_path *p)
{
    mem_free(p->points);
    *p = (struct lidar_path){0};
}

enum status lidar_path_check(const struct lidar_path *p, const struct lidar *l, const char *name)
{
    const double x_max = (double)lidar_width(l) / 2, y_max = (double)lidar_height(l) / 2;

    for (int64_t i = 0; i < p->count; i++) {
        const struct lidar_point at = p->points[i];
        const bool is_inside = fabs(at.x) <= x_max && fabs(at.y) <= y_max;

        if (!is_inside || !lidar_is_free(l, at))
            return FAIL(STATUS_BAD_INPUT, "%s: the path %s at point %lld of %lld, (%.2f, %.2f)",
                        name, is_inside ? "runs through a wall" : "leaves the plan",
                        (long long)i + 1, (long long)p->count, at.x, at.y);
    }
    return STATUS_OK;
}

enum status lidar_path_load(struct lidar_path *p, const char *file, int64_t resolution,
                            const struct lidar *l)
{
    struct waypoints w;

    *p = (struct lidar_path){0};
    TRY(waypoints_read(&w, file));
    lidar_path_init(p, &w, resolution, lidar_width(l), lidar_height(l));
    waypoints_release(&w);
    const enum status s = lidar_path_check(p, l, file);
    if (s != STATUS_OK)
        lidar_path_release(p);
    return s;
}
