/*
 * number.h - a real number among an algorithm's whole ones (worker.numbers), so that a checkpoint
 * has it too: its bits. Zero is zero.
 */
#ifndef ALGO_NUMBER_H
#define ALGO_NUMBER_H

#include <stdint.h>
#include <string.h>

static inline double number_real(const int64_t *number)
{
    double value;

    memcpy(&value, number, sizeof value);
    return value;
}

static inline void number_set_real(int64_t *number, double value)
{
    memcpy(number, &value, sizeof value);
}

#endif
