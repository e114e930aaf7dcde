/*
 * panel.c - products with panel matrices: a tile of C in registers (tile.h), the sum over k around
 * it.
 *
 * A narrow last panel is computed with the same instructions as a full one, so that a column's bits
 * do not depend on how many there are: vectors are loaded beyond its columns, where the next row
 * lies, and the lanes that hold nothing are not stored. Only the last rows of all, behind which
 * memory may end, are read from a padded copy.
 */
#include <assert.h>
#include <stdbool.h>

#include "kernel/simd/functions.h"
#include "kernel/simd/sparse.h"
#include "kernel/simd/tile.h"

/* A row of up to 16 columns per k, at at[k * step]; from row `direct` on in tail. */
struct right {
    const float *at;
    int64_t step, width;
    int64_t count, direct;
    float tail[(PANEL - 1) * PANEL];
};

/* Rows of `width` columns, `step` apart, of which a tile will read whole vectors. */
static void right_init(struct right *b, const float *at, int64_t step, int64_t width, int64_t count)
{
    const int64_t reach = (width > LANES) * (PANEL - LANES) + LANES;
    const int64_t beyond = reach > width ? (reach - width + step - 1) / step : 0;

    b->at = at;
    b->step = step;
    b->width = width;
    b->count = count;
    b->direct = count > beyond ? count - beyond : 0;
    assert(count - b->direct < PANEL);
    for (int64_t k = b->direct; k < count; k++) {
        float *to = b->tail + (k - b->direct) * PANEL;
        memset(to, 0, PANEL * sizeof *to);
        copy_few(to, at + k * step, width);
    }
}

/* The part of that sum with rows first .. first + n - 1 of b. */
INLINE void multiply_add_rows(vec c[][VECTORS], struct tile t, struct left a, const struct right *b,
                              int64_t first, int64_t n)
{
    if (!t.narrow) {
        multiply_add(c, t, a, b->at + first * b->step, b->step, n);
        return;
    }
    int64_t direct = b->direct - first;
    direct = direct < 0 ? 0 : direct < n ? direct : n;
    multiply_add(c, t, a, b->at + first * b->step, b->step, direct);
    if (direct < n) {
        a.at += direct * a.step;
        multiply_add(c, t, a, b->tail + (first + direct - b->direct) * PANEL, PANEL, n - direct);
    }
}

INLINE void load_panel_row(vec c[VECTORS], struct tile t, const float *from, int64_t width)
{
    float padded[PANEL] = {0};

    if (t.narrow && LANES == PANEL) {
        c[0] = vec_load_few(from, width, 0.0F);
        return;
    }
    if (t.narrow) {
        copy_few(padded, from, width);
        from = padded;
    }
    for (int64_t v = 0; v < t.vectors; v++)
        c[v] = vec_load(from + v * LANES);
}

INLINE void store_row(float *to, struct tile t, const vec c[VECTORS], int64_t width)
{
    float padded[PANEL];

    if (t.narrow && LANES == PANEL) {
        vec_store_few(to, c[0], width);
        return;
    }
    for (int64_t v = 0; v < t.vectors; v++)
        vec_store((t.narrow ? padded : to) + v * LANES, c[v]);
    if (t.narrow)
        copy_few(to, padded, width);
}

/* --- c = bias + a w --- */

struct product {
    float *c; /* first column of the panel */
    int64_t ldc;
    const struct panel_rows *a;
    struct right w;
    float bias[PANEL];
};

INLINE void product_tile(struct tile t, const struct product *p, int64_t first_row)
{
    const struct panel_rows *a = p->a;
    vec c[TILE][VECTORS];

    for (int64_t i = 0; i < t.rows; i++)
        for (int64_t v = 0; v < t.vectors; v++)
            c[i][v] = vec_load(p->bias + v * LANES);
    for (int64_t r = 0; r < a->runs; r++) {
        const struct left run = {
            .at = a->data + first_row * a->row_stride + r * a->run_stride,
            .row = a->row_stride,
            .step = 1,
        };
        multiply_add_rows(c, t, run, &p->w, r * a->run, a->run);
    }
    for (int64_t i = 0; i < t.rows; i++)
        store_row(p->c + (first_row + i) * p->ldc, t, c[i], p->w.width);
}

