/*
 * few.c - convolutions of few input channels (few.h): a tile of outputs or weights in registers.
 *
 * Forward: with AVX-512 a tile is 3 positions of 64 channels; each number that is broadcast serves
 * four vectors of weights. More positions are slower: they leave fewer registers to rename, and
 * the next tile cannot begin while this one is stored. A tile asks for the lines that the next one
 * writes, a few with every tap: all at once, they would hold up its loads. By the weights: a run of
 * up to 12 inputs of 32 channels. Two more registers hold the sums of the gradient itself: what
 * they add is loaded anyway, and by units that multiply-adds leave idle. Narrower vectors have 16
 * registers: one panel at a time.
 *
 * Every element gets its operations in the order of its taps, or of its positions, wherever it
 * stands in a tile.
 */
#include <assert.h>
#include <stdbool.h>

#include "kernel/simd/functions.h"
#include "kernel/simd/tile.h"

/* A tile's form, always constant. */
struct form {
    int rows, vectors;
    bool narrow; /* of its one vector, the last lanes hold nothing */
    int panels;  /* by the weights */
    bool sums;   /* of columns, too */
};

/* clang-format off */
#define CASES_1(t, c) ROW_CASE(t, 1, c)
#define CASES_4(t, c) CASES_2(t, c) ROW_CASE(t, 3, c) ROW_CASE(t, 4, c)
#define CASES_11(t, c) CASES_7(t, c) ROW_CASE(t, 8, c) ROW_CASE(t, 9, c) ROW_CASE(t, 10, c) \
    ROW_CASE(t, 11, c)
/* clang-format on */

/*
 * Forward: most positions of a tile of 4, 2 and 1 vectors of channels. Four need more than 16
 * registers. Where their weights fill the first-level cache, more positions share what is fetched.
 */
enum {
    ROWS_OF_4 = 3,
    ROWS_OF_4_UNCACHED = 5,
    ROWS_OF_2 = 6,
    ROWS_OF_1 = 8,
    VECTORS_MOST = 4,
    CACHED_TAPS = 100,
};

/* By the weights: a tile of GROUP panels and TAPS inputs. */
#if LANES == 16
enum { GROUP = 2, TAPS = 12 };
#define TAP_CASES CASES_11
#elif LANES == 8
enum { GROUP = 1, TAPS = 5 };
#define TAP_CASES CASES_4
#else
enum { GROUP = 1, TAPS = 2 };
#define TAP_CASES CASES_1
#endif

/* n in parts as even as possible, of at most `most`: first those of size + 1, up to `turn`. */
struct parts {
    int64_t size, turn;
};

INLINE struct parts even_parts(int64_t n, int64_t most)
{
    const int64_t parts = (n + most - 1) / most, size = n / parts;

    return (struct parts){size, (n - size * parts) * (size + 1)};
}

/* --- forward --- */

/* What all tiles of a call have in common. A copy: what is stored cannot change it, so that no tile
 * has to load it again. */
struct product {
    const struct few_tap *taps, *end;
    int64_t step, out_step;
    int64_t lines, line, out_line;
    int64_t ahead; /* outputs of a window of the next tile that are fetched with a tap */
    int64_t rest;  /* channels of the last vector, if it is not full */
};

/* Where a tile begins. Kept by hand: the compiler would keep many sums of these, in registers of
 * vectors, and what comes from there as an address comes late. */
struct place {
    const float *x, *weights, *bias;
    float *c;
};

INLINE void product_tile(struct form t, struct product p, struct place at)
{
    vec c[ROWS_OF_1][VECTORS_MOST];
    const int64_t ahead = t.rows * p.ahead;
    const float *next = at.c + t.rows * p.out_step;

#pragma GCC unroll 8
    for (int64_t r = 0; r < t.rows; r++)
#pragma GCC unroll 4
        for (int64_t v = 0; v < t.vectors; v++)
            c[r][v] = vec_load(at.bias + v * LANES);
    for (const struct few_tap *tap = p.taps; tap < p.end; tap++, next += ahead) {
        __builtin_prefetch(next, 1);
        const float *x = at.x + tap->x, *weights = at.weights + tap->w;
        vec w[VECTORS_MOST];
        OPAQUE(weights);
        OPAQUE(x);
#pragma GCC unroll 4
        for (int64_t v = 0; v < t.vectors; v++)
            w[v] = vec_load(weights + v * LANES);
#pragma GCC unroll 8
        for (int64_t r = 0; r < t.rows; r++) {
            const vec all = vec_all(x[r * p.step]);
#pragma GCC unroll 4
            for (int64_t v = 0; v < t.vectors; v++)
                c[r][v] += all * w[v];
        }
    }
#pragma GCC unroll 8
    for (int64_t r = 0; r < t.rows; r++, at.c += p.out_step) {
        OPAQUE(at.c);
#pragma GCC unroll 4
        for (int64_t v = 0; v < t.vectors; v++)
            if (t.narrow)
                vec_store_few(at.c, c[r][v], p.rest);
            else
                vec_store(at.c + v * LANES, c[r][v]);
    }
}

