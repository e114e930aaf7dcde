/*
 * heat_map.c - lays out and draws a matrix of cells.
 *
 * Cells of one colour are one path of thick horizontal lines, so that a large matrix stays a small
 * file: "M64 45h24" is a cell, and equal neighbours of a dense matrix are one line.
 */
#include "report/heat_map.h"

#include <inttypes.h>
#include <math.h>

#include "base/mem.h"
#include "report/axis.h"

enum { LEVELS = 20, GAP_FROM = 8 };

#define NAME_WIDTH_MAX 130.0
#define TEXT_PITCH     13.0 /* names of rows need so much room */
#define BAR_STEP       6.0  /* of the colour bar */

/* Where the cells are, in pixels. */
struct layout {
    int64_t rows, columns;           /* of cells */
    int64_t row_block, column_block; /* rows and columns of the matrix in a cell */
    double left, top, cell_width, cell_height, gap;
    double names_width, names_height; /* of rows, and of columns */
    bool is_turned;                   /* names of columns go upwards */
    double width, height;
};

int64_t heat_map_block(int64_t count)
{
    return (count + HEAT_MAP_CELLS - 1) / HEAT_MAP_CELLS;
}

/* --- names --- */

/* mem_free */
static char *name_of(const char *const *names, int64_t i)
{
    return names == NULL ? text_format("%" PRId64, i) : mem_text(names[i]);
}

static double widest_name(const char *const *names, int64_t count)
{
    char *last = text_format("%" PRId64, count);
    const double width =
        names == NULL ? svg_text_width(last, SVG_SMALL) : svg_widest(names, count, SVG_SMALL);

    mem_free(last);
    return fmin(width + 2, NAME_WIDTH_MAX);
}

/* Every how many cells a name is written. */
static int64_t name_stride(double pitch, bool is_numbered)
{
    static const int64_t round[] = {1, 2, 5, 10, 20, 50, 100};
    const double least = TEXT_PITCH / pitch;

    for (int i = 0; is_numbered && i < 7; i++)
        if ((double)round[i] >= least)
            return round[i];
    return (int64_t)ceil(least);
}

/* --- layout --- */

static void add_count(struct text *out, int64_t count)
{
    if (count < 100000)
        text_addf(out, "%" PRId64, count);
    else
        axis_add_short(out, (double)count, AXIS_NUMBER);
}

/* Nothing for a count of 0. */
static void add_label(struct text *out, const struct heat_map *m, int64_t cell)
{
    if (m->counts != NULL && m->counts[cell] != 0)
        add_count(out, m->counts[cell]);
    if (m->labels != NULL && m->labels[cell] != NULL)
        text_add(out, m->labels[cell]);
}

static bool has_labels(const struct heat_map *m)
{
    return m->counts != NULL || m->labels != NULL;
}

static double widest_label(const struct heat_map *m)
{
    double widest = 0;

    for (int64_t i = 0; i < m->rows * m->columns; i++) {
        struct text number = {0};

        add_label(&number, m, i);
        widest = fmax(widest, svg_text_width(text_get(&number), SVG_SMALL));
        text_release(&number);
    }
    return widest;
}

static void set_cells(struct layout *l, const struct heat_map *m)
{
    const double room = has_labels(m) ? widest_label(m) + 6 : 0;

    l->row_block = heat_map_block(m->rows);
    l->column_block = heat_map_block(m->columns);
    l->rows = (m->rows + l->row_block - 1) / l->row_block;
    l->columns = (m->columns + l->column_block - 1) / l->column_block;
    l->cell_width = floor(fmin(fmax(520 / (double)l->columns, 4), 40));
    l->cell_height = floor(fmin(fmax(480 / (double)l->rows, 4), 24));
    if (has_labels(m)) {
        l->cell_width = ceil(fmax(l->cell_width, room));
        l->cell_height = fmax(l->cell_height, 20);
    } else if (l->rows == l->columns) {
        l->cell_width = l->cell_height;
    }
    l->gap = fmin(l->cell_width, l->cell_height) >= GAP_FROM ? 1 : 0;
}

static struct layout make_layout(const struct heat_map *m)
{
    struct layout l = {0};

