/*
 * gather.c - gathering samples: bytes to floats, resizing, labels and targets.
 *
 * Every number of the output depends on its own sample alone, so that the bits are the same however
 * callers split n. Channels go one after the other.
 *
 * Not here: the means and deviations (normalizer.c).
 */
#include "data/gather.h"

#include "base/check.h"
#include "base/mem.h"
#include "kernel/kernel.h"

enum { AHEAD = 6, LINE = 64 }; /* samples that are fetched before they are read; bytes */

/* One channel of one sample, and how its numbers are made. Exactly one of the two is not NULL. */
struct plane {
    const uint8_t *bytes;
    const float *values;
    float scale, shift; /* of bytes: 1 / (255 std), -mean / std */
    float mean, std;    /* of values */
    int64_t height, width, channels;
};

/* Where an output position lies between two inputs: (1 - weight) * [low] + weight * [high]. */
struct between {
    int64_t low, high;
    float weight;
};

/* Pixel centres, edges clamped: align_corners=False. */
static struct between place_between(int64_t position, int64_t in, int64_t out)
{
    const double at = ((double)position + 0.5) * (double)in / (double)out - 0.5;
    const double inside = at < 0.0 ? 0.0 : at;
    const int64_t low = (int64_t)inside < in - 1 ? (int64_t)inside : in - 1;

    return (struct between){
        .low = low,
        .high = low + (low < in - 1),
        .weight = (float)(inside - (double)low),
    };
}

static inline float plane_at(const struct plane *p, int64_t y, int64_t x)
{
    const int64_t i = (y * p->width + x) * p->channels;

    return p->bytes != NULL ? (float)p->bytes[i] * p->scale + p->shift
                            : (p->values[i] - p->mean) / p->std;
}

static inline float mix(float a, float b, float weight)
{
    return (1.0F - weight) * a + weight * b;
}

static void copy_plane(float *restrict out, const struct plane *p)
{
    const int64_t n = p->height * p->width, step = p->channels;
    const uint8_t *restrict bytes = p->bytes;
    const float scale = p->scale, shift = p->shift, mean = p->mean, std = p->std;

    if (bytes != NULL && step == 1)
        kernel_get()->bytes(out, bytes, scale, shift, n);
    else if (bytes != NULL)
        for (int64_t i = 0; i < n; i++)
            out[i * step] = (float)bytes[i * step] * scale + shift;
    else
        for (int64_t i = 0; i < n; i++)
            out[i * step] = (p->values[i * step] - mean) / std;
}

static void resize_plane(float *out, const struct plane *p, int64_t height, int64_t width)
{
    for (int64_t y = 0; y < height; y++) {
        const struct between v = place_between(y, p->height, height);

        for (int64_t x = 0; x < width; x++) {
            const struct between h = place_between(x, p->width, width);
            const float top = mix(plane_at(p, v.low, h.low), plane_at(p, v.low, h.high), h.weight);
            const float low =
                mix(plane_at(p, v.high, h.low), plane_at(p, v.high, h.high), h.weight);

            out[(y * width + x) * p->channels] = mix(top, low, v.weight);
        }
    }
}

/* Asks for sample `number`: samples lie far apart, and waiting for each costs more than copying. */
static void prefetch_sample(const struct samples *part, int64_t number, int64_t size)
{
    const char *at = part->bytes != NULL ? (const char *)(part->bytes + number * size)
                                         : (const char *)(part->values + number * size);
    const int64_t bytes = part->bytes != NULL ? size : size * (int64_t)sizeof *part->values;

    for (int64_t i = 0; i < bytes; i += LINE)
        __builtin_prefetch(at + i);
}

/* A constant `size` makes this twice as fast. */
static inline void copy_numbers(float *restrict out, const float *restrict values, int64_t size,
                                const int64_t *numbers, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < size; k++)
            out[i * size + k] = values[numbers[i] * size + k];
}

/* The few numbers of each sample, one sample after the other. */
static void gather_numbers(float *out, const float *values, int64_t size, const int64_t *numbers,
                           int64_t n)
{
    if (size == 1)
        copy_numbers(out, values, 1, numbers, n);
    else if (size == 2)
        copy_numbers(out, values, 2, numbers, n);
    else
        copy_numbers(out, values, size, numbers, n);
}

/* Samples of one pixel each: most of the time would go into preparing for larger ones. */
static void gather_points(float *out, const struct gather *g, const struct samples *part,
                          const int64_t *numbers, int64_t n)
{
    const int64_t channels = g->dataset->channels;

    gather_numbers(out, part->values, channels, numbers, n);
    for (int64_t c = 0; c < channels; c++) {
        const float mean = g->normalizer.mean[c], std = g->normalizer.std[c];
        const bool is_plain = !(mean < 0 || mean > 0) && !(std < 1 || std > 1);
        for (int64_t i = c; i < n * channels && !is_plain; i += channels)
            out[i] = (out[i] - mean) / std;
    }
}