/* Windows begin .. end-1 of every line. */
INLINE void product_tiles(struct form t, struct product p, struct place first, int64_t begin,
                          int64_t end)
{
    for (int64_t line = 0; line < p.lines; line++) {
        struct place at = first;
        at.x += line * p.line + begin * p.step;
        at.c += line * p.out_line + begin * p.out_step;
        for (int64_t i = begin; i < end; i += t.rows) {
            OPAQUE(at.x);
            OPAQUE(at.c);
            OPAQUE(at.weights);
            OPAQUE(at.bias);
            product_tile(t, p, at);
            at.x += t.rows * p.step;
            at.c += t.rows * p.out_step;
        }
    }
}

/* All windows, in tiles of at most `most` rows. */
#define PRODUCT_ROWS(t, p, at, count, most, cases)                        \
    do {                                                                  \
        const struct parts parts_ = even_parts(count, most);              \
        if (parts_.turn > 0)                                              \
            WITH_CASES(t, parts_.size + 1, most, cases,                   \
                       product_tiles(t, *(p), *(at), 0, parts_.turn))     \
        if (parts_.turn < (count))                                        \
            WITH_CASES(t, parts_.size, most, cases,                       \
                       product_tiles(t, *(p), *(at), parts_.turn, count)) \
    } while (0)

static void product_of_4(const struct product *p, const struct place *at, int64_t count)
{
    struct form t = {.vectors = 4};

    if (p->end - p->taps > CACHED_TAPS)
        PRODUCT_ROWS(t, p, at, count, ROWS_OF_4_UNCACHED, CASES_4);
    else
        PRODUCT_ROWS(t, p, at, count, ROWS_OF_4, CASES_2);
}

static void product_of_2(const struct product *p, const struct place *at, int64_t count)
{
    struct form t = {.vectors = 2};

    PRODUCT_ROWS(t, p, at, count, ROWS_OF_2, CASES_5);
}

static void product_of_1(const struct product *p, const struct place *at, int64_t count)
{
    struct form t = {.vectors = 1};

    PRODUCT_ROWS(t, p, at, count, ROWS_OF_1, CASES_7);
}

static void product_rest(const struct product *p, const struct place *at, int64_t count)
{
    struct form t = {.vectors = 1, .narrow = true};

    PRODUCT_ROWS(t, p, at, count, ROWS_OF_1, CASES_7);
}

/* `columns` channels from a place on, which lie in one group. */
static void product_group(const struct product *p, struct place at, int64_t count, int64_t columns)
{
    while (columns > 0) {
        const int64_t vectors = columns / LANES;
        int64_t n = 0;
        if (LANES == 16 && vectors >= 4) {
            product_of_4(p, &at, count);
            n = 4 * LANES;
        } else if (vectors >= 2) {
            product_of_2(p, &at, count);
            n = 2 * LANES;
        } else if (vectors == 1) {
            product_of_1(p, &at, count);
            n = LANES;
        } else {
            product_rest(p, &at, count);
            n = columns;
        }
        at = (struct place){at.x, at.weights + n, at.bias + n, at.c + n};
        columns -= n;
    }
}

/* Floats of a window's outputs that are fetched with a tap; none if windows leave gaps. */
static int64_t outputs_per_tap(const struct few_windows *w, int64_t columns)
{
    const bool is_whole = w->out_step == columns && w->tap_count > 0;

    return is_whole ? (columns + w->tap_count - 1) / w->tap_count : 0;
}

