/*
 * yaml_check.h - for yaml.c: positions, and the look at the characters before they are parsed.
 */
#ifndef CONF_YAML_CHECK_H
#define CONF_YAML_CHECK_H

#include <stddef.h>

#include "base/status.h"

enum { YAML_BYTES_MAX = 1 << 20, YAML_NESTING_MAX = 32 };

#define YAML_TOO_DEEP "nested more than 32 deep"

struct yaml_position {
    int line, column; /* from 1 */
};

/* "net.yaml:3:5: WHAT" */
enum status yaml_fail_at(const char *origin, struct yaml_position at, const char *what);

enum status yaml_check_characters(const char *content, size_t length, const char *origin);

#endif
