/*
 * robot_paths.c - see robot_paths.h.
 */
#include "data/lidar/robot_paths.h"

#include <string.h>

#include "base/mem.h"
#include "data/lidar/plan_cover.h"

enum { MORE_MAX = 8 }; /* times as many way-points as were asked for */

void robot_paths_release(struct robot_paths *p)
{
    for (int64_t i = 0; i < p->count; i++)
        lidar_path_release(&p->paths[i]);
    mem_free(p->paths);
    *p = (struct robot_paths){0};
}

static void paths_alloc(struct robot_paths *p, int64_t count)
{
    p->count = count;
    p->paths = MEM_NEW_N(struct lidar_path, count);
}

/* Whether so many places more than those of the robots before `robot` are still allowed. */
static enum status check_places(const struct robot_paths *p, const struct robot_paths_request *q,
                                int64_t robot, int64_t more)
{
    int64_t places = more;

    for (int64_t i = 0; i < robot; i++)
        places += p->paths[i].count;
    if (places <= q->scans_max)
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT,
                "data.spline_resolution: %lld scans between two way-points are too many; with this "
                "lidar all paths together have at most %lld scans",
                (long long)q->resolution, (long long)q->scans_max);
}

/* --- from files --- */

static enum status load_files(struct robot_paths *p, const struct robot_paths_request *q,
                              const struct waypoint_files *files)
{
    if (q->robots > files->count)
        return FAIL(STATUS_BAD_INPUT, "data.robots: %lld robots, but %s has way-points of %lld",
                    (long long)q->robots, q->folder, (long long)files->count);
    paths_alloc(p, q->robots > 0 ? q->robots : files->count);
    for (int64_t i = 0; i < p->count; i++) {
        TRY(check_places(p, q, i, q->resolution * (WAYPOINTS_MIN - 1)));
        TRY(lidar_path_load(&p->paths[i], files->paths[i], q->resolution, q->lidar));
    }
    return check_places(p, q, p->count, 0);
}

static enum status load_folder(struct robot_paths *p, const struct robot_paths_request *q)
{
    struct waypoint_files files;

    TRY(waypoint_files_find(&files, q->folder));
    const enum status s = load_files(p, q, &files);
    waypoint_files_release(&files);
    return s;
}

/* --- generated --- */

/* The steps of the route between two of about this many way-points. */
static int64_t spacing_of(const struct plan_route *route, int64_t waypoints)
{
    return (route->count + waypoints - 2) / (waypoints - 1);
}

/* False: the spline through the way-points touches a wall. */
static bool try_waypoints(const struct robot_paths_request *q, const struct plan_route *route,
                          int64_t spacing, struct lidar_path *path)
{
    struct waypoints w = {0};

    plan_route_thin(route, spacing, q->plan->width, q->plan->height, &w);
    lidar_path_init(path, &w, q->resolution, q->plan->width, q->plan->height);
    waypoints_release(&w);
    if (lidar_path_check(path, q->lidar, "") == STATUS_OK)
        return true;
    lidar_path_release(path);
    return false;
}

/* A closed loop. The farther apart way-points are, the more a spline through them cuts corners. */
static enum status generate_path(struct planner *planner, const struct robot_paths_request *q,
                                 const struct plan_cell *loop, struct robot_paths *p, int64_t robot)
{
    struct plan_route route = {0};
    bool is_free = false;

    TRY(planner_visit(planner, loop, q->stops + 1, &route));
    enum status s = STATUS_OK;
    for (int64_t more = 1; more <= MORE_MAX && !is_free && s == STATUS_OK; more *= 2) {
        const int64_t spacing = spacing_of(&route, more * q->waypoints);

        s = check_places(p, q, robot, (route.count - 1) / spacing * q->resolution);
        is_free = s == STATUS_OK && try_waypoints(q, &route, spacing, &p->paths[robot]);
    }
    plan_route_release(&route);
    if (is_free || s != STATUS_OK)
        return s;
    return FAIL(STATUS_BAD_INPUT,
                "data.waypoints: a path of %lld way-points through %lld places of this plan does "
                "not keep clear of the walls; use more way-points or fewer stops",
                (long long)q->waypoints, (long long)q->stops);
}

static enum status generate_all(struct planner *planner, const struct robot_paths_request *q,
                                struct robot_paths *p)
{
    struct plan_cell *places = MEM_NEW_N(struct plan_cell, p->count * q->stops);
    struct plan_cell *loop = MEM_NEW_N(struct plan_cell, q->stops + 1);
    enum status s = plan_cover_make(
        planner, &(struct plan_cover){q->seed, .robots = p->count, .stops = q->stops}, places);

    for (int64_t i = 0; i < p->count && s == STATUS_OK; i++) {
        memcpy(loop, places + i * q->stops, (size_t)q->stops * sizeof *loop);
        loop[q->stops] = loop[0];
        s = generate_path(planner, q, loop, p, i);
    }
    mem_free(loop);
    mem_free(places);
    return s;
}

static enum status generate(struct robot_paths *p, const struct robot_paths_request *q)
{
    const int64_t width = q->plan->width, height = q->plan->height;
    const int64_t usual = (width < height ? width : height) / 60;
    const struct planner_options options = {
        .clearance = q->clearance > 0 ? q->clearance : usual,
        .border = q->border,
        .is_diagonal = true,
    };
    struct planner *planner = planner_new(q->plan, &options);

    paths_alloc(p, q->robots > 0 ? q->robots : ROBOTS_USUAL);
    const enum status s = generate_all(planner, q, p);
    planner_free(planner);
    return s;
}

enum status robot_paths_make(struct robot_paths *p, const struct robot_paths_request *q)
{
    *p = (struct robot_paths){0};
    const enum status s = q->folder != NULL ? load_folder(p, q) : generate(p, q);

    if (s != STATUS_OK)
        robot_paths_release(p);
    return s;
}
