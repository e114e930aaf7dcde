/*
 * reference.h - reference pages that the program writes itself, from its field tables.
 */
#ifndef CLI_REFERENCE_H
#define CLI_REFERENCE_H

#include "base/text.h"

/* docs/config.md */
void reference_config(struct text *out);

#endif
