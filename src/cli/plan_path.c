/*
 * plan_path.c - `muster plan path PLAN`: the shortest way through places, or a random walk, as
 * way-points of a robot.
 */
#include <inttypes.h>
#include <math.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/plan.h"
#include "cli/plan_drawing.h"
#include "cli/plan_point.h"
#include "data/lidar/path.h"
#include "data/lidar/planner.h"

enum {
    PLACES_MAX = 10000,
    CLEARANCE_USUAL = 10,
    BORDER_USUAL = 30, /* that of lidar */
    SPACING_USUAL = 40,
    RESOLUTION = 30 /* points of a path for each way-point, as in the study */
};

static const struct flag path_flags[] = {
    {"via",        NULL, "X,Y",
     "a place on the way, in pixels from the centre of the plan; again for more",                          "Way"    },
    {"loop",       NULL, NULL,   "return to the first place",                                              NULL     },
    {"random",     NULL, "N",    "instead of --via: N random places and back to the first",                NULL     },
    {"seed",       NULL, "N",    "seed of the random places (1)",                                          NULL     },
    {"clearance",  NULL, "N",    "distance from walls to keep, in pixels (10)",                            "Planner"},
    {"border",     NULL, "N",    "pixels at the edges of the plan that are wall, as for lidar (30)",       NULL     },
    {"neighbours", NULL, "N",    "8 allows diagonal steps, 4 does not (8)",                                NULL     },
    {"spacing",    NULL, "N",    "pixels of the way between two way-points, at most (40)",                 "Output" },
    {"out",        NULL, "FILE", "write the way-points to FILE, as .npy or as text (default: print them)",
     NULL                                                                                                           },
    {"svg",        NULL, "FILE", "draw the path over the plan",                                            NULL     },
    {"force",      NULL, NULL,   "replace FILE even if it is another kind of file",                        NULL     },
    FLAG_LAST,
};

static const struct flags_spec path_spec = {
    .command = "plan path",
    .usage = "muster plan path PLAN.png --via X,Y --via X,Y ... [flags]",
    .intro = "Plans the shortest way through places of a floor plan by A* and writes it as "
             "way-points. A robot drives along the spline through them; where it would touch a "
             "wall, there are more way-points.",
    .examples =
        "muster plan path building.png --via -400,0 --via 120,-35 --loop --out robot1.npy\n"
        "muster plan path building.png --random 8 --seed 3 --out robot3.txt --svg robot3.svg",
    .flags = path_flags,
    .positional_max = 1,
    .repeated = "via",
};

struct request {
    const char *plan_path;
    struct planner_options planner;
    int64_t random, seed, spacing;
};

/* The way and what a robot makes of it. */
struct planned {
    struct floor_plan plan;
    struct plan_route route;
    struct waypoints waypoints;
    struct lidar_path path;
    int64_t places;
};

/* --- flags --- */

static enum status read_request(const struct flags *f, struct request *q)
{
    int64_t neighbours = 8;

    *q = (struct request){.seed = 1, .spacing = SPACING_USUAL};
    q->planner = (struct planner_options){.clearance = CLEARANCE_USUAL, .border = BORDER_USUAL};
    TRY(command_read_int(f, "random", 2, PLACES_MAX, &q->random));
    TRY(command_read_int(f, "seed", 0, INT64_MAX, &q->seed));
    TRY(command_read_int(f, "clearance", 0, FLOOR_PLAN_SIDE_MAX, &q->planner.clearance));
    TRY(command_read_int(f, "border", 0, FLOOR_PLAN_SIDE_MAX, &q->planner.border));
    TRY(command_read_int(f, "spacing", 1, FLOOR_PLAN_SIDE_MAX, &q->spacing));
    TRY(command_read_int(f, "neighbours", 4, 8, &neighbours));
    q->planner.is_diagonal = neighbours == 8;
    if (neighbours != 4 && neighbours != 8)
        return FAIL(STATUS_BAD_INPUT, "--neighbours: %" PRId64 " is neither 4 nor 8", neighbours);
    if (f->positional_count == 0)
        return FAIL(STATUS_BAD_INPUT, "muster plan path needs the PNG file of a floor plan");
    q->plan_path = f->positional[0];
    if (q->random > 0 && (node_find(f->tree, "via") != NULL || flags_has(f, "loop")))
        return FAIL(STATUS_BAD_INPUT, "--random conflicts with --via and --loop");
    return STATUS_OK;
}

/* The file begins like the kind that its name says; any text may be replaced by a text. */
static enum status check_files(const struct flags *f)
{
    const char *out = flags_value(f, "out");

    TRY(command_check_replaced(f, "svg", "<svg"));
    TRY(command_check_different(f, (const char *const[]){"svg", "out"}, 2));
    return command_check_replaced(f, "out",
                                  out != NULL && waypoints_is_npy(out) ? "\x93NUMPY" : "# ");
}

/* --- planning --- */

