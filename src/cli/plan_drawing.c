/*
 * plan_drawing.c - see plan_drawing.h.
 */
#include "cli/plan_drawing.h"

#include <math.h>

#include "base/mem.h"
#include "report/svg.h"

#define SVG_SIDE   1000.0 /* the longer side */
#define DOT_SHARE  0.003  /* of the longer side: the radius of dots */
#define LINE_SHARE 0.0016 /* and half the width of lines */

enum { WALL_GREY = 112 };

void plan_drawing_add(struct plan_drawing *d, struct plan_mark mark)
{
    d->mark_count++;
    d->marks = mem_grow(d->marks, d->mark_count, sizeof *d->marks);
    d->marks[d->mark_count - 1] = mark;
}

void plan_drawing_release(struct plan_drawing *d)
{
    mem_free(d->marks);
    *d = (struct plan_drawing){0};
}

struct lidar_point plan_drawing_place(const struct floor_plan *p, struct lidar_point at)
{
    const double nx = (double)p->width, ny = (double)p->height;

    return (struct lidar_point){(at.x / nx + 0.5) * (nx - 1) + 0.5,
                                (at.y / ny + 0.5) * (ny - 1) + 0.5};
}

static double radius_of(const struct plan_mark *m)
{
    return (m->kind == PLAN_MARK_DOTS ? DOT_SHARE : LINE_SHARE) * (m->size > 0 ? m->size : 1);
}

/* --- SVG --- */

void plan_drawing_walls(const struct floor_plan *p, struct png_picture *out)
{
    png_picture_init(out, p->width, p->height, 4);
    for (int64_t i = 0; i < p->width * p->height; i++) {
        for (int c = 0; c < 3; c++)
            out->pixels[4 * i + c] = WALL_GREY;
        out->pixels[4 * i + 3] = p->pixels[i];
    }
}

static void add_walls(struct svg *s, const struct floor_plan *p, struct svg_box box)
{
    struct png_picture walls;
    struct text png = {0};

    plan_drawing_walls(p, &walls);
    png_picture_encode(&walls, &png);
    svg_picture(s, box, png.data, png.length);
    png_picture_release(&walls);
    text_release(&png);
}

static struct svg_point scaled(const struct floor_plan *p, struct lidar_point at, double scale)
{
    const struct lidar_point place = plan_drawing_place(p, at);

    return (struct svg_point){place.x * scale, place.y * scale};
}

static void add_mark(struct svg *s, const struct floor_plan *p, const struct plan_mark *m,
                     double scale)
{
    const double radius = SVG_SIDE * radius_of(m);
    struct text commands = {0};

    if (m->kind == PLAN_MARK_DOTS) {
        for (int64_t i = 0; i < m->count; i++)
            svg_circle(s, scaled(p, m->points[i], scale), radius,
                       &(struct svg_look){.fill = svg_fill(m->series), .name = "dot"});
        return;
    }
    for (int64_t i = 0; i < m->count; i++)
        svg_path_to(&commands, i == 0 ? 'M' : 'L', scaled(p, m->points[i], scale));
    svg_path(s, text_get(&commands),
             &(struct svg_look){.fill = SVG_NONE,
                                .stroke = svg_fill(m->series),
                                .stroke_width = 2 * radius,
                                .name = "line"});
    text_release(&commands);
}

void plan_drawing_svg(const struct plan_drawing *d, struct text *out)
{
    const struct floor_plan *p = d->plan;
    const double scale = SVG_SIDE / (double)(p->width > p->height ? p->width : p->height);
    const struct svg_box box = {0, 0, (double)p->width * scale, (double)p->height * scale};
    struct svg s;

    svg_open(&s, out, &(struct svg_frame){box.width, box.height, d->title, SVG_FOLLOW});
    add_walls(&s, p, box);
    for (int64_t i = 0; i < d->mark_count; i++)
        add_mark(&s, p, &d->marks[i], scale);
    svg_close(&s);
}

/* --- pixels --- */

static void put_disc(struct png_picture *out, struct lidar_point centre, double radius,
                     uint32_t rgb)
{
    const int64_t left = (int64_t)fmax(0, floor(centre.x - radius));
    const int64_t top = (int64_t)fmax(0, floor(centre.y - radius));

    for (int64_t y = top; y < out->height && (double)y <= centre.y + radius; y++) {
        for (int64_t x = left; x < out->width && (double)x <= centre.x + radius; x++) {
            uint8_t *pixel = out->pixels + 3 * (y * out->width + x);

            if (hypot((double)x + 0.5 - centre.x, (double)y + 0.5 - centre.y) > radius)
                continue;
            for (int c = 0; c < 3; c++)
                pixel[c] = (uint8_t)(rgb >> (16 - 8 * c));
        }
    }
}

static void put_line(struct png_picture *out, struct lidar_point a, struct lidar_point b,
                     double radius, uint32_t rgb)
{
    const double steps = ceil(fmax(fabs(b.x - a.x), fabs(b.y - a.y)) * 2);

    for (double i = 0; i <= steps; i++) {
        const double t = steps > 0 ? i / steps : 0;

        put_disc(out, (struct lidar_point){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)}, radius,
                 rgb);
    }
}

static void put_mark(struct png_picture *out, const struct floor_plan *p, const struct plan_mark *m)
{
    const double side = (double)(p->width > p->height ? p->width : p->height);
    const double radius = fmax(1, side * radius_of(m));
    const uint32_t rgb = svg_rgb(svg_fill(m->series));

    for (int64_t i = 0; i < m->count; i++) {
        const struct lidar_point at = plan_drawing_place(p, m->points[i]);

        if (m->kind == PLAN_MARK_DOTS)
            put_disc(out, at, radius, rgb);
        else if (i > 0)
            put_line(out, plan_drawing_place(p, m->points[i - 1]), at, radius, rgb);
    }
}

void plan_drawing_picture(const struct plan_drawing *d, struct png_picture *out)
{
    const struct floor_plan *p = d->plan;

    png_picture_init(out, p->width, p->height, 3);
    for (int64_t i = 0; i < 3 * p->width * p->height; i++)
        out->pixels[i] = (uint8_t)(FLOOR_PLAN_WALL - p->pixels[i / 3]);
    for (int64_t i = 0; i < d->mark_count; i++)
        put_mark(out, p, &d->marks[i]);
}
