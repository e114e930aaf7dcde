/*
 * map_cells.c - see map_cells.h.
 */
#include "report/figures/map_cells.h"

#include "base/mem.h"

#define CELL   230.0 /* width of a map */
#define GAP    16.0
#define TITLE  20.0
#define SWATCH 12.0

enum { FAINTNESS = 3 };

int64_t map_cells_robots(const struct map_mesh *m)
{
    return m->robots == 1 ? 0 : m->robots < MAP_ROBOTS_SHOWN ? m->robots : MAP_ROBOTS_SHOWN;
}

struct svg_box map_cell(const struct map_mesh *m, int64_t i)
{
    const double height = CELL * (double)m->height / (double)m->width;

    return (struct svg_box){
        .x = GAP + (double)(i % MAP_COLUMNS) * (CELL + GAP),
        .y = TITLE + (double)(i / MAP_COLUMNS) * (height + TITLE + GAP),
        .width = CELL,
        .height = height,
    };
}

void map_cells_open(struct svg *s, struct text *out, const struct map_mesh *m, int64_t count,
                    const char *title)
{
    const struct svg_box last = map_cell(m, count - 1);

    svg_open(s, out,
             &(struct svg_frame){GAP + MAP_COLUMNS * (CELL + GAP), last.y + last.height + GAP,
                                 title, SVG_LIGHT});
}

static void add_picture(struct svg *s, const struct map_mesh *m, struct svg_box box,
                        const uint8_t *map, uint32_t colour)
{
    struct text png = {0};

    map_picture(m, map, 1, colour, &png);
    svg_picture(s, box, text_get(&png), png.length);
    text_release(&png);
}

static void add_faint_plan(struct svg *s, const struct map_mesh *m, struct svg_box box,
                           const uint8_t *plan)
{
    const int64_t points = map_mesh_points(m);
    uint8_t *faint = MEM_NEW_N(uint8_t, points);

    for (int64_t i = 0; i < points; i++)
        faint[i] = plan[i] / FAINTNESS;
    add_picture(s, m, box, faint, MAP_PLAN_COLOUR);
    mem_free(faint);
}

void map_cell_draw(struct svg *s, const struct map_mesh *m, int64_t i, const struct drawn_map *d)
{
    const struct svg_box box = map_cell(m, i);

    const double indent = d->swatch == SVG_INHERIT ? 0 : SWATCH;

    if (indent > 0)
        svg_circle(s, (struct svg_point){box.x + 4, box.y - 10}, 4,
                   &(struct svg_look){.fill = d->swatch});
    svg_text(s, &(struct svg_label){.x = box.x + indent, .y = box.y - 6, .size = SVG_SMALL},
             d->title);
    if (d->plan != NULL)
        add_faint_plan(s, m, box, d->plan);
    add_picture(s, m, box, d->map, d->colour);
    svg_rect(s, box, &(struct svg_look){.fill = SVG_NONE, .stroke = SVG_LINE, .stroke_width = 1});
}