static struct plan_cell nearest_cell(const struct floor_plan *p, struct lidar_point at)
{
    const struct lidar_point place = plan_drawing_place(p, at);

    return (struct plan_cell){(int32_t)fmin(floor(place.x), (double)p->width - 1),
                              (int32_t)fmin(floor(place.y), (double)p->height - 1)};
}

static enum status visit_places(const struct flags *f, struct planner *planner, struct planned *w)
{
    const struct node *via = node_find(f->tree, "via");
    const int64_t given = via == NULL ? 0 : via->count;
    const bool is_loop = flags_has(f, "loop");

    if (given < 2)
        return FAIL(STATUS_BAD_INPUT, "a path needs --via at least twice, or --random N");
    struct plan_cell *cells = MEM_NEW_N(struct plan_cell, given + 1);
    enum status s = STATUS_OK;
    for (int64_t i = 0; i < given && s == STATUS_OK; i++) {
        struct lidar_point at = {0};

        s = plan_point_read("via", via->children[i]->text, &w->plan, &at);
        cells[i] = nearest_cell(&w->plan, at);
    }
    cells[given] = cells[0];
    w->places = given;
    if (s == STATUS_OK)
        s = planner_visit(planner, cells, given + (is_loop ? 1 : 0), &w->route);
    mem_free(cells);
    return s;
}

static enum status find_route(const struct flags *f, const struct request *q, struct planned *w)
{
    struct planner *planner = planner_new(&w->plan, &q->planner);
    enum status s;

    w->places = q->random;
    if (q->random > 0)
        s = planner_walk(planner, (uint64_t)q->seed, q->random, &w->route);
    else
        s = visit_places(f, planner, w);
    planner_free(planner);
    return s;
}

/* Way-points whose spline is free; half the distance each time that it is not. */
static enum status choose_waypoints(const struct request *q, const struct lidar *l,
                                    struct planned *w)
{
    enum status s = STATUS_BAD_INPUT;

    for (int64_t spacing = q->spacing; spacing >= 1 && s != STATUS_OK; spacing /= 2) {
        waypoints_release(&w->waypoints);
        lidar_path_release(&w->path);
        plan_route_thin(&w->route, spacing, w->plan.width, w->plan.height, &w->waypoints);
        lidar_path_init(&w->path, &w->waypoints, RESOLUTION, w->plan.width, w->plan.height);
        s = lidar_path_check(&w->path, l, q->plan_path);
    }
    return s;
}

static enum status make_path(const struct flags *f, const struct request *q, struct planned *w)
{
    struct lidar_options options;
    struct lidar *l = NULL;

    TRY(floor_plan_load(&w->plan, q->plan_path));
    fields_default(lidar_fields, &options);
    options.border = q->planner.border;
    struct team *team = team_new(team_cores());
    enum status s = lidar_new(&w->plan, &options, team, &l);
    team_free(team);
    if (s == STATUS_OK)
        s = find_route(f, q, w);
    if (s == STATUS_OK)
        s = choose_waypoints(q, l, w);
    lidar_free(l);
    return s;
}

static void release_planned(struct planned *w)
{
    floor_plan_release(&w->plan);
    plan_route_release(&w->route);
    waypoints_release(&w->waypoints);
    lidar_path_release(&w->path);
}

/* --- output --- */

static enum status draw(const char *path, const struct planned *w)
{
    struct plan_drawing d = {.plan = &w->plan, .title = "planned path"};
    struct text svg = {0};

    if (path == NULL)
        return STATUS_OK;
    plan_drawing_add(&d, (struct plan_mark){.kind = PLAN_MARK_LINE,
                                            .count = w->path.count,
                                            .points = w->path.points});
    plan_drawing_svg(&d, &svg);
    const enum status s = file_write_text(path, text_get(&svg));
    text_release(&svg);
    plan_drawing_release(&d);
    return s;
}

static enum status save(const struct flags *f, const struct planned *w)
{
    const char *out = flags_value(f, "out");
    struct text text = {0};
    enum status s = draw(flags_value(f, "svg"), w);

    if (s == STATUS_OK && out != NULL)
        s = waypoints_write(&w->waypoints, out);
    text_addf(&text, "# %" PRId64 " places, %.1f pixels long, %" PRId64 " way-points\n", w->places,
              w->route.length, w->waypoints.count);
    if (out == NULL)
        waypoints_text(&w->waypoints, &text);
    if (s == STATUS_OK)
        command_print(text_get(&text) + (out == NULL ? 0 : 2));
    text_release(&text);
    return s;
}

/* --- the command --- */

static enum status path_parsed(const struct flags *f)
{
    struct planned w = {0};
    struct request q;

    TRY(read_request(f, &q));
    TRY(check_files(f));
    enum status s = make_path(f, &q, &w);
    if (s == STATUS_OK)
        s = save(f, &w);
    release_planned(&w);
    return s;
}

enum status plan_path(int argc, char **argv)
{
    return command_run(&path_spec, argc, argv, path_parsed);
}
