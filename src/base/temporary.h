/*
 * temporary.h - a folder that does not stay.
 */
#ifndef BASE_TEMPORARY_H
#define BASE_TEMPORARY_H

#include "base/status.h"

/* A new folder in $TMPDIR or else in /tmp; mem_free its name. */
enum status temporary_make(char **folder);

/* Removes it with all that is in it; what cannot be removed is left. */
void temporary_remove(const char *folder);

#endif