INLINE void product_rows(struct tile t, const struct product *p)
{
    for (int64_t i = 0; i < p->a->count; i += t.rows)
        WITH_ROWS(t, even_rows(i, p->a->count), product_tile(t, p, i));
}

static void product_panel(const struct product *p)
{
    if (p->w.width == PANEL)
        product_rows((struct tile){.vectors = VECTORS}, p);
    else if (p->w.width > LANES)
        product_rows((struct tile){.vectors = VECTORS, .narrow = true}, p);
    else
        product_rows((struct tile){.vectors = 1, .narrow = true}, p);
}

void KERNEL(panel_product)(float *c, int64_t ldc, const struct panel_rows *a, const float *w,
                           const float *bias, int64_t columns)
{
    const int64_t inputs = a->runs * a->run;
    struct product p; /* not cleared: that takes as long as a small product */

    p.ldc = ldc;
    p.a = a;
    memset(p.bias, 0, sizeof p.bias);
    assert(ldc >= columns && columns > 0 && inputs > 0);
    for (int64_t n = sparse_product(c, ldc, a, w, bias, columns); n < columns; n += PANEL) {
        const int64_t width = panel_width(columns, n);
        p.c = c + n;
        right_init(&p.w, w + n * inputs, width, width, inputs);
        if (bias != NULL)
            memcpy(p.bias, bias + n, (size_t)width * sizeof *bias);
        product_panel(&p);
    }
}

/* --- dw += a^T dc --- */

enum { COLUMN_VECTORS = 4 }; /* as many chains of sums as an addition takes cycles */

struct gradient {
    float *dw; /* the panel, [K][width] */
    const struct panel_rows *a;
    bool sets; /* dw begins as 0, whatever it holds */
    struct right dc;
};

/* Inputs q .. q + t.rows - 1 of run r. */
INLINE void gradient_tile(struct tile t, const struct gradient *g, int64_t r, int64_t q)
{
    const struct panel_rows *a = g->a;
    const int64_t width = t.narrow ? g->dc.width : PANEL;
    float *dw = g->dw + (r * a->run + q) * width;
    const struct left inputs = {
        .at = a->data + r * a->run_stride + q,
        .row = 1,
        .step = a->row_stride,
    };
    vec c[TALL][VECTORS];

    for (int64_t i = 0; i < t.rows; i++)
        if (g->sets)
            for (int64_t v = 0; v < t.vectors; v++)
                c[i][v] = vec_all(0.0F);
        else
            load_panel_row(c[i], t, dw + i * width, width);
    for (int64_t i = 0; i < t.rows; i++) /* what the next tile stores: dw may lie far away */
        __builtin_prefetch(dw + (i + TALL) * width, 1);
    multiply_add_rows(c, t, inputs, &g->dc, 0, a->count);
    for (int64_t i = 0; i < t.rows; i++)
        store_row(dw + i * width, t, c[i], width);
}

/* The inputs of each run from `first` on. */
INLINE void gradient_inputs(struct tile t, const struct gradient *g, int64_t first)
{
    for (int64_t r = 0; r < g->a->runs; r++)
        for (int64_t q = first; q < g->a->run; q += TALL)
            WITH_TALL_ROWS(t, g->a->run - q, gradient_tile(t, g, r, q));
}

static void gradient_panel(const struct gradient *g)
{
    if (g->dc.width == PANEL)
        gradient_inputs((struct tile){.vectors = VECTORS}, g,
                        g->sets ? sparse_gradient(g->dw, g->a, g->dc.at, g->dc.step) : 0);
    else if (g->dc.width > LANES)
        gradient_inputs((struct tile){.vectors = VECTORS, .narrow = true}, g, 0);
    else
        gradient_inputs((struct tile){.vectors = 1, .narrow = true}, g, 0);
}

