/*
 * data.h - what the files of `muster data` share.
 */
#ifndef CLI_DATA_H
#define CLI_DATA_H

#include <stdint.h>

#include "base/status.h"

/* Columns of the terminal ($COLUMNS), or 80. */
int64_t data_terminal_width(void);

/* `muster data partition`; argv[0] is "partition". */
enum status data_partition(int argc, char **argv);

/* `muster data make`; argv[0] is "make". */
enum status data_make(int argc, char **argv);

/* `muster data get` and `muster data verify`; argv[0] is the verb. */
enum status data_get(int argc, char **argv);
enum status data_verify(int argc, char **argv);

#endif
