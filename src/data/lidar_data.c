/*
 * lidar_data.c - scans of robots in a building, as in the density mapping of study S001.
 *
 * The training samples are the rows of all scans, robot after robot, each robot's in the order of
 * its path; a group is a robot. The test samples are scans at random free places. The map is every
 * 8th pixel of the plan in both directions.
 *
 * Not here: the scanner (lidar/lidar.c), the paths (lidar/robot_paths.c), the windows of online
 * data (lidar/windows.c).
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "data/floor_plan_make.h"
#include "data/lidar/robot_paths.h"
#include "data/lidar/scans.h"
#include "data/list.h"

enum { MAP_STEP = 8, TEST_SET = 0, ROBOT_SET = 1, SAMPLES_MAX = 200000000 };
enum lidar_split { SPLIT_TRAJECTORY, SPLIT_ONLINE, SPLIT_RANDOM };
static const char *const split_names[] = {"trajectory", "online", "random", NULL};

struct lidar_data_options {
    struct lidar_options scanner; /* first: so the rows of LIDAR_FIELDS fit */
    char *plan, *paths;
    int64_t plan_seed, width, height, walls, door;
    int64_t robots, stops, waypoints, clearance, spline_resolution;
    int split; /* enum lidar_split */
    int64_t scans, window, test_scans, seed;
};

static const struct field lidar_data_fields[] = {
    FIELD_PATH(struct lidar_data_options, plan, NULL,
               "floor plan, a PNG file (0 free, 255 wall); without it a building is generated"),
    FIELD_INT(struct lidar_data_options, plan_seed, 1, 0, 9007199254740991,
              "seed of a generated building"),
    FIELD_INT(struct lidar_data_options, width, FLOOR_PLAN_USUAL_WIDTH, FLOOR_PLAN_MAKE_SIDE_MIN,
              FLOOR_PLAN_MAKE_SIDE_MAX, "width of a generated building, in pixels"),
    FIELD_INT(struct lidar_data_options, height, FLOOR_PLAN_USUAL_HEIGHT, FLOOR_PLAN_MAKE_SIDE_MIN,
              FLOOR_PLAN_MAKE_SIDE_MAX, "height of a generated building, in pixels"),
    FIELD_INT(struct lidar_data_options, walls, FLOOR_PLAN_USUAL_WALLS, 0, FLOOR_PLAN_WALLS_MAX,
              "wall pixels of a generated building, in percent"),
    FIELD_INT(
        struct lidar_data_options, door, 0, 0, FLOOR_PLAN_MAKE_SIDE_MAX,
        "width of doors of a generated building; rooms grow with it (0: 1/25 of the shorter side)"),
    FIELD_PATH(struct lidar_data_options, paths, NULL,
               "folder of way-point files, a robot each, by name; without it paths are generated"),
    FIELD_INT(struct lidar_data_options, robots, 0, 0, 10000,
              "number of robots (0: as many as way-point files, or 7)"),
    FIELD_INT(struct lidar_data_options, stops, 16, 2, 10000,
              "places that a generated path visits; those of all robots cover the building"),
    FIELD_INT(struct lidar_data_options, waypoints, 81, WAYPOINTS_MIN, 1000000,
              "way-points of a generated path, about; more where it would touch a wall"),
    FIELD_INT(struct lidar_data_options, clearance, 0, 0, 100000,
              "pixels between walls and a generated path (0: 1/60 of the shorter side)"),
    FIELD_INT(struct lidar_data_options, spline_resolution, 30, 1, 100000,
              "scans between two way-points"),
    FIELD_CHOICE(struct lidar_data_options, split, "trajectory", split_names,
                 "scans of a robot: all along its path, in windows along its path, or at random "
                 "places"),
    FIELD_INT(struct lidar_data_options, scans, 2000, 1, 100000000,
              "scans of each robot with split random"),
    FIELD_INT(struct lidar_data_options, window, 800, 1, 100000000,
              "scans that a robot has at a time with split online"),
    FIELD_INT(struct lidar_data_options, test_scans, 500, 1, 100000000,
              "scans at random places of the test part"),
    FIELD_INT(struct lidar_data_options, seed, 1, 0, 9007199254740991,
              "seed of paths and random places, independent of the run's seed"),
    LIDAR_FIELDS,
    FIELD_LAST,
};

/* What a data set is made from. */
struct making {
    const struct lidar_data_options *options;
    bool outline; /* rows are counted, but not measured */
    struct floor_plan plan;
    struct team *team;
    struct lidar *lidar;
    struct robot_paths robots; /* places of each robot's scans */
};

