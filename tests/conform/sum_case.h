/*
 * sum_case.h - vectors to sum, and what their sum must be to the bit: that of the loop in rank
 * order.
 */
#ifndef TESTS_CONFORM_SUM_CASE_H
#define TESTS_CONFORM_SUM_CASE_H

#include <string.h>

#include "comm/transport.h"

/* Values whose sum depends on the order: of very different sizes and signs. */
static inline float sum_float_value(int rank, int64_t i)
{
    const int64_t mixed = (i * 2654435761 + rank * 40503 + 12345) % 1000003;
    const float scale = rank % 3 == 0 ? 1e6F : rank % 3 == 1 ? -1e6F : 1e-2F;

    return scale * (float)(mixed - 500000) / 977.0F;
}

static inline double sum_double_value(int rank, int64_t i)
{
    return (double)sum_float_value(rank, i) * 1.1 + 1e-9 * (double)i;
}

static inline int64_t sum_whole_value(int rank, int64_t i)
{
    return (rank + 1) * (i + 1) * (rank % 2 == 0 ? 1 : -1) + ((int64_t)1 << 55);
}

/* The vector of a worker. Sums with different `first` have different values. */
static inline void sum_fill(const struct sum *s, int rank, int64_t first)
{
    float *floats = s->data;
    double *doubles = s->data;
    int64_t *wholes = s->data;

    for (int64_t i = 0; i < s->count; i++) {
        if (s->type == SUM_FLOAT)
            floats[i] = sum_float_value(rank, first + i);
        else if (s->type == SUM_DOUBLE)
            doubles[i] = sum_double_value(rank, first + i);
        else
            wholes[i] = sum_whole_value(rank, first + i);
    }
}

static inline float sum_of_floats(int workers, int64_t i)
{
    float sum = sum_float_value(0, i);

    for (int r = 1; r < workers; r++)
        sum += sum_float_value(r, i);
    return sum;
}

static inline double sum_of_doubles(int workers, int64_t i)
{
    double sum = sum_double_value(0, i);

    for (int r = 1; r < workers; r++)
        sum += sum_double_value(r, i);
    return sum;
}

static inline int64_t sum_of_wholes(int workers, int64_t i)
{
    int64_t sum = 0;

    for (int r = 0; r < workers; r++)
        sum += sum_whole_value(r, i);
    return sum;
}

static inline bool sum_element_is_right(const struct sum *s, int workers, int64_t first, int64_t i)
{
    if (s->type == SUM_FLOAT) {
        const float sum = sum_of_floats(workers, first + i);

        return memcmp((float *)s->data + i, &sum, sizeof sum) == 0;
    }
    if (s->type == SUM_DOUBLE) {
        const double sum = sum_of_doubles(workers, first + i);

        return memcmp((double *)s->data + i, &sum, sizeof sum) == 0;
    }
    return ((int64_t *)s->data)[i] == sum_of_wholes(workers, first + i);
}

static inline bool sum_is_right(const struct sum *s, int workers, int64_t first)
{
    for (int64_t i = 0; i < s->count; i++)
        if (!sum_element_is_right(s, workers, first, i))
            return false;
    return true;
}

#endif
