/*
 * patches.c - the gradient of convolution, max pooling and ReLU: lists of patches, and their sums.
 *
 * Register budget of a sum: rows x vectors <= 12 sums, one broadcast; patches are operands in
 * memory. A list is summed in order from zero, and then added to what is there: what was stored
 * last is not waited for until the end.
 */
#define LANES_MOST 8

#include <assert.h>

#include "kernel/simd/functions.h"

#ifdef __AVX512VL__
enum { SUMS_MAX = 24 }; /* of 32 registers */
#else
enum { SUMS_MAX = 12 };
#endif
enum { ROWS_MAX = 6, VECTORS_MAX = 6 };

struct tile {
    int rows, vectors;
};

/* One tile of all the sums; to and from are those of its first float. */
struct job {
    const struct patch_shape *shape;
    float *to;
    const float *from;
    const struct patch_sum *sums;
    int64_t count;
    const struct patches *patches;
};

INLINE void sum_tile(struct tile t, const struct job *j, const struct patch_sum *sum)
{
    const int64_t to_row = j->shape->to_row, from_row = j->shape->from_row;
    const int64_t step = j->patches->step;
    const int32_t *offsets = j->patches->offsets + sum->first;
    const float *factors = j->patches->factors + sum->first;
    float *to = j->to + sum->offset;
    vec c[ROWS_MAX][VECTORS_MAX];

    for (int r = 0; r < t.rows; r++)
        for (int v = 0; v < t.vectors; v++)
            c[r][v] = vec_all(0.0F);
#pragma GCC unroll 2
    for (int64_t i = 0; i < sum->count; i++) {
        const float *from = j->from + offsets[i * step];
        const float factor = factors[i * step];
#pragma GCC unroll 6
        for (int r = 0; r < t.rows; r++, from += from_row) {
            OPAQUE(from);
#pragma GCC unroll 6
            for (int v = 0; v < t.vectors; v++)
                c[r][v] += factor * vec_load(from + v * LANES);
        }
    }
#pragma GCC unroll 6
    for (int r = 0; r < t.rows; r++, to += to_row) {
        OPAQUE(to);
#pragma GCC unroll 6
        for (int v = 0; v < t.vectors; v++)
            vec_store(to + v * LANES, vec_load(to + v * LANES) + c[r][v]);
    }
}

INLINE void sum_all(struct tile t, const struct job *j)
{
    for (int64_t i = 0; i < j->count; i++)
        if (j->sums[i].count > 0)
            sum_tile(t, j, &j->sums[i]);
}

/* All forms of at most SUMS_MAX sums. */
/* clang-format off */
#define FEW_FORMS(X)                                        \
    X(1, 1) X(1, 2) X(1, 3) X(1, 4) X(1, 5) X(1, 6)         \
    X(2, 1) X(2, 2) X(2, 3) X(2, 4) X(2, 5) X(2, 6)         \
    X(3, 1) X(3, 2) X(3, 3) X(3, 4) X(4, 1) X(4, 2) X(4, 3) \
    X(5, 1) X(5, 2) X(6, 1) X(6, 2)
#define MORE_FORMS(X)                       \
    X(3, 5) X(3, 6) X(4, 4) X(4, 5) X(4, 6) \
    X(5, 3) X(5, 4) X(6, 3) X(6, 4)
#ifdef __AVX512VL__
#define FORMS(X) FEW_FORMS(X) MORE_FORMS(X)
#else
#define FORMS(X) FEW_FORMS(X)
#endif
/* clang-format on */

#define FORM_FUNCTION(r, v)                           \
    static void sum_##r##_by_##v(const struct job *j) \
    {                                                 \
        sum_all((struct tile){(r), (v)}, j);          \
    }
FORMS(FORM_FUNCTION)

#define FORM_ENTRY(r, v) [r][v] = sum_##r##_by_##v,
static void (*const forms[ROWS_MAX + 1][VECTORS_MAX + 1])(const struct job *) = {FORMS(FORM_ENTRY)};

/* Parts of `all`, as equal as can be, none more than `most`: the largest. */
INLINE int64_t equal_parts(int64_t all, int64_t most)
{
    const int64_t parts = (all + most - 1) / most;

    return (all + parts - 1) / parts;
}

INLINE int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void KERNEL(patch_sums)(float *to, const float *from, const struct patch_shape *s,
                        const struct patch_sum *sums, int64_t count, const struct patches *patches)
{
    const int64_t vectors = (s->run + LANES - 1) / LANES;
    const int64_t wide = equal_parts(vectors, VECTORS_MAX);
    const int64_t high = equal_parts(s->rows, smaller(SUMS_MAX / wide, ROWS_MAX));
    struct job j = {.shape = s, .sums = sums, .count = count, .patches = patches};

    for (int64_t r = 0; r < s->rows; r += high)
        for (int64_t v = 0; v < vectors; v += wide) {
            j.to = to + r * s->to_row + v * LANES;
            j.from = from + r * s->from_row + v * LANES;
            forms[smaller(high, s->rows - r)][smaller(wide, vectors - v)](&j);
        }
}

/* --- lists --- */

/* The gradients of some rows as patches of the input: no gradient is a factor of 0. */
INLINE void spread_rows(struct patch_lists *l, const struct patch_rows *rows, int64_t n)
{
    const int64_t first = l->positions * l->shape->outputs;
    float *restrict factors = l->factors + first;
    int32_t *restrict offsets = l->offsets + first;
    const int32_t *where = rows->where, image = rows->image;
    const float *dy = rows->dy;

    for (int64_t i = 0; i < n; i++) {
        const int32_t place = where[i], offset = place >> CONVPOOL_SLOT_BITS;
        const float g = dy[i]; /* always read: a condition would not vectorise */
        factors[i] = place < 0 ? 0.0F : g;
        offsets[i] = (place < 0 ? 0 : offset) + image;
    }
}

