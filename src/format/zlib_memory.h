/*
 * zlib_memory.h - what readers of deflated data share: zlib with the memory of base/mem.h, and how
 * much deflated data can become.
 */
#ifndef FORMAT_ZLIB_MEMORY_H
#define FORMAT_ZLIB_MEMORY_H

#define ZLIB_CONST /* zlib does not change its input */
#include <zlib.h>

enum { ZLIB_RATIO_MAX = 1032 }; /* deflate shrinks to no less than 1 in 1032 */

/* Before inflateInit2: with zlib's own memory, lack of it would look like damaged data. */
void zlib_memory_use(z_stream *stream);

#endif
