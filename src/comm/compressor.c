/*
 * compressor.c - the compressors.
 */
#include "comm/compressor.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/rng.h"

const char *const compressor_names[] = {"none", "topk", "randomk", "sign", "qsgd", NULL};

/* How many of count values k means. */
static int64_t kept_of(double k, int64_t count)
{
    const double kept = k < 1 ? k * (double)count : k;

    if (!(kept >= 1))
        return 1;
    return kept < (double)count ? (int64_t)kept : count;
}

void compressor_init(struct compressor *c, const struct compressor_request *r)
{
    CHECK(r->count > 0 && r->count <= UINT32_MAX);
    CHECK(r->kind != COMPRESSOR_QSGD || (r->bits >= 1 && r->bits <= 15));
    const bool draws = r->kind == COMPRESSOR_RANDOMK;

    *c = (struct compressor){
        .kind = r->kind,
        .count = r->count,
        .kept = kept_of(r->k, r->count),
        .bits = r->bits,
        .parts = r->tensor_count > 0 ? r->tensor_count : 1,
    };
    c->ends = MEM_NEW_N(int64_t, c->parts);
    c->ends[0] = r->count;
    if (r->tensor_count > 0)
        memcpy(c->ends, r->tensor_ends, (size_t)c->parts * sizeof *c->ends);
    CHECK(c->ends[c->parts - 1] == c->count);
    c->marks = MEM_NEW_N(uint8_t, draws ? c->count : 0);
    c->drawn = MEM_NEW_N(int64_t, draws ? c->kept : 0);
}

void compressor_release(struct compressor *c)
{
    mem_free(c->ends);
    mem_free(c->marks);
    mem_free(c->drawn);
    *c = (struct compressor){0};
}

size_t compressor_bytes(const struct compressor *c)
{
    const size_t count = (size_t)c->count, kept = (size_t)c->kept;

    switch (c->kind) {
    case COMPRESSOR_NONE:
        return count * sizeof(float);
    case COMPRESSOR_TOPK:
        return kept * (sizeof(uint32_t) + sizeof(float));
    case COMPRESSOR_RANDOMK:
        return kept * sizeof(float);
    case COMPRESSOR_SIGN:
        return (size_t)c->parts * sizeof(float) + (count + 7) / 8;
    case COMPRESSOR_QSGD:
        return sizeof(float) + (count * (size_t)(c->bits + 1) + 7) / 8;
    }
    BUG("compressor out of range");
}

static double qsgd_levels(const struct compressor *c)
{
    return (double)((1 << c->bits) - 1);
}

/* 1 + w */
static double qsgd_growth(const struct compressor *c)
{
    const double d = (double)c->count, s = qsgd_levels(c);

    return 1 + fmin(d / (s * s), sqrt(d) / s);
}

double compressor_delta(const struct compressor *c)
{
    switch (c->kind) {
    case COMPRESSOR_NONE:
        return 1;
    case COMPRESSOR_TOPK:
    case COMPRESSOR_RANDOMK:
        return (double)c->kept / (double)c->count;
    case COMPRESSOR_SIGN:
        return 1 / (double)c->count;
    case COMPRESSOR_QSGD:
        return 1 / qsgd_growth(c);
    }
    BUG("compressor out of range");
}

/* --- topk --- */

/* As whole numbers, magnitudes are in the order of their bits; NaN is the largest. */
static uint32_t magnitude(float v)
{
    uint32_t bits;

    memcpy(&bits, &v, sizeof bits);
    return bits & 0x7fffffffU;
}

/*
 * The k-th largest magnitude, byte by byte from the top: how many values share the bytes found so
 * far, by their next byte. *spare gets how many of those that equal it belong to the k largest.
 */
