/*
 * curve_plot.c - draws bands, then lines, then marks, so that no line is under a band.
 */
#include "report/curve_plot.h"

#include <math.h>

#include "base/mem.h"

#define LEFT      66.0
#define RIGHT     24.0
#define BELOW     46.0
#define ABOVE     26.0 /* for the title of the y axis */
#define TICK_ROOM 26.0

struct plot {
    const struct curve_set *set;
    struct axis x, y;
};

const char *curve_dash(int64_t setting)
{
    static const char *const dashes[] = {NULL, "7 4", "2 3", "9 3 2 3", "12 5", "5 2 1 2 1 2"};

    return dashes[setting % 6];
}

/* --- axes --- */

static bool is_drawn(const struct plot *p, const struct curve_point *c)
{
    return axis_has(&p->x, c->x) && axis_has(&p->y, c->y);
}

static void extend_by(struct axis_range *x, struct axis_range *y, const struct curve_point *c)
{
    const bool has_place = isfinite(c->x) && (!x->is_log || c->x > 0);

    axis_extend(x, c->x);
    if (!has_place)
        return;
    axis_extend(y, c->y);
    axis_extend(y, c->low);
    axis_extend(y, c->high);
}

/* Those of the given ticks that have room for their labels. */
static void set_ticks(struct axis *x, const struct curve_set *set)
{
    double before = -(double)INFINITY;

    x->tick_count = 0;
    for (int64_t i = 0; i < set->x_tick_count && x->tick_count < AXIS_TICKS_MAX; i++) {
        const double at = axis_at(x, set->x_ticks[i]);

        if (!axis_has(x, set->x_ticks[i]) || at - before < TICK_ROOM)
            continue;
        x->ticks[x->tick_count++] = set->x_ticks[i];
        before = at;
    }
}

static void plot_init(struct plot *p, const struct curve_set *set, struct svg_box area)
{
    struct axis_range x = {AXIS_EMPTY,     .is_log = set->is_x_log,   .unit = set->x_unit,
                           .from = area.x, .to = area.x + area.width, .is_exact = true};
    struct axis_range y = {AXIS_EMPTY, .is_log = set->is_y_log, .unit = set->y_unit,
                           .from = area.y + area.height, .to = area.y};

    for (int64_t i = 0; i < set->count; i++)
        for (int64_t k = 0; k < set->curves[i].count; k++)
            extend_by(&x, &y, &set->curves[i].points[k]);
    x.from_zero = x.low > 0 && x.low < 0.2 * x.high;
    y.from_zero = set->is_y_from_zero;
    if (set->is_y_log && y.low <= y.high) {
        y.low /= 1.1;
        y.high *= 1.1;
    }
    *p = (struct plot){.set = set};
    axis_init(&p->x, &x);
    axis_init(&p->y, &y);
    if (set->x_ticks != NULL)
        set_ticks(&p->x, set);
}

/* --- lines --- */

/* Any number is below NaN. */
static bool is_below(double a, double b)
{
    return a < b || (isnan(b) && !isnan(a));
}

/* Of many points the lowest and the highest of each of CURVE_POINTS_MAX / 2 neighbourhoods, in
 * their order. mem_free. */
static struct curve_point *thin(const struct curve *c, int64_t *count)
{
    const int64_t groups = c->count > CURVE_POINTS_MAX ? CURVE_POINTS_MAX / 2 : 0;
    struct curve_point *kept =
        MEM_NEW_N(struct curve_point, groups > 0 ? CURVE_POINTS_MAX : c->count);

    *count = groups > 0 ? 0 : c->count;
    for (int64_t i = 0; groups == 0 && i < c->count; i++)
        kept[i] = c->points[i];
    for (int64_t g = 0; g < groups; g++) {
        const int64_t begin = g * c->count / groups, end = (g + 1) * c->count / groups;
        int64_t low = begin, high = begin;

        for (int64_t i = begin + 1; i < end; i++) {
            low = is_below(c->points[i].y, c->points[low].y) ? i : low;
            high = is_below(-c->points[i].y, -c->points[high].y) ? i : high;
        }
        kept[(*count)++] = c->points[low < high ? low : high];
        if (low != high)
            kept[(*count)++] = c->points[low < high ? high : low];
    }
    return kept;
}

