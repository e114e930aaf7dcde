/*
 * stored_real.h - a real number among an algorithm's whole ones (worker.numbers), so that a
 * checkpoint has it too: its bits. Zero is zero.
 */
#ifndef ALGO_PARTS_STORED_REAL_H
#define ALGO_PARTS_STORED_REAL_H

#include <stdint.h>
#include <string.h>

static inline double stored_real_get(const int64_t *number)
{
    double value;

    memcpy(&value, number, sizeof value);
    return value;
}

static inline void stored_real_set(int64_t *number, double value)
{
    memcpy(number, &value, sizeof value);
}

#endif
