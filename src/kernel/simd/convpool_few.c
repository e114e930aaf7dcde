/*
 * convpool_few.c - convolution, max pooling of 2 x 2 and ReLU for few output channels: too few to
 * fill a vector with (convpool.c does that). Lanes are pooled positions side by side.
 *
 * Even and odd columns of each channel are first put apart, so that the windows of neighbouring
 * positions are neighbours in memory. The four sums that a position pools stay in registers, and
 * so never pass through memory. Each is made in the order of convpool.c: the same bits.
 *
 * Register budget, AVX-512: 6 filters x 4 sums, 4 vectors of the image and a broadcast: 29 of 32.
 * Elsewhere: 2 x 4 sums, 4 vectors of the image and a broadcast: 13 of 16.
 */
#include <assert.h>

#include "kernel/simd/best.h"
#include "kernel/simd/functions.h"
#include "kernel/simd/interleave.h"

enum {
    FILTERS_MAX = LANES == 16 ? 6 : 2, /* at a time */
    SLOTS = 4,
};

/* What is computed; image and places are those of the first lane of one vector of positions. */
struct few {
    const struct convpool_shape *shape;
    const float *weights; /* [kernel * run][width] */
    int64_t width;
    float bias[CONVPOOL_FEW];
    int64_t half, row; /* of the image put apart: floats of a plane's row, of all planes' rows */
    const float *image;
    ivec places[SLOTS]; /* of the four */
    ivec steps[SLOTS];  /* the same, of the first vector of all */
    struct interleave interleave;
    float most[CONVPOOL_FEW][LANES];
    int32_t where[CONVPOOL_FEW][LANES];
};

/* --- sums --- */

/* The largest of the four. */
INLINE void pool_sums(struct few *f, int64_t filter, const vec c[SLOTS])
{
    struct best b = {c[0], f->places[0]};

#pragma GCC unroll 4
    for (int slot = 1; slot < SLOTS; slot++)
        best_take(&b, c[slot], f->places[slot]);
    if (f->shape->relu)
        best_relu(&b, INT32_MIN);
    vec_store(f->most[filter], b.value);
    *(ivec_memory *)f->where[filter] = b.place;
}

/* `filters` filters from `first` on; channels is 0 where it is not constant. */
INLINE void sum_filters(struct few *f, int64_t first, const int filters, const int channels)
{
    const struct convpool_shape *s = f->shape;
    const int64_t depth = channels != 0 ? channels : s->channels, half = f->half, row = f->row;
    const float *image = f->image, *w = f->weights + first;
    vec c[FILTERS_MAX][SLOTS];

#pragma GCC unroll 6
    for (int i = 0; i < filters; i++)
#pragma GCC unroll 4
        for (int slot = 0; slot < SLOTS; slot++)
            c[i][slot] = vec_all(f->bias[first + i]);
    for (int64_t y = 0; y < s->kernel; y++, image += row)
        for (int64_t x = 0; x < s->kernel; x++) {
            const float *left = image + (x & 1) * half + x / 2;
            const float *right = image + (~x & 1) * half + (x + 1) / 2;
#pragma GCC unroll 1
            for (int64_t z = 0; z < depth; z++, left += 2 * half, right += 2 * half) {
                const vec v[SLOTS] = {vec_load(left), vec_load(right), vec_load(left + row),
                                      vec_load(right + row)};
#pragma GCC unroll 6
                for (int i = 0; i < filters; i++) {
                    const float weight = w[i];
#pragma GCC unroll 4
                    for (int slot = 0; slot < SLOTS; slot++)
                        c[i][slot] += weight * v[slot];
                }
                w += f->width;
            }
        }
#pragma GCC unroll 6
    for (int i = 0; i < filters; i++)
        pool_sums(f, first + i, c[i]);
}

/* Each form is a function: filters, channels. */
#define FORM_FUNCTION(n, c)                                    \
    static void sum_##n##_of_##c(struct few *f, int64_t first) \
    {                                                          \
        sum_filters(f, first, (n), (c));                       \
    }
#define FORM_ENTRY(n, c) [n] = sum_##n##_of_##c,

/* clang-format off */
#if LANES == 16
#define FORMS(X, c) X(1, c) X(2, c) X(3, c) X(4, c) X(5, c) X(6, c)
#else
#define FORMS(X, c) X(1, c) X(2, c)
#endif
/* clang-format on */

FORMS(FORM_FUNCTION, 0)
FORMS(FORM_FUNCTION, 1)

typedef void sum_function(struct few *f, int64_t first);

