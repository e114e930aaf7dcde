/*
 * help_config.h - the reference page of all keys, written from the field tables.
 */
#ifndef CLI_HELP_CONFIG_H
#define CLI_HELP_CONFIG_H

#include "base/text.h"

/* docs/reference/config.md */
void help_config(struct text *out);

#endif
