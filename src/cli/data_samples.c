/*
 * data_samples.c - samples of a data set: which ones are shown, and how on a terminal.
 */
#include "cli/data_samples.h"

#include <string.h>

#include "base/env.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/rng.h"
#include "cli/command.h"
#include "cli/data.h"
#include "data/preparation.h"

enum { NUMBERS_SHOWN = 8 };
enum { COUNT_DEFAULT = 6, COUNT_PICTURE = 36, COUNT_MAX = 1000, WIDTH_DEFAULT = 80, GAP = 2 };

static const int64_t seed_max = INT64_C(9000000000000000);

static enum status find_part(const struct flags *f, const struct dataset *d,
                             const struct samples **part)
{
    const char *split = flags_value(f, "split");

    if (split != NULL && strcmp(split, "train") != 0 && strcmp(split, "test") != 0)
        return FAIL(STATUS_BAD_INPUT, "--split: \"%s\" is not train or test", split);
    *part = split != NULL && strcmp(split, "test") == 0 ? &d->test : &d->train;
    return STATUS_OK;
}

/* A picture that cannot be read is named and black, and the others are shown. */
static void show_broken(uint8_t *bytes, int64_t size)
{
    log_warning("%s", status_message());
    memset(bytes, 0, (size_t)size);
}

/* Copies what is shown into memory, as the network would see it for evaluation. */
static void read_samples(struct data_samples *s)
{
    const struct dataset *d = s->dataset;
    const int64_t shorter = d->height < d->width ? d->height : d->width;
    const struct sample_source *source = s->part->source;
    const struct preparation p = {
        .dataset = d,
        .height = d->height,
        .width = d->width,
        .evaluation =
            augment_center(d->width, d->height, source->height == d->height ? 0 : shorter),
    };
    const struct sample_view view = {.is_training = false};
    const int64_t size = d->height * d->width * d->channels;
    struct preparer scratch = {0};

    s->read.count = s->count;
    s->read.bytes = MEM_NEW_N(uint8_t, s->count * size);
    s->read.labels = MEM_NEW_N(int32_t, s->count);
    for (int64_t i = 0; i < s->count; i++) {
        const struct sample_request q = {s->part, s->numbers[i], &view};

        s->read.labels[i] = s->part->labels[s->numbers[i]];
        if (preparation_read(&p, &q, &scratch, s->read.bytes + i * size) != STATUS_OK)
            show_broken(s->read.bytes + i * size, size);
        s->numbers[i] = i;
    }
    preparer_release(&scratch);
    s->part = &s->read;
}

void data_samples_release(struct data_samples *s)
{
    mem_free(s->numbers);
    mem_free(s->read.bytes);
    mem_free(s->read.labels);
}

/* Whether a class begins where the one before ends, as in folders. */
static bool is_sorted(const struct samples *part)
{
    for (int64_t i = 1; part->labels != NULL && i < part->count; i++)
        if (part->labels[i] < part->labels[i - 1])
            return false;
    return part->labels != NULL;
}

/* The first ones, evenly spaced ones of a sorted part, or random ones by a seed. */
static void order_samples(struct data_samples *s, bool is_random, int64_t seed)
{
    const int64_t count = s->part->count;
    const bool is_spaced = !is_random && is_sorted(s->part);
    const struct rng rng = rng_make((uint64_t)seed, RNG_ORDER, 0);

    s->numbers = MEM_NEW_N(int64_t, count);
    for (int64_t i = 0; i < count; i++)
        s->numbers[i] = is_spaced && i < s->count ? i * count / s->count : i;
    if (is_random)
        rng_order(&rng, s->numbers, count);
}

enum status data_samples_choose(const struct flags *f, const struct dataset *d,
                                struct data_samples *s)
{
    int64_t seed = 0, count = flags_has(f, "png") ? COUNT_PICTURE : COUNT_DEFAULT;

    *s = (struct data_samples){.dataset = d};
    TRY(command_read_int(f, "count", 0, COUNT_MAX, &count));
    TRY(command_read_int(f, "seed", 0, seed_max, &seed));
    TRY(find_part(f, d, &s->part));
    s->count = count < s->part->count ? count : s->part->count;
    order_samples(s, flags_has(f, "seed"), seed);
    if (s->part->source != NULL)
        read_samples(s);
    return STATUS_OK;
}