static void sum_all(struct few *f)
{
    static sum_function *const forms[2][FILTERS_MAX + 1] = {
        {FORMS(FORM_ENTRY, 0)},
        {FORMS(FORM_ENTRY, 1)},
    };
    const int64_t outputs = f->shape->outputs;
    const int64_t parts = (outputs + FILTERS_MAX - 1) / FILTERS_MAX;

    for (int64_t i = 0, n; i < outputs; i += n) {
        n = (outputs + parts - 1) / parts;
        n = n < outputs - i ? n : outputs - i;
        forms[f->shape->channels == 1][n](f, i);
    }
}

/* --- an image --- */

/* One channel of a row: its even columns, and its odd ones. */
INLINE void put_row_apart(float *restrict even, float *restrict odd, const float *restrict x,
                          int64_t channels, int64_t columns)
{
    for (int64_t i = 0; i < columns / 2; i++) {
        even[i] = x[2 * i * channels];
        odd[i] = x[(2 * i + 1) * channels];
    }
    if (columns % 2 != 0)
        even[columns / 2] = x[(columns - 1) * channels];
}

static void put_apart(float *to, const float *x, const struct few *f)
{
    const struct convpool_shape *s = f->shape;
    const int64_t rows = 2 * s->out_height + s->kernel - 1, half = f->half;
    const int64_t columns = 2 * s->out_width + s->kernel - 1;

    for (int64_t y = 0; y < rows; y++, x += s->row)
        for (int64_t c = 0; c < s->channels; c++, to += 2 * half)
            if (s->channels == 1)
                put_row_apart(to, to + half, x, 1, columns);
            else
                put_row_apart(to, to + half, x + c, s->channels, columns);
}

static void few_init(struct few *f, const float *w, int64_t width, const float *bias)
{
    const struct convpool_shape *s = f->shape;

    f->weights = w;
    f->width = width;
    f->half = convpool_half(s);
    f->row = 2 * f->half * s->channels;
    memset(f->bias, 0, sizeof f->bias);
    for (int64_t n = s->outputs; n < CONVPOOL_FEW; n++) {
        memset(f->most[n], 0, sizeof f->most[n]);
        memset(f->where[n], 0, sizeof f->where[n]);
    }
    if (bias != NULL)
        memcpy(f->bias, bias, (size_t)s->outputs * sizeof *bias);
    for (int slot = 0; slot < SLOTS; slot++) {
        const int64_t offset = slot / 2 * s->row + slot % 2 * s->channels;
        for (int64_t lane = 0; lane < LANES; lane++)
            f->steps[slot][lane] =
                (int32_t)((offset + 2 * lane * s->channels) << CONVPOOL_SLOT_BITS | slot);
    }
    interleave_init(&f->interleave, s->outputs);
}

bool KERNEL(convpool_few_pays)(const struct convpool_shape *s, int64_t columns)
{
    const int64_t vectors = (s->out_width + LANES - 1) / LANES;

    const int64_t price =
        LANES == 16 ? 1 : 2; /* with few registers weights are loaded more often */

    return convpool_is_few(s) && price * vectors * LANES * s->outputs <= s->out_width * columns;
}

/* The positions i .. i + n - 1 of the row that begins at position p. */
INLINE void pool_positions(struct few *f, const float *image, int64_t p, int64_t i)
{
    const struct convpool_shape *s = f->shape;
    const int64_t y = p / s->out_width;
    const int32_t place = (int32_t)((y * s->row + i * s->channels) << (CONVPOOL_SLOT_BITS + 1));

    f->image = image + 2 * y * f->row + i;
    for (int slot = 0; slot < SLOTS; slot++)
        f->places[slot] = f->steps[slot] + place;
    sum_all(f);
}

void KERNEL(convpool_few)(float *y, int32_t *where, const float *x, const struct convpool_few *few,
                          const struct convpool_shape *s)
{
    const int64_t all = s->out_height * s->out_width;
    struct few f;

    f.shape = s;
    few_init(&f, few->weights, few->columns, few->bias);
    put_apart(few->room, x, &f);
    for (int64_t p = 0; p < all; p += s->out_width)
        for (int64_t i = 0; i < s->out_width; i += LANES) {
            const int64_t left = s->out_width - i, n = left < LANES ? left : LANES;
            const int64_t at = (p + i) * s->outputs, behind = (all - p - i) * s->outputs;
            pool_positions(&f, few->room, p, i);
            interleave_store(y + at, &f.interleave, f.most, n, behind);
            if (where != NULL)
                interleave_store(where + at, &f.interleave, f.where, n, behind);
        }
}