void KERNEL(few_product)(float *c, const struct few_windows *windows, const struct few_weights *w)
{
    const struct product p = {
        .taps = windows->taps,
        .end = windows->taps + windows->tap_count,
        .step = windows->step,
        .out_step = windows->out_step,
        .lines = windows->lines,
        .line = windows->line,
        .out_line = windows->out_line,
        .ahead = outputs_per_tap(windows, w->columns),
        .rest = w->columns % LANES,
    };

    assert(windows->count > 0 && w->columns > 0);
    for (int64_t n = 0; n < w->columns; n += w->group) {
        const int64_t rest = w->columns - n;
        const struct place at = {
            .x = windows->image + windows->first,
            .weights = w->weights + n * w->taps,
            .bias = w->bias + n,
            .c = c + n,
        };
        product_group(&p, at, windows->count, rest < w->group ? rest : w->group);
    }
}

/* --- by the weights --- */

enum { GROUP_VECTORS = GROUP * VECTORS, SUM_BLOCK = 32 };

struct gradient {
    float *dw;     /* of the group's first panel */
    int64_t apart; /* floats from one panel of dw to the next */
    const struct few_inputs *a;
    const struct few_output *dc;
    const float *outputs; /* of the group's first panel */
    double *sums;         /* of the group; NULL: not wanted */
};

/* Through memory: lane by lane, the compiler would add them one by one. */
INLINE void add_to_doubles(double *sums, const vec *s, int vectors)
{
    float lanes[GROUP_VECTORS * LANES];

#pragma GCC unroll 4
    for (int64_t v = 0; v < vectors; v++)
        vec_store(lanes + v * LANES, s[v]);
    INDEPENDENT
    for (int64_t l = 0; l < vectors * LANES; l++)
        sums[l] += (double)lanes[l];
}

/* Loads or stores what a tile adds to; inputs of dw are PANEL apart, panels `apart`. */
INLINE void gradient_load(vec c[][GROUP_VECTORS], struct form t, const float *dw, int64_t apart)
{
#pragma GCC unroll 2
    for (int64_t g = 0; g < t.panels; g++, dw += apart) {
        OPAQUE(dw);
#pragma GCC unroll 12
        for (int64_t i = 0; i < t.rows; i++)
#pragma GCC unroll 4
            for (int64_t v = 0; v < VECTORS; v++)
                c[i][g * VECTORS + v] = vec_load(dw + i * PANEL + v * LANES);
    }
}

INLINE void gradient_store(vec c[][GROUP_VECTORS], struct form t, float *dw, int64_t apart)
{
#pragma GCC unroll 2
    for (int64_t g = 0; g < t.panels; g++, dw += apart) {
        OPAQUE(dw);
#pragma GCC unroll 12
        for (int64_t i = 0; i < t.rows; i++)
#pragma GCC unroll 4
            for (int64_t v = 0; v < VECTORS; v++)
                vec_store(dw + i * PANEL + v * LANES, c[i][g * VECTORS + v]);
    }
}

/* Where a tile is: the inputs and outputs of a window, and what will be needed. */
struct cursor {
    const float *x, *dc, *next;
};

/* `count` windows of a line; the cursor ends behind them, and their sums go to `total`. */
INLINE void gradient_windows(vec c[][GROUP_VECTORS], struct form t, const struct gradient *g,
                             struct cursor *at, int64_t count, vec *total)
{
    const int64_t step = g->a->step, stride = g->dc->stride, ahead = g->dc->ahead;
    const float *x = at->x, *dc = at->dc, *next = at->next, *end = dc + count * stride;
    vec sums[GROUP_VECTORS] = {0};

    for (; dc != end; x += step, dc += stride, next += ahead) {
        vec d[GROUP_VECTORS];
        OPAQUE(x);
        __builtin_prefetch(next);
#pragma GCC unroll 4
        for (int64_t v = 0; v < t.vectors; v++) {
            d[v] = vec_load(dc + v * LANES);
            sums[v] += t.sums ? d[v] : vec_all(0.0F);
        }
#pragma GCC unroll 12
        for (int64_t i = 0; i < t.rows; i++) {
            const vec all = vec_all(x[i]);
#pragma GCC unroll 4
            for (int64_t v = 0; v < t.vectors; v++)
                c[i][v] += all * d[v];
        }
    }
    *at = (struct cursor){x, dc, next};
#pragma GCC unroll 4
    for (int64_t v = 0; v < t.vectors; v++)
        total[v] += t.sums ? sums[v] : vec_all(0.0F);
}

/* One line from x on. */
INLINE void gradient_line(vec c[][GROUP_VECTORS], struct form t, const struct gradient *g,
                          struct cursor *at, vec *total)
{
    const int64_t count = g->a->count, block = t.sums ? SUM_BLOCK : count;

