/*
 * robot_paths.c - see robot_paths.h.
 */
#include "data/lidar/robot_paths.h"

#include "base/mem.h"
#include "base/rng.h"
#include "data/lidar/planner.h"

enum { ATTEMPTS = 64, ATTEMPTS_BEFORE_MORE = 16 };

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

/* --- from files --- */

static enum status load_files(struct robot_paths *p, const struct robot_paths_request *q,
                              const struct waypoint_files *files)
{
    if (q->robots > files->count)
        return FAIL(STATUS_BAD_INPUT, "data.robots: %lld robots, but %s has way-points of %lld",
                    (long long)q->robots, q->folder, (long long)files->count);
    paths_alloc(p, q->robots > 0 ? q->robots : files->count);
    for (int64_t i = 0; i < p->count; i++)
        TRY(lidar_path_load(&p->paths[i], files->paths[i], q->resolution, q->lidar));
    return STATUS_OK;
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

struct walk {
    uint64_t seed;
    int64_t waypoints;
};

/* One try; false: the spline touches a wall, or there is no way. */
static bool try_walk(struct planner *planner, const struct robot_paths_request *q, struct walk walk,
                     struct lidar_path *path)
{
    struct plan_route route = {0};
    struct waypoints w = {0};
    bool is_free = false;

    if (planner_walk(planner, walk.seed, q->stops, &route) == STATUS_OK) {
        const int64_t parts = walk.waypoints - 1, spacing = (route.count + parts - 1) / parts;

        plan_route_thin(&route, spacing, q->plan->width, q->plan->height, &w);
        lidar_path_init(path, &w, q->resolution, q->plan->width, q->plan->height);
        is_free = lidar_path_check(path, q->lidar, "") == STATUS_OK;
        if (!is_free)
            lidar_path_release(path);
    }
    waypoints_release(&w);
    plan_route_release(&route);
    return is_free;
}

/* The farther apart way-points are, the more a spline through them cuts corners: if some walks do
 * not keep clear, the next ones have twice as many. */
static enum status generate_path(struct planner *planner, const struct robot_paths_request *q,
                                 int64_t robot, struct lidar_path *path)
{
    const struct rng r = rng_make(q->seed, RNG_WALK, 1);

    for (uint32_t attempt = 0; attempt < ATTEMPTS; attempt++) {
        const struct walk walk = {
            .seed = rng_bits(&r, (uint64_t)robot, attempt),
            .waypoints = q->waypoints << attempt / ATTEMPTS_BEFORE_MORE,
        };

        if (try_walk(planner, q, walk, path))
            return STATUS_OK;
    }
    return FAIL(STATUS_BAD_INPUT,
                "data.waypoints: no path of %lld way-points through %lld random places of this "
                "plan keeps clear of the walls; use more way-points or fewer stops",
                (long long)q->waypoints, (long long)q->stops);
}

static enum status generate(struct robot_paths *p, const struct robot_paths_request *q)
{
    const int64_t width = q->plan->width, height = q->plan->height;
    const int64_t usual = (width < height ? width : height) / 60;
    struct planner *planner =
        planner_new(q->plan, &(struct planner_options){
                                 .clearance = q->clearance > 0 ? q->clearance : usual,
                                 .border = q->border,
                                 .is_diagonal = true,
                             });
    enum status s = STATUS_OK;

    paths_alloc(p, q->robots > 0 ? q->robots : ROBOTS_USUAL);
    for (int64_t i = 0; i < p->count && s == STATUS_OK; i++)
        s = generate_path(planner, q, i, &p->paths[i]);
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
