/*
 * maps.c - the maps of a run's robots at its last evaluation with maps: the plan with the robots
 * (map_robots.c), the mean of all maps, its error, and the map of each robot.
 */
#include <inttypes.h>

#include "base/mem.h"
#include "report/figures/list.h"
#include "report/figures/map_cells.h"
#include "report/figures/map_robots.h"

enum { MAP_COLOUR = 0x2f7fc4, ERROR_COLOUR = 0xd55e00 };

/* The last record, and what follows from it. */
struct last_maps {
    struct map_file file;
    struct map_time time;
    uint8_t *maps, *mean, *error;
    double mean_error;
    const struct record *record;
};

static bool read_last(struct last_maps *m, const struct record *r)
{
    *m = (struct last_maps){.record = r};
    if (!record_has(r, RECORD_MAPS) || map_file_open(&m->file, r->run_dir) != STATUS_OK)
        return false;
    const int64_t points = map_mesh_points(&m->file.mesh);

    m->maps = MEM_NEW_N(uint8_t, m->file.mesh.robots * points);
    m->mean = MEM_NEW_N(uint8_t, points);
    m->error = MEM_NEW_N(uint8_t, points);
    if (m->file.count == 0 ||
        map_file_read(&m->file, m->file.count - 1, &m->time, m->maps) != STATUS_OK)
        return false;
    map_mean(&m->file.mesh, m->maps, m->mean);
    m->mean_error = map_error(&m->file, m->mean, m->error);
    return true;
}

static void last_maps_release(struct last_maps *m)
{
    map_file_release(&m->file);
    mem_free(m->maps);
    mem_free(m->mean);
    mem_free(m->error);
}

static const uint8_t *map_of(const struct last_maps *m, int64_t robot)
{
    return m->maps + robot * map_mesh_points(&m->file.mesh);
}

/* --- drawing --- */

static void draw_robot_map(struct svg *s, const struct last_maps *m, int64_t robot)
{
    char *title = text_format("robot %" PRId64, robot);

    map_cell_draw(s, &m->file.mesh, MAP_COLUMNS + robot,
                  &(struct drawn_map){.title = title,
                                      .map = map_of(m, robot),
                                      .colour = MAP_COLOUR,
                                      .swatch = svg_fill(robot)});
    mem_free(title);
}

static void draw_all(const struct last_maps *m, struct figure *f)
{
    const struct map_mesh *mesh = &m->file.mesh;
    const int64_t shown = map_cells_robots(mesh);
    struct svg s;

    map_cells_open(&s, &f->svg, mesh, MAP_COLUMNS + shown, f->title);
    map_cell_draw(
        &s, mesh, 0,
        &(struct drawn_map){.title = "floor plan", .map = m->file.plan, .colour = MAP_PLAN_COLOUR});
    map_robots_draw(&s, mesh, map_cell(mesh, 0), m->record);
    map_cell_draw(&s, mesh, 1,
                  &(struct drawn_map){.title = mesh->robots > 1 ? "mean of all robots" : "map",
                                      .map = m->mean,
                                      .colour = MAP_COLOUR});
    map_cell_draw(
        &s, mesh, 2,
        &(struct drawn_map){.title = "absolute error", .map = m->error, .colour = ERROR_COLOUR});
    for (int64_t i = 0; i < shown; i++)
        draw_robot_map(&s, m, i);
    svg_close(&s);
}

/* --- around it --- */

static void put_numbers(const struct last_maps *m, struct figure *f)
{
    static const char *const titles[] = {"robot", "map error", NULL};
    const int64_t robots = m->file.mesh.robots;

    figure_start_numbers(f, titles, robots > 1 ? robots + 1 : 1);
    figure_put_text(f, 0, 0, robots > 1 ? "mean of all" : "all");
    figure_put_number(f, 0, 1, m->mean_error);
    for (int64_t i = 0; i < robots && robots > 1; i++) {
        figure_put_int(f, i + 1, 0, i);
        figure_put_number(f, i + 1, 1, map_error(&m->file, map_of(m, i), NULL));
    }
}

static char *make_caption(const struct last_maps *m)
{
    const int64_t shown = map_cells_robots(&m->file.mesh);
    struct text caption = {0};

    text_addf(&caption,
              "After round %" PRId64 ". The stronger the colour of a point, the surer of a wall. ",
              m->time.round);
    text_addf(&caption, "The mean absolute error of %s is %.3f.",
              m->file.mesh.robots > 1 ? "the mean map" : "the map", m->mean_error);
    map_robots_add_caption(m->record, &caption);
    if (shown > 0 && shown < m->file.mesh.robots)
        text_addf(&caption, " Maps of %" PRId64 " of %" PRId64 " robots are shown.", shown,
                  m->file.mesh.robots);
    return text_take(&caption);
}

static bool draw(const struct record *r, struct figure *f)
{
    struct last_maps m;
    const bool has_maps = read_last(&m, r);

    if (has_maps) {
        draw_all(&m, f);
        put_numbers(&m, f);
        f->caption = make_caption(&m);
    }
    last_maps_release(&m);
    return has_maps;
}

const struct run_figure maps_figure = {
    .name = "maps",
    .title = "Maps of the robots",
    .draw = draw,
};
