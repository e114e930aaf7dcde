/*
 * other_flags.h - names that other programs give to our flags: an unknown flag that is one of them
 * is answered with ours.
 */
#ifndef CLI_OTHER_FLAGS_H
#define CLI_OTHER_FLAGS_H

#include "conf/flags.h"

extern const struct flag_other_name other_flags[]; /* ends with a zero row */

#endif