/* --- plan and places --- */

static enum status name_key(const char *key, enum status s)
{
    char *message = s == STATUS_OK || strncmp(status_message(), "data.", 5) == 0
                        ? NULL
                        : mem_text(status_message());

    if (message != NULL)
        s = FAIL(s, "data.%s: %s", key, message);
    mem_free(message);
    return s;
}

static enum status get_plan(struct making *m)
{
    const struct lidar_data_options *o = m->options;
    const struct floor_plan_recipe recipe = {
        .seed = (uint64_t)o->plan_seed,
        .width = o->width,
        .height = o->height,
        .walls = o->walls,
        .door = o->door,
    };

    if (o->plan != NULL)
        return floor_plan_load(&m->plan, o->plan);
    TRY(name_key("door", floor_plan_recipe_check(&recipe)));
    floor_plan_make(&m->plan, &recipe);
    return STATUS_OK;
}

static enum status get_paths(struct making *m)
{
    const struct lidar_data_options *o = m->options;

    return robot_paths_make(&m->robots, &(struct robot_paths_request){
                                            .plan = &m->plan,
                                            .lidar = m->lidar,
                                            .border = o->scanner.border,
                                            .folder = o->paths,
                                            .robots = o->robots,
                                            .resolution = o->spline_resolution,
                                            .scans_max = SAMPLES_MAX / lidar_rows_max(m->lidar),
                                            .seed = (uint64_t)o->seed,
                                            .stops = o->stops,
                                            .waypoints = o->waypoints,
                                            .clearance = o->clearance,
                                        });
}

static enum status draw_places(const struct making *m, uint32_t set, int64_t count,
                               struct lidar_path *places)
{
    *places = (struct lidar_path){.count = count, .points = MEM_NEW_N(struct lidar_point, count)};
    return lidar_poses_draw(m->lidar, &(struct lidar_poses){(uint64_t)m->options->seed, set, count},
                            places->points);
}

/* A mistyped number of scans fills the memory for minutes before it fails. */
static enum status check_size(const struct making *m, const char *key, double scans)
{
    const double samples = scans * (double)lidar_rows_max(m->lidar);

    if (samples <= SAMPLES_MAX)
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT,
                "data.%s: %.10g scans of %" PRId64 " samples are too many; the limit is %d samples",
                key, scans, lidar_rows_max(m->lidar), SAMPLES_MAX);
}

static enum status draw_robots(struct making *m)
{
    const struct lidar_data_options *o = m->options;

    if (o->paths != NULL)
        return FAIL(STATUS_BAD_INPUT, "data.paths: split random uses no paths; leave it out");
    const int64_t robots = o->robots > 0 ? o->robots : ROBOTS_USUAL;
    TRY(check_size(m, "scans", (double)robots * (double)o->scans));
    m->robots.count = robots;
    m->robots.paths = MEM_NEW_N(struct lidar_path, robots);
    for (int64_t i = 0; i < m->robots.count; i++)
        TRY(draw_places(m, ROBOT_SET + (uint32_t)i, o->scans, &m->robots.paths[i]));
    return STATUS_OK;
}

/* --- samples --- */

/* The densities of an outline are not known, unless they decide how many rows there are. */
static void scan_places(const struct making *m, const struct lidar_path *at, struct lidar_scans *s)
{
    const int64_t rows = lidar_rows_max(m->lidar);

    if (!m->outline || m->options->scanner.clipped) {
        lidar_scans_init(s, m->lidar, at->points, at->count, m->team);
        return;
    }
    *s = (struct lidar_scans){.scans = at->count, .first_row = MEM_NEW_N(int64_t, at->count + 1)};
    for (int64_t i = 0; i <= at->count; i++)
        s->first_row[i] = i * rows;
    s->points = MEM_NEW_N(float, 2 * rows * at->count);
    s->densities = MEM_NEW_N(float, rows * at->count);
}

static void add_robot(struct samples *train, const struct lidar_scans *s, int32_t robot)
{
    const int64_t first = train->count, rows = lidar_scans_rows(s);

    const int64_t count = train->count += rows;
    train->values = mem_resize(train->values, 2 * first, 2 * count, sizeof *train->values);
    train->targets = mem_resize(train->targets, first, count, sizeof *train->targets);
    train->groups = mem_resize(train->groups, first, count, sizeof *train->groups);
    memcpy(train->values + 2 * first, s->points, 2 * (size_t)rows * sizeof *s->points);
    memcpy(train->targets + first, s->densities, (size_t)rows * sizeof *s->densities);
    for (int64_t i = first; i < count; i++)
        train->groups[i] = robot;
}

