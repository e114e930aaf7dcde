/*
 * file_map.c - files as memory, by mmap.
 */
#include "base/file_map.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/mem.h"

/* --- reads that fail --- */

/* Only what is safe in a handler. The reader cannot continue. */
static void end_after_failed_read(int number)
{
    static const char message[] =
        "error: a file that is in use became shorter, or its disk failed\n";
    const ssize_t n = write(STDERR_FILENO, message, sizeof message - 1);

    (void)number;
    (void)n;
    _exit(status_exit_code(STATUS_IO));
}

static void catch_failed_reads(void)
{
    struct sigaction action = {.sa_handler = end_after_failed_read};

    (void)sigaction(SIGBUS, &action, NULL);
}

/* --- mapping --- */

static enum status fail_map(const char *path, int error)
{
    return FAIL(STATUS_IO, "%s: cannot map the file: %s", path, strerror(error));
}

static pthread_once_t catches = PTHREAD_ONCE_INIT;

/* mmap rejects a length of 0. */
static enum status map_descriptor(struct file_map *m, const char *path, int descriptor)
{
    struct stat info;

    if (fstat(descriptor, &info) != 0)
        return fail_map(path, errno);
    if (!S_ISREG(info.st_mode))
        return FAIL(STATUS_IO, "%s: is not a regular file", path);
    m->data = (const uint8_t *)"";
    if (info.st_size == 0)
        return STATUS_OK;

    void *memory = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);

    if (memory == MAP_FAILED)
        return fail_map(path, errno);
    CHECK(pthread_once(&catches, catch_failed_reads) == 0);
    m->memory = memory;
    m->data = memory;
    m->bytes = (size_t)info.st_size;
    return STATUS_OK;
}

enum status file_map_open(struct file_map *m, const char *path)
{
    CHECK(path != NULL);
    *m = (struct file_map){0};

    /* Without O_NONBLOCK, a named pipe would wait for a writer. */
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (descriptor < 0)
        return FAIL(STATUS_IO, "%s: cannot open: %s", path, strerror(errno));

    const enum status s = map_descriptor(m, path, descriptor);

    close(descriptor); /* the memory stays */
    if (s == STATUS_OK)
        m->path = mem_text(path);
    else
        *m = (struct file_map){0};
    return s;
}

void file_map_close(struct file_map *m)
{
    if (m->memory != NULL)
        CHECK(munmap(m->memory, m->bytes) == 0);
    mem_free(m->path);
    *m = (struct file_map){0};
}

/* madvise begins at a page. What it answers does not matter. */
static void advise_range(const struct file_map *m, size_t offset, size_t bytes, int advice)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t before = offset % page;

    (void)madvise((char *)m->memory + offset - before, bytes + before, advice);
}

void file_map_advise(const struct file_map *m, enum file_map_use use)
{
    static const int advice[] = {
        [FILE_MAP_NORMAL] = MADV_NORMAL,
        [FILE_MAP_SEQUENTIAL] = MADV_SEQUENTIAL,
        [FILE_MAP_RANDOM] = MADV_RANDOM,
    };

    if (m->bytes > 0)
        advise_range(m, 0, m->bytes, advice[use]);
}

void file_map_prefetch(const struct file_map *m, size_t offset, size_t bytes)
{
    CHECK(offset <= m->bytes && bytes <= m->bytes - offset);
    if (bytes > 0)
        advise_range(m, offset, bytes, MADV_WILLNEED);
}
