/*
 * delay.c - reading the forms of --delay and --slow-worker, and drawing from them.
 */
#include "comm/delay.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/portable_math.h"
#include "base/rng.h"
#include "base/text.h"

#define PRESET_STD     0.005 /* seconds */
#define SHAPE_MOST     1e6
#define FACTOR_MOST    1e6
#define DURATION_FORMS "as 30ms, 0.5s, or small, medium, long, s000:small"

/* The means are those of S000's text, and of its code. */
static const struct {
    const char *name;
    double mean; /* seconds */
} presets[] = {
    {"s000:small",  0.030},
    {"s000:medium", 0.060},
    {"s000:long",   0.090},
    {"small",       0.010},
    {"medium",      0.020},
    {"long",        0.030},
};

static const struct {
    const char *name;
    enum delay_kind kind;
    const char *second; /* what follows the mean; NULL: nothing */
    const char *example;
} forms[] = {
    {"constant",    DELAY_CONSTANT,    NULL,        "constant:30ms"     },
    {"gaussian",    DELAY_GAUSSIAN,    "deviation", "gaussian:30ms,5ms" },
    {"lognormal",   DELAY_LOGNORMAL,   "deviation", "lognormal:30ms,5ms"},
    {"exponential", DELAY_EXPONENTIAL, NULL,        "exponential:30ms"  },
    {"pareto",      DELAY_PARETO,      "shape",     "pareto:30ms,2.5"   },
};

enum { PRESETS = sizeof presets / sizeof presets[0], FORMS = sizeof forms / sizeof forms[0] };

/* What is being read: the whole text for messages, and its key with a colon. */
struct reading {
    const char *key, *whole;
};

/* --- durations --- */

/* "30ms" in seconds; false when it is no duration. */
static bool to_seconds(const char *text, double *seconds)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {
        {"us", 1e-6},
        {"ms", 1e-3},
        {"s",  1   },
    };
    const size_t length = strlen(text);

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        const size_t unit = strlen(units[i].unit);

        if (length <= unit || strcmp(text + length - unit, units[i].unit) != 0)
            continue;
        char *number = mem_text_n(text, length - unit);
        const bool is_number = text_to_double(number, seconds);
        mem_free(number);
        *seconds *= units[i].seconds;
        if (is_number)
            return true;
    }
    return false;
}

static bool find_preset(const char *text, double *seconds)
{
    for (int i = 0; i < PRESETS; i++) {
        if (strcmp(presets[i].name, text) == 0) {
            *seconds = presets[i].mean;
            return true;
        }
    }
    return false;
}

static enum status read_seconds(const struct reading *r, const char *text, double *seconds)
{
    double number;

    if (text_to_double(text, &number))
        return FAIL(STATUS_BAD_INPUT, "%s %s: %s has no unit; write %sms or %ss", r->key, r->whole,
                    text, text, text);
    if (!to_seconds(text, seconds))
        return FAIL(STATUS_BAD_INPUT, "%s %s: \"%s\" is not a duration " DURATION_FORMS, r->key,
                    r->whole, text);
    if (!(*seconds >= 0 && *seconds <= DELAY_MOST))
        return FAIL(STATUS_BAD_INPUT, "%s %s: %s is outside [0s, %gs]", r->key, r->whole, text,
                    DELAY_MOST);
    return STATUS_OK;
}

/* --- one delay --- */

static enum status read_mean(const struct reading *r, const char *text, struct delay *d)
{
    if (find_preset(text, &d->mean)) {
        d->spread = PRESET_STD;
        return STATUS_OK;
    }
    return read_seconds(r, text, &d->mean);
}

static enum status read_shape(const struct reading *r, const char *text, struct delay *d)
{
    if (!text_to_double(text, &d->spread) || !(d->spread > 1 && d->spread <= SHAPE_MOST))
        return FAIL(STATUS_BAD_INPUT,
                    "%s %s: the shape \"%s\" is not a number in (1, %g]; at 1 and below a pareto "
                    "delay has no finite mean",
                    r->key, r->whole, text, SHAPE_MOST);
    return STATUS_OK;
}

static enum status refuse_values(const struct reading *r, int form)
{
    if (forms[form].second == NULL)
        return FAIL(STATUS_BAD_INPUT, "%s %s: %s takes one value, the mean, as %s", r->key,
                    r->whole, forms[form].name, forms[form].example);
    return FAIL(STATUS_BAD_INPUT, "%s %s: %s takes a mean and a %s, as %s", r->key, r->whole,
                forms[form].name, forms[form].second, forms[form].example);
}

/* "MEAN" or "MEAN,SECOND"; `second` is NULL without a comma. */
static enum status read_values(const struct reading *r, int form, const char *mean,
                               const char *second, struct delay *d)
{
    double preset;
    const bool may_lack = find_preset(mean, &preset) && forms[form].kind != DELAY_PARETO;

    d->kind = forms[form].kind;
    if (mean[0] == '\0' || (second != NULL && forms[form].second == NULL) ||
        (second == NULL && forms[form].second != NULL && !may_lack))
        return refuse_values(r, form);
    TRY(read_mean(r, mean, d));
    if (d->kind == DELAY_PARETO)
        TRY(read_shape(r, second, d));
    else if (second != NULL)
        TRY(read_seconds(r, second, &d->spread));
    if (forms[form].second == NULL)
        d->spread = 0;
    if (d->kind == DELAY_LOGNORMAL && !(d->mean > 0))
        return FAIL(STATUS_BAD_INPUT, "%s %s: a lognormal delay needs a mean above 0", r->key,
                    r->whole);
    return STATUS_OK;
}

