/*
 * zlib_memory.c - the allocator of zlib.
 */
#include "format/zlib_memory.h"

#include "base/mem.h"

static void *allocate(void *context, uInt count, uInt size)
{
    (void)context;
    return mem_alloc((int64_t)count, size);
}

static void deallocate(void *context, void *block)
{
    (void)context;
    mem_free(block);
}

void zlib_memory_use(z_stream *stream)
{
    stream->zalloc = allocate;
    stream->zfree = deallocate;
}
