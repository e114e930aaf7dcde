/*
 * resize.c - see resize.h.
 *
 * As in Pillow: first along rows, then along columns, with bytes in between. Weights are computed
 * in double and rounded to multiples of 2^-22, so that sums are of 32-bit integers.
 */
#include "data/resize.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "kernel/kernel.h"

enum { CHANNELS = 3, ALIGNMENT = 64 };

/* --- weights of one direction --- */

/* How results of one row or column are made of pixels. */
struct axis {
    int64_t in_size, out_size;
    float begin, end;     /* of the box */
    int64_t first, count; /* the results that are wanted */
    int64_t taps;         /* room for the weights of one result */
    int32_t *starts;      /* [count] first pixel */
    int32_t *lengths;     /* [count] how many pixels */
    int32_t *weights;     /* [count][taps] */
};

static double scale_of(const struct axis *a)
{
    return (double)(a->end - a->begin) / (double)a->out_size;
}

/* Half the width of the triangle. */
static double support_of(const struct axis *a)
{
    return fmax(scale_of(a), 1);
}

static double triangle(double x)
{
    return x < 0 ? fmax(1 + x, 0) : fmax(1 - x, 0);
}

/* The weights of result i of the window. Divisions and roundings are Pillow's, in its order. */
static void weigh(struct axis *a, int64_t i, double *exact)
{
    const double support = support_of(a), narrowing = 1 / support;
    const double center = (double)a->begin + ((double)(a->first + i) + 0.5) * scale_of(a);
    const int64_t low = (int64_t)(center - support + 0.5), high = (int64_t)(center + support + 0.5);
    const int64_t start = low < 0 ? 0 : low, end = high > a->in_size ? a->in_size : high;
    double sum = 0;

    CHECK(end >= start && end - start <= a->taps);
    for (int64_t k = 0; k < end - start; k++) {
        exact[k] = triangle(((double)(k + start) - center + 0.5) * narrowing);
        sum += exact[k];
    }
    for (int64_t k = 0; k < end - start; k++) {
        const double share = sum == 0 ? exact[k] : exact[k] / sum;

        a->weights[i * a->taps + k] = (int32_t)(0.5 + share * (1 << RESIZE_BITS));
    }
    a->starts[i] = (int32_t)start;
    a->lengths[i] = (int32_t)(end - start);
}

static void weigh_all(struct axis *a, double *exact)
{
    for (int64_t i = 0; i < a->count; i++)
        weigh(a, i, exact);
}

/* Moves the weights of a result to `count` pixels, all of them in the row; what is added is 0. */
static void widen(struct axis *a, int64_t i, int64_t count)
{
    int32_t *weights = a->weights + i * a->taps;
    const int64_t beyond = a->starts[i] + count - a->in_size, left = beyond > 0 ? beyond : 0;

    memmove(weights + left, weights, (size_t)a->lengths[i] * sizeof *weights);
    for (int64_t k = 0; k < left; k++)
        weights[k] = 0;
    for (int64_t k = left + a->lengths[i]; k < count; k++)
        weights[k] = 0;
    a->starts[i] -= (int32_t)left;
    a->lengths[i] = (int32_t)count;
}

/* All results get as many weights, so that the kernel need not look how many. */
static struct resize_taps taps_of(struct axis *a)
{
    int64_t count = 0;

    for (int64_t i = 0; i < a->count; i++)
        count = a->lengths[i] > count ? a->lengths[i] : count;
    for (int64_t i = 0; i < a->count; i++)
        if (a->lengths[i] < count)
            widen(a, i, count);
    return (struct resize_taps){
        .results = a->count,
        .pixels = a->in_size,
        .count = count,
        .apart = a->taps,
        .starts = a->starts,
        .weights = a->weights,
    };
}

/* --- memory --- */

/* Everything that one call needs. */
struct plan {
    struct axis columns, rows;
    double *exact;     /* weights of one result before rounding */
    uint8_t *narrowed; /* rows of the source, resized in width: [rows][window.width][3] */
};

static void *take(struct resizer *r, int64_t *used, int64_t count, size_t size)
{
    const int64_t bytes = count * (int64_t)size;
    void *taken = r->block == NULL ? NULL : r->block + *used;

    *used += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return taken;
}

static void place_axis(struct resizer *r, int64_t *used, struct axis *a)
{
    a->taps = 2 * (int64_t)ceil(support_of(a)) + 1;
    a->starts = take(r, used, a->count, sizeof *a->starts);
    a->lengths = take(r, used, a->count, sizeof *a->lengths);
    a->weights = take(r, used, a->count * a->taps, sizeof *a->weights);
}