    set_cells(&l, m);
    l.names_width = ceil(widest_name(m->row_names, m->rows));
    const double names = widest_name(m->column_names, m->columns);
    l.is_turned = names + 4 > l.cell_width;
    l.names_height = ceil(l.is_turned && m->column_names != NULL ? names : 12);
    l.is_turned = l.is_turned && m->column_names != NULL;
    l.left = 34 + l.names_width;
    l.top = 46 + l.names_height;
    l.width = fmax(l.left + l.cell_width * (double)l.columns + 20, 420);
    l.height = l.top + l.cell_height * (double)l.rows + 12;
    return l;
}

/* --- cells --- */

/* The mean of a block; NaN: nothing is known of it. */
static double shade_at(const struct heat_map *m, const struct layout *l, int64_t row,
                       int64_t column)
{
    double sum = 0;
    int64_t count = 0;

    for (int64_t i = row * l->row_block; i < (row + 1) * l->row_block && i < m->rows; i++) {
        for (int64_t j = column * l->column_block;
             j < (column + 1) * l->column_block && j < m->columns; j++) {
            const double shade = m->shades[i * m->columns + j];

            if (isfinite(shade)) {
                sum += shade;
                count++;
            }
        }
    }
    return count == 0 ? (double)NAN : sum / (double)count;
}

/* 0: nothing is drawn. The smallest value above 0 is visible. */
static int level_of(double shade)
{
    return isfinite(shade) ? (int)ceil(fmin(fmax(shade, 0), 1) * LEVELS - 1e-9) : 0;
}

static void add_runs(const struct layout *l, const int *levels, int64_t row, struct text *paths)
{
    const double y = l->top + ((double)row + 0.5) * l->cell_height - l->gap / 2;
    int64_t end = 0;

    for (int64_t c = 0; c < l->columns; c = end) {
        end = c + 1;
        while (l->gap == 0 && end < l->columns && levels[end] == levels[c])
            end++;
        if (levels[c] == 0)
            continue;
        struct text *path = &paths[levels[c]];
        svg_path_to(path, 'M', (struct svg_point){l->left + (double)c * l->cell_width, y});
        svg_path_by(path, 'h', (double)(end - c) * l->cell_width - l->gap);
    }
}

static void draw_cells(const struct heat_map *m, const struct layout *l, struct svg *s)
{
    struct text paths[LEVELS + 1] = {0};
    int *levels = MEM_NEW_N(int, l->columns);

    for (int64_t row = 0; row < l->rows; row++) {
        for (int64_t c = 0; c < l->columns; c++)
            levels[c] = level_of(shade_at(m, l, row, c));
        add_runs(l, levels, row, paths);
    }
    for (int i = 1; i <= LEVELS; i++) {
        if (paths[i].length > 0)
            svg_path(s, text_get(&paths[i]),
                     &(struct svg_look){.stroke = SVG_HEAT,
                                        .stroke_width = l->cell_height - l->gap,
                                        .opacity = (double)i / LEVELS,
                                        .is_crisp = true});
        text_release(&paths[i]);
    }
    mem_free(levels);
}

static void draw_labels(const struct heat_map *m, const struct layout *l, struct svg *s)
{
    for (int64_t i = 0; has_labels(m) && i < m->rows * m->columns; i++) {
        const double row = (double)(i / m->columns), column = (double)(i % m->columns);
        struct text number = {0};

        add_label(&number, m, i);
        if (number.length == 0)
            continue;
        svg_text(s,
                 &(struct svg_label){.x = l->left + (column + 0.5) * l->cell_width,
                                     .y = l->top + (row + 0.5) * l->cell_height + 4,
                                     .size = SVG_SMALL,
                                     .anchor = SVG_MIDDLE,
                                     .colour = m->shades[i] > 0.6 ? SVG_PAPER : SVG_INK},
                 text_get(&number));
        text_release(&number);
    }
}

static void draw_mark(const struct heat_map *m, const struct layout *l, struct svg *s)
{
    const double row = (double)(m->marked / m->columns), column = (double)(m->marked % m->columns);
    const struct svg_box cell = {l->left + column * l->cell_width, l->top + row * l->cell_height,
                                 l->cell_width - l->gap, l->cell_height - l->gap};

    if (m->has_mark)
        svg_rect(s, cell,
                 &(struct svg_look){
                     .fill = SVG_NONE, .stroke = SVG_FILL_1, .stroke_width = 2.5, .name = "best"});
}