static uint32_t kth_magnitude(const float *v, int64_t count, int64_t k, int64_t *spare)
{
    uint32_t found = 0, mask = 0;

    for (int shift = 24; shift >= 0; shift -= 8) {
        int64_t histogram[256] = {0};
        int byte = 255;

        for (int64_t i = 0; i < count; i++)
            if ((magnitude(v[i]) & mask) == found)
                histogram[(magnitude(v[i]) >> shift) & 0xff]++;
        for (; histogram[byte] < k; byte--)
            k -= histogram[byte];
        found |= (uint32_t)byte << shift;
        mask |= 0xffU << shift;
    }
    *spare = k;
    return found;
}

/* Numbers first, then values. Of equal magnitudes those that come first are sent. */
static void topk_encode(const struct compressor *c, void *message, const float *v)
{
    uint32_t *where = message;
    float *what = (float *)(void *)(where + c->kept);
    int64_t spare, n = 0;
    const uint32_t limit = kth_magnitude(v, c->count, c->kept, &spare);

    for (int64_t i = 0; i < c->count; i++) {
        const uint32_t m = magnitude(v[i]);

        if (m < limit || (m == limit && spare-- <= 0))
            continue;
        where[n] = (uint32_t)i;
        what[n++] = v[i];
    }
    CHECK(n == c->kept);
}

static void topk_decode(const struct compressor *c, float *v, const void *message)
{
    const uint32_t *where = message;
    const float *what = (const float *)(const void *)(where + c->kept);

    memset(v, 0, (size_t)c->count * sizeof *v);
    for (int64_t i = 0; i < c->kept; i++) {
        CHECK((int64_t)where[i] < c->count);
        v[where[i]] = what[i];
    }
}

/* --- randomk --- */

/* Floyd's sample of `kept` different ones: one draw each, none in vain. */
static void draw_kept(struct compressor *c, const struct compressor_stamp *s)
{
    const struct rng r = rng_make(s->seed, RNG_COMPRESS, (uint32_t)s->sender);

    for (int64_t n = 0; n < c->kept; n++) {
        const int64_t last = c->count - c->kept + n;
        const int64_t drawn = rng_below(&r, (uint64_t)s->step, (uint32_t)n, last + 1);

        c->drawn[n] = c->marks[drawn] ? last : drawn;
        c->marks[c->drawn[n]] = 1;
    }
    for (int64_t n = 0; n < c->kept; n++)
        c->marks[c->drawn[n]] = 0;
}

static void randomk_encode(struct compressor *c, void *message, const float *v,
                           const struct compressor_stamp *s)
{
    float *what = message;

    draw_kept(c, s);
    for (int64_t i = 0; i < c->kept; i++)
        what[i] = v[c->drawn[i]];
}

static void randomk_decode(struct compressor *c, float *v, const void *message,
                           const struct compressor_stamp *s)
{
    const float *what = message;

    draw_kept(c, s);
    memset(v, 0, (size_t)c->count * sizeof *v);
    for (int64_t i = 0; i < c->kept; i++)
        v[c->drawn[i]] = what[i];
}

/* --- sign --- */

/* One float per tensor, then a bit per value: 1 is negative. */
static void sign_encode(const struct compressor *c, void *message, const float *v)
{
    float *scales = message;
    uint8_t *bits = (uint8_t *)(void *)(scales + c->parts);
    int64_t i = 0;

    memset(bits, 0, (size_t)(c->count + 7) / 8);
    for (int part = 0; part < c->parts; part++) {
        const int64_t begin = i;
        double sum = 0;

        for (; i < c->ends[part]; i++) {
            sum += fabs((double)v[i]);
            if (v[i] < 0)
                bits[i / 8] |= (uint8_t)(1U << (i % 8));
        }
        scales[part] = i > begin ? (float)(sum / (double)(i - begin)) : 0;
    }
}

static void sign_decode(const struct compressor *c, float *v, const void *message)
{
    const float *scales = message;
    const uint8_t *bits = (const uint8_t *)(scales + c->parts);
    int64_t i = 0;

    for (int part = 0; part < c->parts; part++)
        for (; i < c->ends[part]; i++)
            v[i] = (bits[i / 8] >> (i % 8)) & 1 ? -scales[part] : scales[part];
}

