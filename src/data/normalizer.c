/*
 * normalizer.c - the mean and standard deviation that inputs are normalised with.
 *
 * Sums over bytes are exact whole numbers (a histogram), so the figures do not depend on any order.
 */
#include "data/normalizer.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/text.h"

struct moments {
    double count, sum, squares;
};

static void add_bytes(struct moments *m, const struct dataset *d, int64_t channel)
{
    const int64_t n = d->train.count * d->height * d->width;
    int64_t histogram[256] = {0};

    for (int64_t i = 0; i < n; i++)
        histogram[d->train.bytes[i * d->channels + channel]]++;
    for (int v = 0; v < 256; v++) {
        /* Whole numbers, exact in a double up to 2^53. */
        m->sum += (double)histogram[v] * v;
        m->squares += (double)histogram[v] * v * v;
    }
    m->count += (double)n;
}

static void add_values(struct moments *m, const struct dataset *d, int64_t channel)
{
    const int64_t n = d->train.count * d->height * d->width;

    for (int64_t i = 0; i < n; i++) {
        const double v = (double)d->train.values[i * d->channels + channel];

        m->sum += v;
        m->squares += v * v;
    }
    m->count += (double)n;
}

static void add_channel(struct moments *m, const struct dataset *d, int64_t channel)
{
    if (d->train.bytes != NULL)
        add_bytes(m, d, channel);
    else
        add_values(m, d, channel);
}

static void set_channel(struct normalizer *n, int64_t channel, double mean, double std)
{
    n->mean[channel] = (float)mean;
    n->std[channel] = (float)std;
}

/* Unbiased: divided by count - 1. A constant input has no spread to divide by and takes 1. */
static void finish_channel(struct normalizer *n, const struct moments *m, double unit,
                           int64_t channel)
{
    const double mean = m->sum / m->count;
    const double spread = m->squares - m->sum * mean;
    const double variance = m->count > 1.0 ? spread / (m->count - 1.0) : 0.0;

    set_channel(n, channel, mean / unit, variance > 0.0 ? sqrt(variance) / unit : 1.0);
}

static void allocate(struct normalizer *n, int64_t channels)
{
    n->mean = MEM_NEW_N(float, channels);
    n->std = MEM_NEW_N(float, channels);
}

void normalizer_release(struct normalizer *n)
{
    mem_free(n->mean);
    mem_free(n->std);
    *n = (struct normalizer){0};
}

void normalizer_measure(struct normalizer *n, enum normalizer_scope scope, const struct dataset *d)
{
    const double unit = d->train.bytes != NULL ? 255.0 : 1.0;
    struct moments all = {0};

    allocate(n, d->channels);
    for (int64_t c = 0; c < d->channels; c++) {
        struct moments one = {0};

        add_channel(scope == NORMALIZER_SET ? &all : &one, d, c);
        if (scope == NORMALIZER_CHANNEL)
            finish_channel(n, &one, unit, c);
    }
    for (int64_t c = 0; c < d->channels && scope == NORMALIZER_SET; c++)
        finish_channel(n, &all, unit, c);
}

static void set_all(struct normalizer *n, int64_t channels, double mean, double std)
{
    allocate(n, channels);
    for (int64_t c = 0; c < channels; c++)
        set_channel(n, c, mean, std);
}

/* Numbers with commas between them; -1 when it is anything else or more than `most`. */
static int64_t parse_numbers(const char *text, double *numbers, int64_t most)
{
    int64_t count = 0;

    for (;;) {
        const size_t length = strcspn(text, ",");
        char *word = mem_text_n(text, length);
        const bool ok =
            count < most && text_to_double(word, &numbers[count]) && isfinite(numbers[count]);

        mem_free(word);
        if (!ok)
            return -1;
        count++;
        if (text[length] == '\0')
            return count;
        text += length + 1;
    }
}

static enum status set_each(struct normalizer *n, const char *how, int64_t channels,
                            double *numbers)
{
    const int64_t count = parse_numbers(how, numbers, 2 * channels);

    if (count != 2 && count != 2 * channels)
        return FAIL(STATUS_BAD_INPUT,
                    "data.normalize: \"%s\" is not none, set, channel or M,S (a mean and a "
                    "standard deviation, or %lld means and then as many deviations)",
                    how, (long long)channels);
    for (int64_t c = 0; c < channels; c++) {
        const double mean = numbers[count == 2 ? 0 : c];
        const double std = numbers[count == 2 ? 1 : channels + c];

        if (!(std > 0.0))
            return FAIL(STATUS_BAD_INPUT,
                        "data.normalize: \"%s\": the standard deviation %g is not > 0", how, std);
        set_channel(n, c, mean, std);
    }
    return STATUS_OK;
}

static enum status set_numbers(struct normalizer *n, const char *how, int64_t channels)
{
    double *numbers = MEM_NEW_N(double, 2 * channels);

    allocate(n, channels);
    const enum status s = set_each(n, how, channels, numbers);
    mem_free(numbers);
    if (s != STATUS_OK)
        normalizer_release(n);
    return s;
}

/* Published constants, red, green, blue: means, then deviations. S004's means are those of
 * another data set (CINIC); its results were obtained with them. */
static const struct {
    const char *name, *numbers;
} presets[] = {
    {"imagenet", "0.485,0.456,0.406,0.229,0.224,0.225"               },
    {"s004",     "0.47889522,0.47227842,0.43047404,0.229,0.224,0.225"},
};

static enum status check_mean_image(const struct dataset *d)
{
    if (d->train.source != NULL && sample_source_mean(d->train.source, 0) != NULL)
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT, "data.normalize: data set %s has no mean image",
                d->ops->entry.name);
}

static bool is_measured(const char *how)
{
    return strcmp(how, "set") == 0 || strcmp(how, "channel") == 0;
}

static enum status set_measured(struct normalizer *n, const char *how, const struct dataset *d)
{
    if (d->train.source != NULL)
        return FAIL(STATUS_BAD_INPUT,
                    "data.normalize: \"%s\" would read all pictures of data set %s first; use "
                    "imagenet, none, or MEAN,STD",
                    how, d->ops->entry.name);
    if (d->train.bytes == NULL && d->train.values == NULL) /* an outline */
        set_all(n, d->channels, 0.0, 1.0);
    else
        normalizer_measure(n, how[0] == 's' ? NORMALIZER_SET : NORMALIZER_CHANNEL, d);
    return STATUS_OK;
}

enum status normalizer_init(struct normalizer *n, const char *how, const struct dataset *d)
{
    const bool is_none = strcmp(how, "none") == 0, is_image = strcmp(how, "image") == 0;
    const bool is_known = strcmp(how, "set") == 0 && d->known_std > 0.0F;

    *n = (struct normalizer){0};
    if (is_image)
        TRY(check_mean_image(d));
    if (is_none || is_image || is_known) {
        set_all(n, d->channels, is_known ? (double)d->known_mean : 0.0,
                is_known ? (double)d->known_std : 1.0);
        return STATUS_OK;
    }
    for (size_t k = 0; k < sizeof presets / sizeof presets[0]; k++)
        if (strcmp(how, presets[k].name) == 0)
            return set_numbers(n, presets[k].numbers, d->channels);
    return is_measured(how) ? set_measured(n, how, d) : set_numbers(n, how, d->channels);
}