/* Whole vectors: what lies behind the outputs is the next position's, and not stored. */
INLINE void add_to_sums(const struct patch_lists *l, int64_t first, int64_t positions)
{
    const int64_t outputs = l->shape->outputs;

    for (int64_t n = 0; n < outputs; n += LANES) {
        const float *from = l->factors + first * outputs + n;
        const int64_t left = outputs - n;
        vec sum = left >= LANES ? vec_load(l->sums + n) : vec_load_few(l->sums + n, left, 0.0F);
        vec other = vec_all(0.0F);
        int64_t i = 0;
        for (; i + 2 <= positions; i += 2) { /* two sums: each waits for its last addition */
            sum += vec_load(from + i * outputs);
            other += vec_load(from + (i + 1) * outputs);
        }
        if (i < positions)
            sum += vec_load(from + i * outputs);
        sum += other;
        if (left >= LANES)
            vec_store(l->sums + n, sum);
        else
            vec_store_few(l->sums + n, sum, left);
    }
}

INLINE bool has_gradient(const float *factors, int64_t outputs)
{
    ivec any = {0};
    int64_t words[LANES / 2];

    for (int64_t n = 0; n < outputs; n += LANES)
        any |= vec_load(factors + n) != vec_all(0.0F);
    memcpy(words, &any, sizeof words);
    for (int i = 1; i < LANES / 2; i++)
        words[0] |= words[i];
    return words[0] != 0;
}

#ifdef __AVX512VL__

/* 16 outputs at a time, of each slot those that have a gradient. */
INLINE void list_slots(int32_t *to, float *to_factors, int32_t ends[], const int32_t *where,
                       const float *factors, const struct patch_lists *l)
{
    const struct convpool_shape *s = l->shape;
    const int32_t slots = (int32_t)(s->pool * s->pool);
    const __m512i numbers = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i step = _mm512_set1_epi32((int32_t)l->weights);

    for (int64_t n = 0; n < s->outputs; n += 16) {
        const int64_t left = s->outputs - n;
        const __mmask16 all = lanes_before(left < 16 ? left : 16);
        const __m512 values = _mm512_maskz_loadu_ps(all, factors + n);
        const __m512i slot = _mm512_and_epi32(_mm512_maskz_loadu_epi32(all, where + n),
                                              _mm512_set1_epi32(CONVPOOL_SLOTS_MAX - 1));
        const __m512i at =
            _mm512_mullo_epi32(_mm512_add_epi32(numbers, _mm512_set1_epi32((int32_t)n)), step);
        const __mmask16 counts = _mm512_cmp_ps_mask(values, _mm512_setzero_ps(), _CMP_NEQ_UQ);
        for (int32_t i = 0; i < slots; i++) {
            const __mmask16 some = _mm512_mask_cmpeq_epi32_mask(counts, slot, _mm512_set1_epi32(i));
            const int32_t count = __builtin_popcount(some);
            const __mmask16 first = lanes_before(count);
            _mm512_mask_storeu_epi32(to + ends[i], first, _mm512_maskz_compress_epi32(some, at));
            _mm512_mask_storeu_ps(to_factors + ends[i], first,
                                  _mm512_maskz_compress_ps(some, values));
            ends[i] += count;
        }
    }
}

#else

/* All is written, and the end of a list moves on only over what has a gradient: no branches. */
INLINE void list_slots(int32_t *restrict to, float *restrict to_factors, int32_t ends[],
                       const int32_t *where, const float *factors, const struct patch_lists *l)
{
    int32_t offset = 0;

    for (int64_t n = 0; n < l->shape->outputs; n++, offset += (int32_t)l->weights) {
        const int32_t slot = where[n] & (CONVPOOL_SLOTS_MAX - 1), end = ends[slot];
        to[end] = offset;
        to_factors[end] = factors[n];
        ends[slot] = end + (factors[n] != 0.0F);
    }
}

#endif

/* The weights that meet in each window of one position. */
INLINE void list_windows(struct patch_lists *l, const int32_t *where, const float *factors,
                         int64_t window)
{
    const struct convpool_shape *s = l->shape;
    const int64_t slots = s->pool * s->pool, first = l->window_count * s->outputs;
    int32_t ends[CONVPOOL_SLOTS_MAX];

    for (int64_t i = 0; i < slots; i++)
        ends[i] = (int32_t)(i * s->outputs);
    list_slots(l->window_offsets + first, l->window_factors + first, ends, where, factors, l);
    for (int64_t y = 0, i = 0; y < s->pool; y++)
        for (int64_t x = 0; x < s->pool; x++, i++)
            l->windows[l->window_count++] = (struct patch_sum){
                .offset = window + y * s->row + x * s->channels,
                .first = first + i * s->outputs,
                .count = ends[i] - i * s->outputs,
            };
}

void KERNEL(patch_list)(struct patch_lists *l, const struct patch_rows *rows)
{
    const struct convpool_shape *s = l->shape;
    const int64_t positions = rows->count * s->out_width;
    const float *factors = l->factors + l->positions * s->outputs;

    spread_rows(l, rows, positions * s->outputs);
    add_to_sums(l, l->positions, positions);
    l->positions += positions;
    if (l->windows == NULL)
        return;
    for (int64_t y = 0, i = 0; y < rows->count; y++)
        for (int64_t x = 0; x < s->out_width; x++, i += s->outputs)
            if (has_gradient(factors + i, s->outputs))
                list_windows(l, rows->where + i, factors + i,
                             rows->image +
                                 ((rows->first + y) * s->row + x * s->channels) * s->pool);
}
