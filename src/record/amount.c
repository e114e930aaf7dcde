/*
 * amount.c - reads and writes amounts of training.
 */
#include "record/amount.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static const double AMOUNT_MOST = 9e15; /* doubles count exactly to there */

static const char *const unit_names[AMOUNT_UNITS] = {
    [AMOUNT_NONE] = "",         [AMOUNT_SAMPLES] = "samples", [AMOUNT_EPOCHS] = "epochs",
    [AMOUNT_ROUNDS] = "rounds", [AMOUNT_BYTES] = "bytes",     [AMOUNT_SECONDS] = "seconds",
};

struct suffix {
    const char *text;
    double factor;
};
static const struct suffix of_counts[] = {
    {"k",  1e3 },
    {"K",  1e3 },
    {"M",  1e6 },
    {"G",  1e9 },
    {"T",  1e12},
    {NULL, 0   },
};
static const struct suffix of_seconds[] = {
    {"min", 60  },
    {"s",   1   },
    {"h",   3600},
    {NULL,  0   },
};

const char *amount_unit_name(enum amount_unit unit)
{
    return unit_names[unit];
}

static bool may_be_broken(enum amount_unit unit)
{
    return unit == AMOUNT_EPOCHS || unit == AMOUNT_SECONDS;
}

/* The number before a suffix of the list, or without one. */
static bool read_number(const char *text, const struct suffix *list, double *value)
{
    const size_t length = strlen(text);

    for (const struct suffix *s = list; s->text != NULL; s++) {
        const size_t end = strlen(s->text);

        if (length <= end || strcmp(text + length - end, s->text) != 0)
            continue;
        char *number = mem_text_n(text, length - end);
        const bool is_number = text_to_double(number, value);
        mem_free(number);
        *value *= s->factor;
        return is_number;
    }
    return text_to_double(text, value);
}

static enum amount_unit find_unit(const char *text, size_t length)
{
    for (enum amount_unit u = AMOUNT_SAMPLES; u < AMOUNT_UNITS; u++)
        if (strlen(unit_names[u]) == length && strncmp(unit_names[u], text, length) == 0)
            return u;
    return AMOUNT_NONE;
}

enum status amount_read(const char *text, struct amount *a)
{
    const char *colon = strchr(text, ':');
    const enum amount_unit unit =
        colon == NULL ? AMOUNT_NONE : find_unit(text, (size_t)(colon - text));

    *a = (struct amount){0};
    if (unit == AMOUNT_NONE)
        return FAIL(STATUS_BAD_INPUT,
                    "\"%s\" has %s unit; expected samples:N, rounds:N, bytes:N or seconds:N, "
                    "such as bytes:1.5G",
                    text, colon == NULL ? "no" : "an unknown");
    if (!read_number(colon + 1, unit == AMOUNT_SECONDS ? of_seconds : of_counts, &a->value))
        return FAIL(STATUS_BAD_INPUT, "\"%s\" is not a number of %s, such as %s", colon + 1,
                    unit_names[unit],
                    unit == AMOUNT_SECONDS ? "90, 90s or 5min" : "500, 20k or 1.5M");
    if (!(a->value > 0 && a->value <= AMOUNT_MOST))
        return FAIL(STATUS_BAD_INPUT, "%s is not above 0 and at most %g", text, AMOUNT_MOST);
    if (!may_be_broken(unit) && a->value != floor(a->value))
        return FAIL(STATUS_BAD_INPUT, "%s is not a whole number of %s", text, unit_names[unit]);
    a->unit = unit;
    return STATUS_OK;
}

char *amount_text(const struct amount *a)
{
    struct text out = {0};

    text_addf(&out, "%s:", unit_names[a->unit]);
    if (a->value == floor(a->value))
        text_addf(&out, "%.0f", a->value);
    else
        text_add_double(&out, a->value);
    return text_take(&out);
}