int64_t data_terminal_width(void)
{
    const char *columns = env_find("COLUMNS");
    int64_t width;

    return columns != NULL && text_to_int(columns, &width) && width > 0 ? width : WIDTH_DEFAULT;
}

/* The brightness of a pixel: the mean of its channels. */
static int pixel(const struct data_samples *s, int64_t i, int64_t y, int64_t x)
{
    const struct dataset *d = s->dataset;
    const int64_t sample = s->numbers[i];
    const uint8_t *at = s->part->bytes + ((sample * d->height + y) * d->width + x) * d->channels;
    int sum = 0;

    for (int64_t c = 0; c < d->channels; c++)
        sum += at[c];
    return sum / (int)d->channels;
}

/* A line of letters is two rows of pixels, as letters are twice as high as wide. */
static void add_picture_line(struct text *out, const struct data_samples *s, int64_t i, int64_t y)
{
    const struct dataset *d = s->dataset;
    static const char ramp[] = " .:-=+*#%@";
    const int64_t below = y + 1 < d->height ? y + 1 : y;

    for (int64_t x = 0; x < d->width; x++) {
        const int light = (pixel(s, i, y, x) + pixel(s, i, below, x)) / 2;

        text_add_n(out, &ramp[light * 10 / 256], 1);
    }
    text_addf(out, "%*s", GAP, "");
}

char *data_samples_class(const struct data_samples *s, int64_t i)
{
    const struct dataset *d = s->dataset;
    const int32_t label = s->part->labels[s->numbers[i]];

    return d->class_names != NULL ? mem_text(d->class_names[label])
                                  : text_format("class %d", label);
}

static void add_caption(struct text *out, const struct data_samples *s, int64_t i)
{
    const int width = (int)s->dataset->width;
    char *caption = data_samples_class(s, i);

    text_addf(out, "%-*.*s%*s", width, width, caption, GAP, "");
    mem_free(caption);
}

static void show_pictures(struct text *out, const struct data_samples *s)
{
    const struct dataset *d = s->dataset;
    const int64_t fit = data_terminal_width() / (d->width + GAP), across = fit > 0 ? fit : 1;

    for (int64_t first = 0; first < s->count; first += across) {
        const int64_t end = first + across < s->count ? first + across : s->count;

        text_add(out, "\n");
        for (int64_t i = first; i < end; i++)
            add_caption(out, s, i);
        text_add(out, "\n");
        for (int64_t y = 0; y < d->height; y += 2) {
            for (int64_t i = first; i < end; i++)
                add_picture_line(out, s, i, y);
            text_add(out, "\n");
        }
    }
}

static void show_numbers(struct text *out, const struct data_samples *s)
{
    const struct dataset *d = s->dataset;
    const int64_t size = d->height * d->width * d->channels;

    text_add(out, "\n");
    for (int64_t i = 0; i < s->count; i++) {
        const int64_t sample = s->numbers[i];

        for (int64_t k = 0; k < size && k < NUMBERS_SHOWN; k++)
            text_addf(out, "%10.4g", (double)s->part->values[sample * size + k]);
        text_addf(out, "%s  ->", size > NUMBERS_SHOWN ? " ..." : "");
        if (d->classes > 0)
            text_addf(out, " %s", d->class_names[s->part->labels[sample]]);
        for (int64_t k = 0; k < d->target_size; k++)
            text_addf(out, "%10.4g", (double)s->part->targets[sample * d->target_size + k]);
        text_add(out, "\n");
    }
}

void data_samples_show(const struct data_samples *s, struct text *out)
{
    const bool fits = s->dataset->width <= data_terminal_width();

    if (s->part->bytes != NULL && s->dataset->classes > 0 && fits)
        show_pictures(out, s);
    else if (s->part->values != NULL &&
             (s->dataset->classes == 0 || s->dataset->class_names != NULL))
        show_numbers(out, s);
}
