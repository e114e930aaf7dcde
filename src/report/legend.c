/*
 * legend.c - places entries from left to right, and in a new row where there is no room.
 */
#include "report/legend.h"

#include <math.h>

#define PATCH 10.0
#define LINE  22.0
#define GAP   18.0

static double mark_width(const struct legend_entry *e)
{
    return e->is_line ? LINE : PATCH;
}

/* Of an entry with its name, at most a whole row. */
static double entry_width(const struct legend *l, const struct legend_entry *e)
{
    return fmin(mark_width(e) + 6 + svg_text_width(e->name, SVG_TEXT), l->width);
}

/* Where an entry is; `at` is where the one before ends. */
static struct svg_point place(const struct legend *l, int64_t i, struct svg_point at)
{
    if (at.x > l->x && at.x + entry_width(l, &l->entries[i]) > l->x + l->width)
        return (struct svg_point){l->x, at.y + LEGEND_ROW};
    return at;
}

double legend_height(const struct legend *l)
{
    struct svg_point at = {l->x, 0};

    for (int64_t i = 0; i < l->count; i++) {
        at = place(l, i, at);
        at.x += entry_width(l, &l->entries[i]) + GAP;
    }
    return l->count == 0 ? 0 : at.y + LEGEND_ROW;
}

static void draw_entry(const struct legend_entry *e, struct svg *s, struct svg_point at,
                       double width)
{
    if (e->is_line)
        svg_line(s, (struct svg_point){at.x, at.y + 8}, (struct svg_point){at.x + LINE, at.y + 8},
                 &(struct svg_look){.stroke = e->colour, .stroke_width = 2, .dash = e->dash});
    else
        svg_rect(s, (struct svg_box){at.x, at.y + 3, PATCH, PATCH},
                 &(struct svg_look){.fill = e->colour});
    svg_text(s,
             &(struct svg_label){.x = at.x + mark_width(e) + 6,
                                 .y = at.y + 12,
                                 .width_max = width - mark_width(e) - 5},
             e->name);
}

void legend_draw(const struct legend *l, struct svg *s)
{
    struct svg_point at = {l->x, l->y};

    for (int64_t i = 0; i < l->count; i++) {
        const double width = entry_width(l, &l->entries[i]);

        at = place(l, i, at);
        draw_entry(&l->entries[i], s, at, width);
        at.x += width + GAP;
    }
}
