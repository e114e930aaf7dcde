/*
 * class_dict.h - names of classes from a Python dict that is stored as text, such as
 * imagenet1000_clsidx_to_labels.txt: {0: 'tench, Tinca tinca', 1: "goldfish", ...}.
 *
 * The text is read, never run. Strings may have single or double quotes and the escapes \\ \' \" \n
 * \t.
 */
#ifndef DATA_CLASS_DICT_H
#define DATA_CLASS_DICT_H

#include <stdint.h>

#include "base/status.h"

/*
 * Reads names[count] (mem_free each): keys are 0 to count - 1, each once, in any order. On failure
 * all are NULL, and the message begins with "path:line:column: ".
 */
enum status class_dict_read(const char *path, char **names, int64_t count);

#endif