/* --- qsgd --- */

/* The norm, then bits + 1 bits per value, lowest first: the level, and whether it is negative. */
static void qsgd_encode(const struct compressor *c, void *message, const float *v,
                        const struct compressor_stamp *s)
{
    const struct rng r = rng_make(s->seed, RNG_COMPRESS, (uint32_t)s->sender);
    const int width = c->bits + 1;
    const double levels = qsgd_levels(c);
    uint8_t *bytes = (uint8_t *)message + sizeof(float);
    uint64_t pending = 0;
    int filled = 0;
    double square = 0;
    uint32_t words[4] = {0};

    for (int64_t i = 0; i < c->count; i++)
        square += (double)v[i] * (double)v[i];
    const float norm = (float)sqrt(square);
    memcpy(message, &norm, sizeof norm);
    const double factor = norm > 0 ? levels / (double)norm : 0;
    for (int64_t i = 0; i < c->count; i++) {
        if (i % 4 == 0)
            rng_words(&r, (uint64_t)s->step, (uint32_t)(i / 4), words);
        const double up = (double)words[i % 4] * 0x1p-32;
        const double level = fmin(floor(fabs((double)v[i]) * factor + up), levels);
        const uint64_t code = (isfinite(level) ? (uint64_t)level : 0) | (uint64_t)(v[i] < 0)
                                                                            << c->bits;

        pending |= code << filled;
        for (filled += width; filled >= 8; filled -= 8, pending >>= 8)
            *bytes++ = (uint8_t)pending;
    }
    if (filled > 0)
        *bytes = (uint8_t)pending;
}

static void qsgd_decode(const struct compressor *c, float *v, const void *message)
{
    const int width = c->bits + 1;
    const uint8_t *bytes = (const uint8_t *)message + sizeof(float);
    const uint64_t level_mask = ((uint64_t)1 << c->bits) - 1;
    uint64_t pending = 0;
    int filled = 0;
    float norm;

    memcpy(&norm, message, sizeof norm);
    const double factor = (double)norm / (qsgd_levels(c) * qsgd_growth(c));
    for (int64_t i = 0; i < c->count; i++) {
        for (; filled < width; filled += 8)
            pending |= (uint64_t)*bytes++ << filled;
        const float size = (float)((double)(pending & level_mask) * factor);

        v[i] = (pending >> c->bits) & 1 ? -size : size;
        pending >>= width;
        filled -= width;
    }
}

void compressor_encode(struct compressor *c, void *message, const float *v,
                       const struct compressor_stamp *s)
{
    switch (c->kind) {
    case COMPRESSOR_NONE:
        memcpy(message, v, compressor_bytes(c));
        return;
    case COMPRESSOR_TOPK:
        topk_encode(c, message, v);
        return;
    case COMPRESSOR_RANDOMK:
        randomk_encode(c, message, v, s);
        return;
    case COMPRESSOR_SIGN:
        sign_encode(c, message, v);
        return;
    case COMPRESSOR_QSGD:
        qsgd_encode(c, message, v, s);
        return;
    }
    BUG("compressor out of range");
}

void compressor_decode(struct compressor *c, float *v, const void *message,
                       const struct compressor_stamp *s)
{
    switch (c->kind) {
    case COMPRESSOR_NONE:
        memcpy(v, message, compressor_bytes(c));
        return;
    case COMPRESSOR_TOPK:
        topk_decode(c, v, message);
        return;
    case COMPRESSOR_RANDOMK:
        randomk_decode(c, v, message, s);
        return;
    case COMPRESSOR_SIGN:
        sign_decode(c, v, message);
        return;
    case COMPRESSOR_QSGD:
        qsgd_decode(c, v, message);
        return;
    }
    BUG("compressor out of range");
}