static enum status read_form(const struct reading *r, int form, const char *values, struct delay *d)
{
    const char *comma = strchr(values, ',');
    char *mean = comma == NULL ? mem_text(values) : mem_text_n(values, (size_t)(comma - values));
    const enum status s = read_values(r, form, mean, comma == NULL ? NULL : comma + 1, d);

    mem_free(mean);
    return s;
}

static enum status refuse_form(const struct reading *r, const char *name)
{
    const char *names[FORMS + PRESETS + 1] = {NULL};
    struct text what = {0};

    for (int i = 0; i < FORMS; i++)
        names[i] = forms[i].name;
    for (int i = 0; i < PRESETS; i++)
        names[FORMS + i] = presets[i].name;

    char *word = mem_text_n(name, strcspn(name, ":")); /* "gausian" of "gausian:30ms" */
    const char *near = text_nearest(name, names);

    if (near == NULL)
        near = text_nearest(word, names);
    mem_free(word);
    if (near != NULL)
        text_addf(&what, "did you mean %s?", near);
    else
        text_add(&what, "a delay is written as 30ms, gaussian:30ms,5ms, lognormal:30ms,5ms, "
                        "exponential:30ms, pareto:30ms,2.5, small, medium, long or s000:small");
    const enum status s = FAIL(STATUS_BAD_INPUT, "%s %s: unknown delay %s; %s", r->key, r->whole,
                               name, text_get(&what));
    text_release(&what);
    return s;
}

static enum status read_one(const struct reading *r, const char *text, struct delay *d)
{
    const char *colon = strchr(text, ':');
    double seconds;

    *d = (struct delay){0};
    if (find_preset(text, &seconds)) {
        *d = (struct delay){.kind = DELAY_CONSTANT, .mean = seconds};
        return STATUS_OK;
    }
    for (int i = 0; i < FORMS; i++) {
        const size_t length = strlen(forms[i].name);

        if (strncmp(text, forms[i].name, length) == 0 && text[length] == ':')
            return read_form(r, i, text + length + 1, d);
        if (strcmp(text, forms[i].name) == 0)
            return refuse_values(r, i);
    }
    if (colon != NULL || (!to_seconds(text, &seconds) && !text_to_double(text, &seconds)))
        return refuse_form(r, text[0] == '\0' ? "\"\"" : text);
    d->kind = DELAY_CONSTANT;
    return read_seconds(r, text, &d->mean);
}

enum status delay_read(struct delay *d, const char *text)
{
    *d = (struct delay){0};
    if (text == NULL || strcmp(text, "none") == 0)
        return STATUS_OK;
    const enum status s =
        read_one(&(struct reading){.key = "delays.delay:", .whole = text}, text, d);
    if (s != STATUS_OK)
        *d = (struct delay){0};
    return s;
}

/* --- slow workers --- */

static enum status read_factor(const struct reading *r, double factor, const struct delays *d,
                               struct slow_worker *slow)
{
    if (!(factor > 0 && factor <= FACTOR_MOST))
        return FAIL(STATUS_BAD_INPUT, "%s %s: the factor %g is outside (0, %g]", r->key, r->whole,
                    factor, FACTOR_MOST);
    if (d->common.kind == DELAY_NONE && factor < 1)
        return FAIL(STATUS_BAD_INPUT,
                    "%s %s: without --delay the factor is on computing, which %g cannot make "
                    "faster; at least 1",
                    r->key, r->whole, factor);
    slow->factor = factor;
    return STATUS_OK;
}

static enum status read_worker(const struct reading *r, const char *text, const struct delays *d,
                               int workers)
{
    int64_t worker;

    if (!text_to_int(text, &worker))
        return FAIL(
            STATUS_BAD_INPUT,
            "%s %s: expected a worker, a colon and a factor or delay, such as 1:2.0 or 1:60ms",
            r->key, r->whole);
    if (worker < 0 || worker >= workers)
        return FAIL(STATUS_BAD_INPUT, "%s %s: there is no worker %lld; workers are 0 to %d", r->key,
                    r->whole, (long long)worker, workers - 1);
    for (int i = 0; i < d->slow_count; i++) {
        if (d->slow[i].worker == worker)
            return FAIL(STATUS_BAD_INPUT, "%s %s: worker %lld is given twice", r->key, r->whole,
                        (long long)worker);
    }
    d->slow[d->slow_count] = (struct slow_worker){.worker = (int)worker};
    return STATUS_OK;
}

/* "1:2.0" or "1:60ms" */
static enum status read_slow(const struct reading *r, char *item, struct delays *d, int workers)
{
    struct slow_worker *slow = &d->slow[d->slow_count];
    char *colon = strchr(item, ':');
    double factor;

