/*
 * check.c - what a failed CHECK prints before the program aborts.
 */
#include "base/check.h"

#include <stdio.h>
#include <stdlib.h>

void check_failed(const char *file, int line, const char *function, const char *what)
{
    fprintf(stderr, "\nmuster: bug at %s:%d in %s: %s\n", file, line, function, what);
    abort();
}
