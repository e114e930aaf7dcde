/*
 * pixel_letters.h - capital letters and digits of 5 x 7 pixels, for names in pictures.
 */
#ifndef CLI_PIXEL_LETTERS_H
#define CLI_PIXEL_LETTERS_H

#include "format/png.h"

enum { PIXEL_LETTER_WIDTH = 6, PIXEL_LETTER_HEIGHT = 7 }; /* with the gap after a letter */

/* Draws a text in black from (x, y) on, at most `width` pixels wide: what does not fit is left out.
 * Small letters become capitals; a character without a shape becomes a frame. */
void pixel_letters_draw(struct png_picture *p, int64_t x, int64_t y, int64_t width,
                        const char *text);

#endif