    if (colon == NULL)
        return read_worker(r, "", d, workers);
    *colon = '\0';
    TRY(read_worker(r, item, d, workers));
    if (text_to_double(colon + 1, &factor))
        TRY(read_factor(r, factor, d, slow));
    else
        TRY(read_one(r, colon + 1, &slow->delay));
    d->slow_count++;
    return STATUS_OK;
}

/* The comma that ends an item: one that a number and a colon follow; "30ms,5ms" has others. */
static char *item_end(char *item)
{
    for (char *c = strchr(item, ','); c != NULL; c = strchr(c + 1, ',')) {
        const size_t digits = strspn(c + 1, "0123456789");

        if (c[1 + digits] == ':')
            return c;
    }
    return NULL;
}

static enum status read_slow_list(struct delays *d, const char *slow, int workers)
{
    const struct reading r = {.key = "delays.slow_worker:", .whole = slow};
    char *list = mem_text(slow);
    enum status s = STATUS_OK;

    d->slow = MEM_NEW_N(struct slow_worker, (int64_t)strlen(slow) + 1);
    for (char *item = list, *end; item != NULL && s == STATUS_OK;
         item = end == NULL ? NULL : end + 1) {
        end = item_end(item);
        if (end != NULL)
            *end = '\0';
        s = read_slow(&r, item, d, workers);
    }
    mem_free(list);
    return s;
}

enum status delays_init(struct delays *d, const char *delay, const char *slow, int workers)
{
    CHECK(workers > 0);
    *d = (struct delays){0};
    TRY(delay_read(&d->common, delay));
    if (slow == NULL || strcmp(slow, "none") == 0)
        return STATUS_OK;
    const enum status s = read_slow_list(d, slow, workers);
    if (s != STATUS_OK)
        delays_release(d);
    return s;
}

void delays_release(struct delays *d)
{
    mem_free(d->slow);
    *d = (struct delays){0};
}

/* --- drawing --- */

/* exp(log_value), at most `most`, without overflow on the way. */
static double exp_up_to(double log_value, double most)
{
    return log_value >= portable_log(most) ? most : portable_exp(log_value);
}

/* mean and std of the number itself give those of its logarithm. */
static double draw_lognormal(const struct delay *d, const struct rng *r, uint64_t step)
{
    const double ratio = d->spread / d->mean;
    const double variance = portable_log(1 + ratio * ratio);
    const double mean = portable_log(d->mean) - variance / 2;

    return exp_up_to(mean + sqrt(variance) * rng_normal(r, step, 0), DELAY_MOST_MEANS * d->mean);
}

/* Minus the logarithm of a number in (0, 1]: exponential of mean 1. */
static double draw_exponential(const struct rng *r, uint64_t step)
{
    return -portable_log(1 - rng_uniform(r, step, 0));
}

/* scale u^(-1/shape), whose mean is scale shape / (shape - 1) */
static double draw_pareto(const struct delay *d, const struct rng *r, uint64_t step)
{
    const double scale = d->mean * (d->spread - 1) / d->spread;

    return scale * exp_up_to(draw_exponential(r, step) / d->spread,
                             DELAY_MOST_MEANS * d->spread / (d->spread - 1));
}

static double draw_one(const struct delay *d, const struct rng *r, uint64_t step)
{
    switch (d->kind) {
    case DELAY_NONE:
        return 0;
    case DELAY_CONSTANT:
        return d->mean;
    case DELAY_GAUSSIAN:
        return d->mean + d->spread * rng_normal(r, step, 0);
    case DELAY_LOGNORMAL:
        return draw_lognormal(d, r, step);
    case DELAY_EXPONENTIAL:
        return d->mean * draw_exponential(r, step);
    case DELAY_PARETO:
        return draw_pareto(d, r, step);
    }
    BUG("delay out of range");
}

static const struct slow_worker *find_slow(const struct delays *d, int worker)
{
    for (int i = 0; i < d->slow_count; i++) {
        if (d->slow[i].worker == worker)
            return &d->slow[i];
    }
    return NULL;
}

double delay_draw(const struct delays *d, uint64_t seed, int worker, int64_t step)
{
    CHECK(worker >= 0 && step >= 0);
    const struct rng r = rng_make(seed, RNG_DELAY, (uint32_t)worker);
    const struct slow_worker *slow = find_slow(d, worker);
    const bool has_own = slow != NULL && slow->delay.kind != DELAY_NONE;
    double seconds = draw_one(has_own ? &slow->delay : &d->common, &r, (uint64_t)step);

    if (slow != NULL && slow->factor > 0)
        seconds *= slow->factor;
    return fmin(fmax(seconds, 0), DELAY_MOST);
}

bool delays_are_set(const struct delays *d)
{
    return d != NULL && (d->common.kind != DELAY_NONE || d->slow_count > 0);
}

double delay_compute_factor(const struct delays *d, int worker)
{
    const struct slow_worker *slow = find_slow(d, worker);

    return slow != NULL && slow->factor > 0 && d->common.kind == DELAY_NONE ? slow->factor : 1;
}
