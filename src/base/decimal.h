/*
 * decimal.h - doubles as decimal numbers, quickly: rows of measurements are full of them.
 */
#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

#include <stdbool.h>

enum { DECIMAL_BYTES = 32 }; /* with the zero at the end */

/*
 * The number with the fewest of 15, 16 or 17 digits that restore it, as printf("%.*g") writes it.
 * false: this is not known here; for zero, and from 1e-4 to 1e14, it is.
 */
bool decimal_write(double value, char text[DECIMAL_BYTES]);

#endif
