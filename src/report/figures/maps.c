/*
 * maps.c - the maps of a run's robots at its last evaluation with maps: the plan with paths, links
 * and positions, the mean of all maps, its error, and the map of each robot.
 */
#include <inttypes.h>

#include "base/mem.h"
#include "report/figures/list.h"
#include "report/figures/map_cells.h"

enum { MAP_COLOUR = 0x2f7fc4, ERROR_COLOUR = 0xd55e00 };

/* The last record, and what follows from it. */
struct last_maps {
    struct map_file file;
    struct map_time time;
    uint8_t *maps, *mean, *error;
    double mean_error;
    const struct graph_rows *graph;
};

static bool read_last(struct last_maps *m, const struct record *r)
{
    *m = (struct last_maps){.graph = &r->graph};
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

static struct svg_point place_of(const struct last_maps *m, struct svg_box box,
                                 const struct graph_row *row, int64_t node)
{
    const struct map_mesh *mesh = &m->file.mesh;
    const double column = (row->positions[2 * node] - mesh->left) / mesh->step_x + 0.5;
    const double line = (row->positions[2 * node + 1] - mesh->top) / mesh->step_y + 0.5;

    return (struct svg_point){box.x + column * box.width / (double)mesh->width,
                              box.y + line * box.height / (double)mesh->height};
}

/* Where the robot has been at changes of the graph. */
static void draw_path(struct svg *s, const struct last_maps *m, struct svg_box box, int64_t node)
{
    struct text path = {0};

    for (int64_t i = 0; i < m->graph->count; i++)
        if (m->graph->items[i].positions != NULL && node < m->graph->items[i].nodes)
            svg_path_to(&path, path.length == 0 ? 'M' : 'L',
                        place_of(m, box, &m->graph->items[i], node));
    if (path.length > 0)
        svg_path(s, text_get(&path),
                 &(struct svg_look){.fill = SVG_NONE,
                                    .stroke = svg_fill(node),
                                    .stroke_width = 1.2,
                                    .opacity = 0.6,
                                    .name = "robot-path"});
    text_release(&path);
}

/* Links and positions are those of the last graph. */
static void draw_robots(struct svg *s, const struct last_maps *m, struct svg_box box)
{
    const struct graph_row *row =
        m->graph->count > 0 ? &m->graph->items[m->graph->count - 1] : NULL;

    if (row == NULL || row->positions == NULL)
        return;
    for (int64_t i = 0; i < row->nodes; i++)
        draw_path(s, m, box, i);
    for (int64_t e = 0; e < row->edge_count; e++)
        svg_line(s, place_of(m, box, row, row->edges[2 * e]),
                 place_of(m, box, row, row->edges[2 * e + 1]),
                 &(struct svg_look){.stroke = SVG_INK, .stroke_width = 1.6, .name = "robot-link"});
    for (int64_t i = 0; i < row->nodes; i++) {
        char *tooltip = text_format("robot %" PRId64, i);

        svg_circle_about(s, place_of(m, box, row, i), 4,
                         &(struct svg_look){.fill = svg_fill(i), .name = "robot"}, tooltip);
        mem_free(tooltip);
    }
}

static void draw_robot_map(struct svg *s, const struct last_maps *m, int64_t robot)
{
    char *title = text_format("robot %" PRId64, robot);

    map_cell_draw(s, &m->file.mesh, MAP_COLUMNS + robot,
                  &(struct drawn_map){title, map_of(m, robot), MAP_COLOUR, NULL});
    mem_free(title);
}

static void draw_all(const struct last_maps *m, struct figure *f)
{
    const struct map_mesh *mesh = &m->file.mesh;
    const int64_t shown = map_cells_robots(mesh);
    struct svg s;

    map_cells_open(&s, &f->svg, mesh, MAP_COLUMNS + shown, f->title);
    map_cell_draw(&s, mesh, 0,
                  &(struct drawn_map){"floor plan", m->file.plan, MAP_PLAN_COLOUR, NULL});
    draw_robots(&s, m, map_cell(mesh, 0));
    map_cell_draw(&s, mesh, 1,
                  &(struct drawn_map){mesh->robots > 1 ? "mean of all robots" : "map", m->mean,
                                      MAP_COLOUR, NULL});
    map_cell_draw(&s, mesh, 2, &(struct drawn_map){"absolute error", m->error, ERROR_COLOUR, NULL});
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
