/*
 * mem.c - blocks over calloc: it gets large blocks from the system already zeroed, so that their
 * pages are not touched before they are used.
 *
 *     raw ......[raw pointer] block (multiple of 64) ... bytes ... slack
 */
#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/check.h"

#if defined(__SANITIZE_ADDRESS__)
#define MEM_HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MEM_HAS_ASAN 1
#endif
#endif

#ifdef MEM_HAS_ASAN
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

enum { ALIGNMENT = 64, LARGE_PAGE = 1 << 21 };

static void no_memory(size_t bytes) __attribute__((noreturn));

static void no_memory(size_t bytes)
{
    fprintf(stderr, "muster: out of memory: cannot allocate %zu bytes (%.1f MB)\n", bytes,
            (double)bytes / 1e6);
    exit(EXIT_FAILURE);
}

static size_t size_in_bytes(int64_t count, size_t size)
{
    CHECK(count >= 0 && size > 0);
    if ((uint64_t)count > (SIZE_MAX / 2 - ALIGNMENT) / size)
        no_memory(SIZE_MAX);
    return (size_t)count * size;
}

/*
 * Asks for pages of 2 MB wherever they fit into a block: with small ones, a core that jumps over a
 * data set or over weights spends its time on finding pages. A system that refuses has lost
 * nothing.
 */
static void want_large_pages(char *raw, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    const size_t before = (LARGE_PAGE - (uintptr_t)raw % LARGE_PAGE) % LARGE_PAGE;

    if (bytes >= before + LARGE_PAGE)
        (void)madvise(raw + before, (bytes - before) / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
#else
    (void)raw;
    (void)bytes;
#endif
}

void *mem_alloc(int64_t count, size_t size)
{
    const size_t bytes = size_in_bytes(count, size);
    char *raw = calloc(1, bytes + ALIGNMENT);

    if (raw == NULL)
        no_memory(bytes);
    want_large_pages(raw, bytes);

    /* calloc aligns to 16, so that at least 16 bytes remain before the block for `raw`. */
    const size_t offset = ALIGNMENT - (uintptr_t)raw % ALIGNMENT;
    char *block = raw + offset;

    memcpy(block - sizeof raw, &raw, sizeof raw);
    ASAN_POISON_MEMORY_REGION(block + bytes, (size_t)ALIGNMENT - offset);
    return block;
}

void mem_check_library(void)
{
    if (errno != ENOMEM)
        return;
    fprintf(stderr, "muster: out of memory\n");
    exit(EXIT_FAILURE);
}

void *mem_resize(void *block, int64_t old_count, int64_t new_count, size_t size)
{
    CHECK(block != NULL || old_count == 0);

    void *grown = mem_alloc(new_count, size);
    const size_t kept = size_in_bytes(old_count < new_count ? old_count : new_count, size);

    if (kept > 0)
        memcpy(grown, block, kept);
    mem_free(block);
    return grown;
}

/* How many elements a block has room for that mem_grow made for `count`. */
static int64_t grown_room(int64_t count)
{
    int64_t room = 8;

    while (room < count && room <= INT64_MAX / 2)
        room *= 2;
    return count == 0 ? 0 : room;
}

void *mem_grow(void *block, int64_t count, size_t size)
{
    CHECK(count > 0);

    const int64_t old = grown_room(count - 1), room = grown_room(count);

    return room == old ? block : mem_resize(block, old, room, size);
}

void mem_free(void *block)
{
    char *raw;

    if (block == NULL)
        return;
    memcpy(&raw, (char *)block - sizeof raw, sizeof raw);
    free(raw);
}

char *mem_text(const char *text)
{
    CHECK(text != NULL);
    return mem_text_n(text, strlen(text));
}

char *mem_text_n(const char *text, size_t length)
{
    CHECK(text != NULL || length == 0);

    char *copy = MEM_NEW_N(char, (int64_t)length + 1);

    if (length > 0)
        memcpy(copy, text, length);
    return copy;
}