/* Inputs q .. q + n - 1 of run r, in whole vectors; n < LANES: in one that is filled up. */
INLINE void column_tile(const struct gradient *g, int64_t r, int64_t q, int64_t n)
{
    const struct panel_rows *a = g->a;
    const float *from = a->data + r * a->run_stride + q;
    float *dw = g->dw + r * a->run + q;
    vec c[COLUMN_VECTORS] = {0};

    for (int64_t v = 0; v * LANES < n && !g->sets; v++)
        c[v] = n < LANES ? vec_load_few(dw, n, 0.0F) : vec_load(dw + v * LANES);
    for (int64_t i = 0; i < a->count; i++)
        for (int64_t v = 0; v * LANES < n; v++) {
            const float *x = from + i * a->row_stride + v * LANES;
            c[v] += g->dc.at[i * g->dc.step] * (n < LANES ? vec_load_few(x, n, 0.0F) : vec_load(x));
        }
    for (int64_t v = 0; v * LANES < n; v++)
        if (n < LANES)
            vec_store_few(dw, c[v], n);
        else
            vec_store(dw + v * LANES, c[v]);
}

/* A panel of one column: with inputs as lanes none is wasted. The sums are the same. */
static void gradient_column(const struct gradient *g)
{
    const int64_t run = g->a->run;

    for (int64_t r = 0; r < g->a->runs; r++) {
        int64_t q = 0;
        for (; q + COLUMN_VECTORS * LANES <= run; q += COLUMN_VECTORS * LANES)
            column_tile(g, r, q, COLUMN_VECTORS * LANES);
        for (; q + LANES <= run; q += LANES)
            column_tile(g, r, q, LANES);
        if (q < run)
            column_tile(g, r, q, run - q);
    }
}

/* The panels from column `first` to before `last`; g has all but its panel. */
INLINE void gradient_panels(struct gradient *g, float *dw, const float *dc, int64_t ldc,
                            int64_t columns, int64_t first, int64_t last)
{
    const int64_t inputs = g->a->runs * g->a->run;

    assert(ldc >= columns && first >= 0 && last - PANEL < columns);
    for (int64_t n = first; n < last; n += PANEL) {
        g->dw = dw + n * inputs;
        right_init(&g->dc, dc + n, ldc, panel_width(columns, n), g->a->count);
        if (g->dc.width == 1)
            gradient_column(g);
        else
            gradient_panel(g);
    }
}

void KERNEL(panel_gradient)(float *dw, const struct panel_rows *a, const float *dc, int64_t ldc,
                            int64_t columns, int64_t first_panel, int64_t last_panel)
{
    struct gradient g;

    g.a = a;
    g.sets = false;
    gradient_panels(&g, dw, dc, ldc, columns, first_panel * PANEL, last_panel * PANEL);
}

void KERNEL(panel_gradient_set)(float *dw, const struct panel_rows *a, const float *dc, int64_t ldc,
                                int64_t columns, int64_t first_panel, int64_t last_panel)
{
    struct gradient g;

    g.a = a;
    g.sets = true;
    gradient_panels(&g, dw, dc, ldc, columns, first_panel * PANEL, last_panel * PANEL);
}

/* --- transposition, in blocks of 16 x 16: each is contiguous in both matrices --- */

/* to[n][k] = from[k][n], k < rows, n < columns */
INLINE void transpose_block(float *restrict to, const float *restrict from, int64_t rows,
                            int64_t columns)
{
    for (int64_t n = 0; n < columns; n++)
        for (int64_t k = 0; k < rows; k++)
            to[n * rows + k] = from[k * columns + n];
}

void KERNEL(panel_transpose_part)(float *wt, const float *w, int64_t rows, int64_t columns,
                                  int64_t first_panel, int64_t last_panel)
{
    const int64_t first = first_panel * PANEL, last = last_panel * PANEL;

    assert(first >= 0 && last - PANEL < rows);
    for (int64_t n = 0; n < columns; n += PANEL) {
        const int64_t width = panel_width(columns, n);
        for (int64_t k = first; k < last; k += PANEL) {
            const int64_t height = panel_width(rows, k);
            const float *from = w + n * rows + k * width;
            float *to = wt + (k - first) * columns + n * height;
            if (width == PANEL && height == PANEL)
                transpose_block(to, from, PANEL, PANEL);
            else
                transpose_block(to, from, height, width);
        }
    }
}

void KERNEL(panel_transpose)(float *wt, const float *w, int64_t rows, int64_t columns)
{
    KERNEL(panel_transpose_part)(wt, w, rows, columns, 0, (rows + PANEL - 1) / PANEL);
}
