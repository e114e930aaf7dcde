/*
 * map_cells.h - maps of one mesh next to each other, each with its title: what the figures of
 * robots are made of.
 */
#ifndef REPORT_FIGURES_MAP_CELLS_H
#define REPORT_FIGURES_MAP_CELLS_H

#include "record/map_pictures.h"
#include "report/svg.h"

enum { MAP_COLUMNS = 3, MAP_ROBOTS_SHOWN = 12 };

/* Colours that are seen on light and on dark pages. */
enum { MAP_PLAN_COLOUR = 0x8a939c };

struct drawn_map {
    const char *title;
    const uint8_t *map; /* [height][width] */
    uint32_t colour;
    const uint8_t *plan;    /* faintly below the map; NULL: not drawn */
    enum svg_colour swatch; /* a dot of this colour next to the title; SVG_INHERIT: none */
};

/* Robots whose own maps are drawn; of one alone there are none besides the common one. */
int64_t map_cells_robots(const struct map_mesh *m);

/* Opens a drawing of so many cells. */
void map_cells_open(struct svg *s, struct text *out, const struct map_mesh *m, int64_t count,
                    const char *title);

/* Where the map of cell i is, row by row; and draws it. */
struct svg_box map_cell(const struct map_mesh *m, int64_t i);
void map_cell_draw(struct svg *s, const struct map_mesh *m, int64_t i, const struct drawn_map *d);

#endif