/* --- around the cells --- */

static void draw_row_names(const struct heat_map *m, const struct layout *l, struct svg *s)
{
    const int64_t stride = name_stride(l->cell_height / (double)l->row_block, m->row_names == NULL);

    for (int64_t i = 0; i < m->rows; i += stride) {
        const double row = ((double)i + 0.5) / (double)l->row_block;
        char *name = name_of(m->row_names, i);

        svg_text(s,
                 &(struct svg_label){.x = l->left - 6,
                                     .y = l->top + row * l->cell_height + 4,
                                     .size = SVG_SMALL,
                                     .anchor = SVG_END,
                                     .colour = SVG_FAINT,
                                     .width_max = NAME_WIDTH_MAX},
                 name);
        mem_free(name);
    }
}

static void draw_column_names(const struct heat_map *m, const struct layout *l, struct svg *s)
{
    const double pitch = l->cell_width / (double)l->column_block;
    const double needed = l->is_turned ? 1 : widest_name(m->column_names, m->columns) / TEXT_PITCH;
    const int64_t stride =
        name_stride(pitch / fmax(needed + (l->is_turned ? 0 : 0.3), 1), m->column_names == NULL);

    for (int64_t i = 0; i < m->columns; i += stride) {
        const double x = l->left + ((double)i + 0.5) * pitch;
        char *name = name_of(m->column_names, i);

        svg_text(s,
                 &(struct svg_label){.x = x + (l->is_turned ? 4 : 0),
                                     .y = l->top - 6,
                                     .size = SVG_SMALL,
                                     .anchor = l->is_turned ? SVG_START : SVG_MIDDLE,
                                     .colour = SVG_FAINT,
                                     .rotation = l->is_turned ? -90 : 0,
                                     .width_max = NAME_WIDTH_MAX},
                 name);
        mem_free(name);
    }
}

/* What the colours mean, in the right upper corner. */
static void draw_bar(const struct heat_map *m, const struct layout *l, struct svg *s)
{
    const double high = svg_text_width(m->high, SVG_SMALL);
    const double left = l->width - 20 - high - LEVELS * BAR_STEP;

    for (int i = 1; i <= LEVELS; i++)
        svg_rect(
            s, (struct svg_box){left + (i - 1) * BAR_STEP, 8, BAR_STEP, 10},
            &(struct svg_look){.fill = SVG_HEAT, .opacity = (double)i / LEVELS, .is_crisp = true});
    svg_text(s,
             &(struct svg_label){
                 .x = left - 6, .y = 17, .size = SVG_SMALL, .anchor = SVG_END, .colour = SVG_FAINT},
             m->low);
    svg_text(
        s,
        &(struct svg_label){
            .x = left + LEVELS * BAR_STEP + 6, .y = 17, .size = SVG_SMALL, .colour = SVG_FAINT},
        m->high);
}

static void draw_titles(const struct heat_map *m, const struct layout *l, struct svg *s)
{
    svg_text(s,
             &(struct svg_label){.x = l->left + l->cell_width * (double)l->columns / 2,
                                 .y = l->top - l->names_height - 12,
                                 .anchor = SVG_MIDDLE},
             m->column_title);
    svg_text(s,
             &(struct svg_label){.x = 16,
                                 .y = l->top + l->cell_height * (double)l->rows / 2,
                                 .anchor = SVG_MIDDLE,
                                 .rotation = -90},
             m->row_title);
}

void heat_map_draw(const struct heat_map *m, struct text *svg)
{
    const struct layout l = make_layout(m);
    const struct svg_box cells = {l.left, l.top, l.cell_width * (double)l.columns - l.gap,
                                  l.cell_height * (double)l.rows - l.gap};
    struct svg s;

    svg_open(&s, svg, &(struct svg_frame){l.width, l.height, m->title, SVG_LIGHT});
    draw_bar(m, &l, &s);
    draw_titles(m, &l, &s);
    draw_cells(m, &l, &s);
    svg_rect(&s, cells, &(struct svg_look){SVG_NONE, SVG_LINE, 1, .is_crisp = true});
    draw_labels(m, &l, &s);
    draw_mark(m, &l, &s);
    draw_row_names(m, &l, &s);
    draw_column_names(m, &l, &s);
    svg_close(&s);
}
