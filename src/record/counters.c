/*
 * counters.c - the functions that go through the list of counters.
 */
#include "record/counters.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* clang-format off */
#define COUNTER_ROW(member, file_key, unit_, over_, saved_, shown_)                              \
    {.name = #member, .key = (file_key), .unit = COUNTER_##unit_, .over = COUNTER_##over_,       \
     .saved = COUNTER_##saved_, .shown = COUNTER_##shown_},
const struct counter counters_list[COUNTERS_COUNT] = {COUNTER_LIST(COUNTER_ROW)};
/* clang-format on */

/* A struct of doubles alone is an array of them. */
static double *values_of(struct counters *c)
{
    return &c->rounds;
}

static const double *values_in(const struct counters *c)
{
    return &c->rounds;
}

double counters_get(const struct counters *c, int i)
{
    return values_in(c)[i];
}

struct counters counters_start(void)
{
    return (struct counters){
        .moving_loss = (double)NAN, .lr = (double)NAN, .weight_square = (double)NAN};
}

static double reduce(const struct counters *rows, int count, int counter)
{
    double value = 0;
    int known = 0; /* a worker that has not trained yet has no loss */

    for (int w = 0; w < count; w++) {
        const double x = values_in(&rows[w])[counter];

        if (counters_list[counter].over == COUNTER_MEAN && isnan(x))
            continue;
        value = counters_list[counter].over == COUNTER_MAX ? fmax(value, x) : value + x;
        known++;
    }
    return counters_list[counter].over == COUNTER_MEAN ? value / known : value;
}

struct counters counters_reduce(const struct counters *rows, int count)
{
    struct counters all;

    for (int i = 0; i < COUNTERS_COUNT; i++)
        values_of(&all)[i] = reduce(rows, count, i);
    return all;
}

int counters_saved_count(void)
{
    int count = 0;

    for (int i = 0; i < COUNTERS_COUNT; i++)
        count += counters_list[i].saved == COUNTER_SAVED;
    return count;
}

void counters_pack(const struct counters *c, double *values)
{
    for (int i = 0; i < COUNTERS_COUNT; i++)
        if (counters_list[i].saved == COUNTER_SAVED)
            *values++ = values_in(c)[i];
}

void counters_unpack(struct counters *c, const double *values)
{
    for (int i = 0; i < COUNTERS_COUNT; i++)
        if (counters_list[i].saved == COUNTER_SAVED)
            values_of(c)[i] = *values++;
}

static bool is_possible(const struct counter *counter, double x)
{
    const double most = 9007199254740992.0; /* 2^53 */

    switch (counter->unit) {
    case COUNTER_COUNT:
    case COUNTER_BYTES:
        return x >= 0 && x <= most;
    case COUNTER_LOSS:
        return isfinite(x) || (counter->over == COUNTER_MEAN && isnan(x));
    case COUNTER_SECONDS:
        return isfinite(x);
    case COUNTER_NUMBER:
        return true;
    }
    return false;
}

const char *counters_impossible(const struct counters *c)
{
    for (int i = 0; i < COUNTERS_COUNT; i++)
        if (!is_possible(&counters_list[i], values_in(c)[i]))
            return counters_list[i].name;
    return NULL;
}

/* clang-format off */
#define COUNTER_NAME_SAVED(name)     "," name
#define COUNTER_NAME_NOT_SAVED(name) ""
#define COUNTER_NAME(member, key, unit, over, saved, shown) COUNTER_NAME_##saved(#member)
/* clang-format on */

const char *counters_saved_names(void)
{
    static const char names[] = COUNTER_LIST(COUNTER_NAME);

    return names + 1; /* without the first comma */
}

void counters_json(const struct counters *c, enum counter_shown where, struct json *j)
{
    for (int i = 0; i < COUNTERS_COUNT; i++) {
        const struct counter *counter = &counters_list[i];
        const double value = values_in(c)[i];

        if (counter->shown != where)
            continue;
        if (counter->unit == COUNTER_COUNT || counter->unit == COUNTER_BYTES)
            json_int(j, counter->key, (int64_t)value);
        else
            json_number(j, counter->key, value);
    }
}

void counters_close_epoch(struct counters *c)
{
    c->epoch_samples = c->epoch_correct = c->epoch_correct5 = c->epoch_loss = 0;
}

void counters_close_log(struct counters *c)
{
    c->logged_samples = c->logged_loss = c->logged_correct = c->logged_correct5 = 0;
}