static bool has_band(const struct plot *p, const struct curve_point *c)
{
    return axis_has(&p->x, c->x) && isfinite(c->low) && isfinite(c->high);
}

/* Forwards over the upper ends of neighbouring points, and back over the lower ones. */
static void add_area(const struct plot *p, const struct curve_point *points, int64_t count,
                     struct text *path)
{
    for (int64_t i = 0; i < count; i++)
        svg_path_to(
            path, i == 0 ? 'M' : 'L',
            (struct svg_point){axis_at(&p->x, points[i].x), axis_at(&p->y, points[i].high)});
    for (int64_t i = count - 1; i >= 0; i--)
        svg_path_to(path, 'L',
                    (struct svg_point){axis_at(&p->x, points[i].x), axis_at(&p->y, points[i].low)});
    text_add(path, "z");
}

static void draw_band(const struct plot *p, const struct curve *c, struct svg *s)
{
    struct text path = {0};
    int64_t count = 0, end = 0;
    struct curve_point *points = thin(c, &count);

    for (int64_t i = 0; i < count; i = end + 1) {
        end = i;
        while (end < count && has_band(p, &points[end]))
            end++;
        if (end - i > 1)
            add_area(p, points + i, end - i, &path);
    }
    if (path.length > 0)
        svg_path(s, text_get(&path), &(struct svg_look){.fill = c->colour, .opacity = 0.18});
    text_release(&path);
    mem_free(points);
}

static void draw_line(const struct plot *p, const struct curve *c, struct svg *s)
{
    struct text path = {0};
    int64_t count = 0;
    struct curve_point *points = thin(c, &count);
    bool is_open = false;

    for (int64_t i = 0; i < count; i++) {
        const bool is_point = is_drawn(p, &points[i]);

        if (is_point)
            svg_path_to(
                &path, is_open ? 'L' : 'M',
                (struct svg_point){axis_at(&p->x, points[i].x), axis_at(&p->y, points[i].y)});
        is_open = is_point;
    }
    if (path.length > 0)
        svg_path(s, text_get(&path),
                 &(struct svg_look){
                     .fill = SVG_NONE, .stroke = c->colour, .stroke_width = 1.75, .dash = c->dash});
    text_release(&path);
    mem_free(points);
}

static void draw_bar(const struct plot *p, const struct curve *c, const struct curve_point *at,
                     struct svg *s)
{
    const double x = axis_at(&p->x, at->x), low = axis_at(&p->y, at->low);
    const double high = axis_at(&p->y, at->high);
    struct text path = {0};

    svg_path_to(&path, 'M', (struct svg_point){x, low});
    svg_path_by(&path, 'V', high);
    svg_path_to(&path, 'M', (struct svg_point){x - 3, low});
    svg_path_by(&path, 'h', 6);
    svg_path_to(&path, 'M', (struct svg_point){x - 3, high});
    svg_path_by(&path, 'h', 6);
    svg_path(s, text_get(&path), &(struct svg_look){.stroke = c->colour, .stroke_width = 1.25});
    text_release(&path);
}

/* A point alone, of which no line can be seen, always has a mark. */
static void draw_marks(const struct plot *p, const struct curve *c, struct svg *s)
{
    for (int64_t i = 0; i < c->count; i++) {
        const struct curve_point *at = &c->points[i];

        if (c->spread == CURVE_BARS && has_band(p, at) && i < CURVE_POINTS_MAX)
            draw_bar(p, c, at, s);
        if ((c->has_marks || c->count == 1) && is_drawn(p, at) && i < CURVE_POINTS_MAX)
            svg_circle(
                s, (struct svg_point){axis_at(&p->x, at->x), axis_at(&p->y, at->y)}, 3.2,
                &(struct svg_look){.fill = c->colour, .stroke = SVG_PAPER, .stroke_width = 1});
    }
}

