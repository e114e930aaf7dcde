/*
 * env.c - the one call of getenv.
 */
#include "base/env.h"

#include <stdlib.h>

#include "base/check.h"

const char *env_find(const char *name)
{
    CHECK(name != NULL);

    const char *value = getenv(name);

    return value == NULL || value[0] == '\0' ? NULL : value;
}