    for (int64_t i = 0; i < count; i += block)
        gradient_windows(c, t, g, at, count - i < block ? count - i : block, total);
}

/* t.rows inputs from q on. */
INLINE void gradient_tile(struct form t, const struct gradient *g, int64_t q)
{
    struct cursor at = {g->a->x + q, g->outputs, g->dc->next};
    float *dw = g->dw + q * PANEL;
    vec c[TAPS][GROUP_VECTORS], total[GROUP_VECTORS] = {0};

    gradient_load(c, t, dw, g->apart);
    for (int64_t line = 0; line < g->a->lines; line++) {
        at.x = g->a->x + line * g->a->line + q;
        gradient_line(c, t, g, &at, total);
    }
    if (t.sums)
        add_to_doubles(g->sums, total, t.vectors);
    gradient_store(c, t, dw, g->apart);
}

INLINE void gradient_run(int panels, const struct gradient *g)
{
    const int64_t run = g->a->run;
    const struct parts taps = even_parts(run, TAPS);
    struct form plain = {.panels = panels, .vectors = panels * VECTORS}, first = plain;

    first.sums = true;
    for (int64_t q = 0, n = 0; q < run; q += n) {
        n = taps.size + (q < taps.turn);
        if (q == 0 && g->sums != NULL)
            WITH_CASES(first, n, TAPS, TAP_CASES, gradient_tile(first, g, q))
        else
            WITH_CASES(plain, n, TAPS, TAP_CASES, gradient_tile(plain, g, q))
    }
}

static void gradient_group(const struct gradient *g)
{
    gradient_run(GROUP, g);
}

/* A panel without a partner. */
static void gradient_single(const struct gradient *g)
{
    gradient_run(1, g);
}

/* Adds the sums of some windows of a panel, as a tile makes them. */
static void panel_sums(float *total, const float *dc, int64_t stride, int64_t count, int64_t width)
{
    float s[PANEL] = {0};

    if (LANES == PANEL) {
        vec sum = {0};
        for (int64_t i = 0; i < count; i++)
            sum += vec_load_few(dc + i * stride, width, 0.0F);
        vec_store(s, sum);
    } else {
        for (int64_t i = 0; i < count; i++)
            for (int64_t n = 0; n < width; n++)
                s[n] += dc[i * stride + n];
    }
    for (int64_t n = 0; n < width; n++)
        total[n] += s[n];
}

/* A panel that is not full, or of which only the sums are wanted. */
static void gradient_rest(const struct gradient *g, int64_t width)
{
    const struct few_inputs *a = g->a;
    const int64_t stride = g->dc->stride;
    float total[PANEL] = {0};

    for (int64_t line = 0; line < a->lines; line++) {
        const struct panel_rows rows = {a->x + line * a->line, a->count, a->step, 1, 0, a->run};
        const float *dc = g->outputs + line * a->count * stride;
        if (a->run > 0)
            KERNEL(panel_gradient)(g->dw, &rows, dc, stride, width, 0, 1);
        for (int64_t i = 0; i < a->count && g->sums != NULL; i += SUM_BLOCK)
            panel_sums(total, dc + i * stride, stride,
                       a->count - i < SUM_BLOCK ? a->count - i : SUM_BLOCK, width);
    }
    for (int64_t n = 0; n < width && g->sums != NULL; n++)
        g->sums[n] += (double)total[n];
}

void KERNEL(few_gradient)(float *dw, int64_t apart, double *sums, const struct few_inputs *a,
                          const struct few_output *dc)
{
    struct gradient g = {dw, apart, a, dc, dc->data, sums};

    assert(dc->columns > 0 && dc->columns <= FEW_PANELS * PANEL && dc->stride >= dc->columns);
    for (int64_t n = 0, width = 0; n < dc->columns; n += width) {
        g.dw = dw + n / PANEL * apart;
        g.outputs = dc->data + n;
        g.sums = sums == NULL ? NULL : sums + n;
        width = dc->columns - n < GROUP * PANEL ? panel_width(dc->columns, n) : GROUP * PANEL;
        if (a->run == 0 || width < PANEL)
            gradient_rest(&g, width = panel_width(dc->columns, n));
        else if (GROUP > 1 && width == PANEL)
            gradient_single(&g);
        else
            gradient_group(&g);
    }
}
