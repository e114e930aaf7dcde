/*
 * planes.h - images as CIFAR and ImageNet32 store them: all of red, then green, then blue.
 */
#ifndef DATA_PLANES_H
#define DATA_PLANES_H

#include <stdint.h>

/* planes[3][pixels] to out[pixels][3]. */
static inline void planes_to_pixels(uint8_t *restrict out, const uint8_t *restrict planes,
                                    int64_t pixels)
{
    for (int64_t p = 0; p < pixels; p++)
        for (int64_t c = 0; c < 3; c++)
            out[p * 3 + c] = planes[c * pixels + p];
}

#endif
