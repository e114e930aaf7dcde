/*
 * file_log.c - files that grow at their end, are cut, and are read in parts.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/file.h"
#include "base/mem.h"

enum status file_log_open(struct file_log *l, const char *path)
{
    *l = (struct file_log){
        .descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666),
    };
    if (l->descriptor < 0)
        return FAIL(STATUS_IO, "%s: cannot open for appending: %s", path, strerror(errno));
    l->path = mem_text(path);
    return STATUS_OK;
}

enum status file_log_line(struct file_log *l, const char *line)
{
    struct text t = {0};

    CHECK(l->path != NULL);
    text_add(&t, line);
    text_add(&t, "\n");

    const enum status s = file_write_all(l->descriptor, l->path, t.data, t.length);

    text_release(&t);
    return s;
}

enum status file_log_bytes(struct file_log *l, const void *data, size_t bytes)
{
    CHECK(l->path != NULL);
    return file_write_all(l->descriptor, l->path, data, bytes);
}

void file_log_close(struct file_log *l)
{
    if (l->path != NULL)
        close(l->descriptor);
    mem_free(l->path);
    *l = (struct file_log){.descriptor = -1};
}

enum status file_cut(const char *path, int64_t bytes)
{
    if (truncate(path, bytes) != 0)
        return FAIL(STATUS_IO, "%s: cannot be cut: %s", path, strerror(errno));
    return STATUS_OK;
}

static enum status read_all(int descriptor, const char *path, int64_t offset, void *data,
                            size_t bytes)
{
    char *at = data;

    while (bytes > 0) {
        const ssize_t n = pread(descriptor, at, bytes, offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return FAIL(STATUS_IO, "%s: cannot read: %s", path, strerror(errno));
        if (n == 0)
            return FAIL(STATUS_IO, "%s: ends at byte %lld, before all was read", path,
                        (long long)offset);
        at += n;
        offset += n;
        bytes -= (size_t)n;
    }
    return STATUS_OK;
}

enum status file_read_part(const char *path, int64_t offset, void *data, size_t bytes)
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);

    if (descriptor < 0)
        return FAIL(STATUS_IO, "%s: cannot open: %s", path, strerror(errno));
    const enum status s = read_all(descriptor, path, offset, data, bytes);
    close(descriptor);
    return s;
}