/* How bytes of a channel of the data set become numbers. */
static struct plane plane_of(const struct gather *g, int64_t channel)
{
    const float mean = g->normalizer.mean[channel], std = g->normalizer.std[channel];

    return (struct plane){
        .scale = (float)(1.0 / (255.0 * (double)std)),
        .shift = (float)(-(double)mean / (double)std),
        .mean = mean,
        .std = std,
        .height = g->dataset->height,
        .width = g->dataset->width,
        .channels = g->dataset->channels,
    };
}

void gather_inputs(float *out, const struct gather *g, const struct samples *part,
                   const int64_t *numbers, int64_t n)
{
    const struct dataset *d = g->dataset;
    const int64_t in_size = d->height * d->width * d->channels;
    const int64_t out_size = g->height * g->width * d->channels;
    const bool same_size = g->height == d->height && g->width == d->width;

    CHECK((part->bytes == NULL) != (part->values == NULL));
    CHECK(g->height > 0 && g->width > 0);
    if (part->values != NULL && in_size == d->channels && same_size) {
        gather_points(out, g, part, numbers, n);
        return;
    }
    for (int64_t c = 0; c < d->channels; c++) {
        struct plane p = plane_of(g, c);

        for (int64_t i = 0; i < n && i < AHEAD; i++)
            prefetch_sample(part, numbers[i], in_size);
        for (int64_t i = 0; i < n; i++) {
            const int64_t at = numbers[i] * in_size + c;

            if (i + AHEAD < n)
                prefetch_sample(part, numbers[i + AHEAD], in_size);
            p.bytes = part->bytes == NULL ? NULL : part->bytes + at;
            p.values = part->values == NULL ? NULL : part->values + at;
            if (same_size)
                copy_plane(out + i * out_size + c, &p);
            else
                resize_plane(out + i * out_size + c, &p, g->height, g->width);
        }
    }
}

/* (byte - mean image) / (255 std) */
static void subtract_mean_image(float *restrict out, const struct gather *g, const uint8_t *bytes,
                                const float *image)
{
    const int64_t size = g->height * g->width * g->dataset->channels;

    for (int64_t i = 0; i < size; i++) {
        const float std = g->normalizer.std[i % g->dataset->channels];
        out[i] = ((float)bytes[i] - image[i]) / (255.0F * std);
    }
}

void gather_prepared(float *out, const struct gather *g, const struct samples *part,
                     const int64_t *numbers, const uint8_t *bytes, int64_t n)
{
    const int64_t channels = g->dataset->channels, size = g->height * g->width * channels;

    for (int64_t i = 0; i < n; i++) {
        const float *image =
            g->subtracts_mean_image ? sample_source_mean(part->source, numbers[i]) : NULL;

        for (int64_t c = 0; c < channels && image == NULL; c++) {
            struct plane p = plane_of(g, c);

            p.height = g->height;
            p.width = g->width;
            p.bytes = bytes + i * size + c;
            copy_plane(out + i * size + c, &p);
        }
        if (image != NULL)
            subtract_mean_image(out + i * size, g, bytes + i * size, image);
    }
}

enum status gather_views(float *out, const struct gather *g, const struct samples *part,
                         const struct sample_view *view, const int64_t *numbers, int64_t n)
{
    const int64_t size = g->height * g->width * g->dataset->channels;
    uint8_t *bytes = MEM_NEW_N(uint8_t, size);
    struct preparer scratch = {0};
    enum status s = STATUS_OK;

    for (int64_t i = 0; i < n && s == STATUS_OK; i++) {
        s = preparation_read(&g->preparation, &(struct sample_request){part, numbers[i], view},
                             &scratch, bytes);
        if (s == STATUS_OK)
            gather_prepared(out + i * size, g, part, numbers + i, bytes, 1);
    }
    preparer_release(&scratch);
    mem_free(bytes);
    return s;
}

void gather_labels(int32_t *out, const struct samples *part, const int64_t *numbers, int64_t n)
{
    CHECK(part->labels != NULL);
    for (int64_t i = 0; i < n; i++)
        out[i] = part->labels[numbers[i]];
}

void gather_targets(float *out, const struct samples *part, int64_t target_size,
                    const int64_t *numbers, int64_t n)
{
    CHECK(part->targets != NULL);
    gather_numbers(out, part->targets, target_size, numbers, n);
}
