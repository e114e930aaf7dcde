/*
 * certainty.c - how often robots have seen each place of the map, at the last evaluation with maps:
 * the sum of all, and each robot. Only runs whose algorithm counts this have it.
 */
#include <inttypes.h>

#include "base/mem.h"
#include "report/figures/list.h"
#include "report/figures/map_cells.h"

enum { CERTAINTY_COLOUR = 0x159a6c };

/* Of the last record. */
struct last_certainty {
    struct map_file file;
    struct map_time time;
    float *robots; /* [robots][height][width] */
    float *sum;    /* [height][width] */
};

static enum status read_record(struct last_certainty *c)
{
    const struct map_mesh *m = &c->file.mesh;
    const int64_t last = c->file.count - 1, count = m->robots * map_mesh_points(m);
    uint8_t *maps = MEM_NEW_N(uint8_t, count);
    const enum status s = map_file_read(&c->file, last, &c->time, maps);

    mem_free(maps);
    TRY(s);
    c->robots = MEM_NEW_N(float, count);
    c->sum = MEM_NEW_N(float, map_mesh_points(m));
    TRY(map_file_read_certainty(&c->file, last, c->robots));
    map_certainty_sum(m, c->robots, c->sum);
    return STATUS_OK;
}

static bool read_last(struct last_certainty *c, const struct record *r)
{
    *c = (struct last_certainty){0};
    return record_has(r, RECORD_MAPS) && map_file_open(&c->file, r->run_dir) == STATUS_OK &&
           c->file.mesh.certainties > 0 && c->file.count > 0 && read_record(c) == STATUS_OK;
}

static void last_certainty_release(struct last_certainty *c)
{
    map_file_release(&c->file);
    mem_free(c->robots);
    mem_free(c->sum);
}

static const float *certainty_of(const struct last_certainty *c, int64_t robot)
{
    return c->robots + robot * map_mesh_points(&c->file.mesh);
}

/* --- drawing --- */

/* Cell 0 is the sum, cell i + 1 robot i. */
static void draw_one(struct svg *s, const struct last_certainty *c, int64_t cell,
                     const struct certainty_picture *p, const char *title)
{
    const struct map_mesh *m = &c->file.mesh;
    uint8_t *bytes = MEM_NEW_N(uint8_t, map_mesh_points(m));

    map_certainty_bytes(p, map_mesh_points(m), bytes);
    map_cell_draw(s, m, cell,
                  &(struct drawn_map){.title = title,
                                      .map = bytes,
                                      .colour = CERTAINTY_COLOUR,
                                      .plan = c->file.plan,
                                      .swatch = cell > 0 ? svg_fill(cell - 1) : SVG_INHERIT});
    mem_free(bytes);
}

/* All robots have one scale, and their sum its own. */
static void draw_all(const struct last_certainty *c, struct figure *f)
{
    const struct map_mesh *m = &c->file.mesh;
    const int64_t points = map_mesh_points(m), shown = map_cells_robots(m);
    const double most = map_certainty_most(c->robots, m->robots * points);
    struct svg s;

    map_cells_open(&s, &f->svg, m, 1 + shown, f->title);
    draw_one(&s, c, 0, &(struct certainty_picture){c->sum, map_certainty_most(c->sum, points)},
             m->robots > 1 ? "sum of all robots" : "certainty");
    for (int64_t i = 0; i < shown; i++) {
        char *title = text_format("robot %" PRId64, i);

        draw_one(&s, c, 1 + i, &(struct certainty_picture){certainty_of(c, i), most}, title);
        mem_free(title);
    }
    svg_close(&s);
}

/* --- around it --- */

static void put_row(const struct last_certainty *c, struct figure *f, int64_t row,
                    const float *certainty)
{
    const int64_t points = map_mesh_points(&c->file.mesh);
    int64_t seen = 0;

    for (int64_t i = 0; i < points; i++)
        seen += certainty[i] > 0;
    figure_put_number(f, row, 1, map_certainty_most(certainty, points));
    figure_put_number(f, row, 2, 100 * (double)seen / (double)points);
}

static void put_numbers(const struct last_certainty *c, struct figure *f)
{
    static const char *const titles[] = {"robot", "most steps at a place", "places seen (%)", NULL};
    const int64_t robots = c->file.mesh.robots;

    figure_start_numbers(f, titles, robots > 1 ? robots + 1 : 1);
    figure_put_text(f, 0, 0, robots > 1 ? "sum of all" : "all");
    put_row(c, f, 0, c->sum);
    for (int64_t i = 0; i < robots && robots > 1; i++) {
        figure_put_int(f, i + 1, 0, i);
        put_row(c, f, i + 1, certainty_of(c, i));
    }
}

static char *make_caption(const struct last_certainty *c)
{
    const struct map_mesh *m = &c->file.mesh;
    const int64_t points = map_mesh_points(m), shown = map_cells_robots(m);
    struct text caption = {0};

    text_addf(&caption,
              "After round %" PRId64 ". The stronger the colour of a place, the more steps of "
              "training had samples there: %.0f at most",
              c->time.round, map_certainty_most(c->robots, m->robots * points));
    if (m->robots > 1)
        text_addf(&caption, " for one robot, %.0f for all together",
                  map_certainty_most(c->sum, points));
    text_add(&caption, ". No colour: never seen. Walls are grey.");
    if (shown > 0 && shown < m->robots)
        text_addf(&caption, " %" PRId64 " of %" PRId64 " robots are shown.", shown, m->robots);
    return text_take(&caption);
}

static bool draw(const struct record *r, struct figure *f)
{
    struct last_certainty c;
    const bool has_certainty = read_last(&c, r);

    if (has_certainty) {
        draw_all(&c, f);
        put_numbers(&c, f);
        f->caption = make_caption(&c);
    }
    last_certainty_release(&c);
    return has_certainty;
}

const struct run_figure certainty_figure = {
    .name = "certainty",
    .title = "Certainty of the robots",
    .draw = draw,
};