static void draw_curves(const struct plot *p, struct svg *s)
{
    const struct curve_set *set = p->set;

    for (int64_t i = 0; i < set->count; i++)
        if (set->curves[i].spread == CURVE_BAND)
            draw_band(p, &set->curves[i], s);
    for (int64_t i = 0; i < set->count; i++)
        draw_line(p, &set->curves[i], s);
    for (int64_t i = 0; i < set->count; i++)
        draw_marks(p, &set->curves[i], s);
}

void curve_plot_into(const struct curve_set *set, struct svg *s, struct svg_box box)
{
    const struct svg_box area = {box.x + LEFT, box.y + ABOVE, box.width - LEFT - RIGHT,
                                 box.height - ABOVE - BELOW};
    struct plot p;

    plot_init(&p, set, area);
    axis_draw_left(&p.y, s, area, set->y_title);
    axis_draw_below(&p.x, s, area, set->x_title);
    draw_curves(&p, s);
}

int64_t curve_plot_entries(const struct curve_set *set, struct legend_entry *entries)
{
    int64_t count = 0;

    for (int64_t i = 0; i < set->count; i++) {
        const struct curve *c = &set->curves[i];

        if (!c->is_hidden_in_legend && c->name != NULL)
            entries[count++] = (struct legend_entry){c->name, c->colour, true, c->dash};
    }
    return count;
}

/* --- the figure --- */

static void put_numbers(const struct curve_set *set, struct figure *f)
{
    static const char *const titles[] = {"curve", "x", "y", "low", "high", NULL};
    int64_t rows = 0, row = 0;

    for (int64_t i = 0; i < set->count; i++)
        rows += set->curves[i].count;
    figure_start_numbers(f, titles, rows);
    for (int64_t i = 0; i < set->count; i++) {
        for (int64_t k = 0; k < set->curves[i].count; k++) {
            const struct curve_point *p = &set->curves[i].points[k];

            if (set->curves[i].name != NULL)
                figure_put_text(f, row, 0, set->curves[i].name);
            figure_put_number(f, row, 1, p->x);
            figure_put_number(f, row, 2, p->y);
            figure_put_number(f, row, 3, p->low);
            figure_put_number(f, row++, 4, p->high);
        }
    }
}

static bool has_points(const struct curve_set *set)
{
    const struct plot p = {.x = {.is_log = set->is_x_log}, .y = {.is_log = set->is_y_log}};

    for (int64_t i = 0; i < set->count; i++)
        for (int64_t k = 0; k < set->curves[i].count; k++)
            if (is_drawn(&p, &set->curves[i].points[k]))
                return true;
    return false;
}

bool curve_plot(const struct curve_set *set, struct figure *f)
{
    const double width = set->width > 0 ? set->width : 720;
    const double height = set->height > 0 ? set->height : 420;
    struct legend_entry *entries = MEM_NEW_N(struct legend_entry, set->count);
    struct legend legend = {entries, curve_plot_entries(set, entries), LEFT, 34, width - LEFT - 20};
    const bool is_drawable = has_points(set);
    struct svg s;

    *f = (struct figure){.name = set->name, .title = set->title};
    if (is_drawable) {
        const double top = legend.y + legend_height(&legend);

        svg_open(&s, &f->svg, &(struct svg_frame){width, height + top, set->title, SVG_LIGHT});
        svg_text(&s, &(struct svg_label){LEFT, 20, .size = SVG_TITLE, .is_bold = true}, set->title);
        legend_draw(&legend, &s);
        curve_plot_into(set, &s, (struct svg_box){0, top, width, height});
        svg_close(&s);
        put_numbers(set, f);
    }
    mem_free(entries);
    return is_drawable;
}