/* The rows of the source that the window can need, at most. */
static int64_t row_limit(const struct axis *rows)
{
    const double height = scale_of(rows) * (double)rows->count + 2 * support_of(rows) + 2;

    return height < (double)rows->in_size ? (int64_t)height : rows->in_size;
}

/* Answers the bytes that are needed; places are right only if the block has as many. */
static int64_t place(struct resizer *r, struct plan *p)
{
    int64_t used = 0;

    place_axis(r, &used, &p->columns);
    place_axis(r, &used, &p->rows);
    const int64_t taps = p->columns.taps > p->rows.taps ? p->columns.taps : p->rows.taps;
    p->exact = take(r, &used, taps, sizeof *p->exact);
    p->narrowed = take(r, &used, row_limit(&p->rows) * p->columns.count * CHANNELS, 1);
    return used;
}

static void make_room(struct resizer *r, struct plan *p)
{
    const int64_t bytes = place(r, p);

    if (bytes > r->capacity) {
        mem_free(r->block);
        r->block = MEM_NEW_N(uint8_t, bytes);
        r->capacity = bytes;
        place(r, p);
    }
}

void resizer_release(struct resizer *r)
{
    mem_free(r->block);
    *r = (struct resizer){0};
}

/* --- the two passes --- */

/* Result i of the columns; `first` is the row of the source that narrowed begins with. */
static void combine_rows(uint8_t *out, const struct plan *p, int64_t i, int64_t first)
{
    const struct axis *a = &p->rows;
    const int64_t bytes = p->columns.count * CHANNELS;

    kernel_get()->resize_rows(
        out, p->narrowed + (a->starts[i] - first) * bytes,
        &(struct resize_rows){a->weights + i * a->taps, a->lengths[i], bytes});
}

static void check_target(const struct resize_source *in, const struct resize_target *t)
{
    const struct resize_box *b = &t->box;
    const struct pixel_box *w = &t->window;

    CHECK(in->width > 0 && in->height > 0 && in->row_bytes >= in->width * CHANNELS);
    CHECK(b->left >= 0 && b->left < b->right && b->right <= (float)in->width);
    CHECK(b->top >= 0 && b->top < b->bottom && b->bottom <= (float)in->height);
    CHECK(w->width > 0 && w->x >= 0 && w->x + w->width <= t->width);
    CHECK(t->row_bytes >= w->width * CHANNELS);
    CHECK(w->height > 0 && w->y >= 0 && w->y + w->height <= t->height);
}

struct resize_target resize_whole(const struct resize_source *in, int64_t width, int64_t height)
{
    return (struct resize_target){
        .box = {0, 0, (float)in->width, (float)in->height},
        .width = width,
        .height = height,
        .window = {0, 0, width,            height           },
        .row_bytes = width * CHANNELS,
    };
}

static struct axis columns_of(const struct resize_source *in, const struct resize_target *t)
{
    return (struct axis){
        .in_size = in->width,
        .out_size = t->width,
        .begin = t->box.left,
        .end = t->box.right,
        .first = t->window.x,
        .count = t->window.width,
    };
}

static struct axis rows_of(const struct resize_source *in, const struct resize_target *t)
{
    return (struct axis){
        .in_size = in->height,
        .out_size = t->height,
        .begin = t->box.top,
        .end = t->box.bottom,
        .first = t->window.y,
        .count = t->window.height,
    };
}

void resize_bilinear(struct resizer *r, uint8_t *out, const struct resize_source *in,
                     const struct resize_target *t)
{
    struct plan p = {.columns = columns_of(in, t), .rows = rows_of(in, t)};
    const int64_t bytes = t->window.width * CHANNELS;

    check_target(in, t);
    make_room(r, &p);
    weigh_all(&p.columns, p.exact);
    weigh_all(&p.rows, p.exact);

    const struct resize_taps taps = taps_of(&p.columns);
    const int64_t first = p.rows.starts[0], last = t->window.height - 1;
    const int64_t rows = p.rows.starts[last] + p.rows.lengths[last] - first;

    CHECK(rows <= row_limit(&p.rows));
    for (int64_t y = 0; y < rows; y++)
        kernel_get()->resize_columns(p.narrowed + y * bytes,
                                     in->pixels + (first + y) * in->row_bytes, &taps);
    for (int64_t y = 0; y < t->window.height; y++)
        combine_rows(out + y * t->row_bytes, &p, y, first);
}