/* The rows of this robot begin with sample `first`. */
static void note_path(struct scan_path *p, struct lidar_scans *s, const struct lidar_path *at,
                      int64_t first)
{
    *p = (struct scan_path){
        .scans = s->scans,
        .first_row = s->first_row,
        .places = MEM_NEW_N(double, 2 * s->scans),
        .beams = s->beams,
        .ends = s->ends,
    };
    s->first_row = NULL;
    s->ends = NULL;
    for (int64_t i = 0; i < p->scans; i++) {
        p->places[2 * i] = at->points[i].x;
        p->places[2 * i + 1] = at->points[i].y;
    }
    for (int64_t i = 0; i <= p->scans; i++)
        p->first_row[i] += first;
}

static void make_train(const struct making *m, struct dataset *d)
{
    d->groups = m->robots.count;
    if (m->options->split != SPLIT_RANDOM)
        d->paths = MEM_NEW_N(struct scan_path, d->groups);
    if (m->options->split == SPLIT_ONLINE)
        d->window = m->options->window;
    for (int64_t r = 0; r < d->groups; r++) {
        const int64_t first = d->train.count;
        struct lidar_scans s;

        scan_places(m, &m->robots.paths[r], &s);
        add_robot(&d->train, &s, (int32_t)r);
        if (d->paths != NULL)
            note_path(&d->paths[r], &s, &m->robots.paths[r], first);
        lidar_scans_release(&s);
    }
}

static enum status make_test(const struct making *m, struct dataset *d)
{
    struct lidar_path places;
    enum status status = draw_places(m, TEST_SET, m->options->test_scans, &places);

    if (status == STATUS_OK) {
        struct lidar_scans s;

        scan_places(m, &places, &s);
        d->test = (struct samples){
            .count = lidar_scans_rows(&s), .values = s.points, .targets = s.densities};
        s.points = s.densities = NULL;
        lidar_scans_release(&s);
    }
    lidar_path_release(&places);
    return status;
}

static void make_map(const struct making *m, struct dataset *d)
{
    struct samples *map = &d->map;

    d->map_height = (m->plan.height + MAP_STEP - 1) / MAP_STEP;
    d->map_width = (m->plan.width + MAP_STEP - 1) / MAP_STEP;
    map->count = d->map_height * d->map_width;
    map->values = MEM_NEW_N(float, 2 * map->count);
    map->targets = MEM_NEW_N(float, map->count);
    for (int64_t i = 0; i < map->count; i++) {
        const struct lidar_point at =
            lidar_pixel(m->lidar, i % d->map_width * MAP_STEP, i / d->map_width * MAP_STEP);
        const double density = lidar_density(m->lidar, at);

        map->values[2 * i] = (float)at.x;
        map->values[2 * i + 1] = (float)at.y;
        map->targets[i] = (float)(m->options->scanner.round_density ? rint(density) : density);
    }
}

/* --- all of it --- */

static enum status make_all(struct making *m, struct dataset *d)
{
    const struct lidar_data_options *o = m->options;

    TRY(name_key("plan", get_plan(m)));
    TRY(name_key("border", lidar_new(&m->plan, &o->scanner, m->team, &m->lidar)));
    TRY(check_size(m, "test_scans", (double)o->test_scans));
    TRY(name_key("paths", o->split == SPLIT_RANDOM ? draw_robots(m) : get_paths(m)));
    TRY(name_key("plan", make_test(m, d)));
    make_train(m, d);
    make_map(m, d);
    return STATUS_OK;
}

static enum status lidar_data_load(struct dataset *d, const struct dataset_request *request)
{
    struct making m = {
        .options = request->options,
        .outline = request->outline,
        .team = team_new(team_cores()),
    };

    d->height = d->width = 1;
    d->channels = 2;
    d->target_size = 1;
    d->is_density = true;
    const enum status s = make_all(&m, d);
    robot_paths_release(&m.robots);
    lidar_free(m.lidar);
    floor_plan_release(&m.plan);
    team_free(m.team);
    return s;
}

const struct dataset_ops lidar_data = {
    .entry = {.name = "lidar",
              .summary = "lidar scans of robots in a building, labelled wall or free",
              .fields = lidar_data_fields,
              .options_size = sizeof(struct lidar_data_options)},
    .is_generated = true,
    .height = 1,
    .width = 1,
    .channels = 2,
    .partition = "groups",
    .load = lidar_data_load,
};
