/*
 * file.c - reading, writing and naming files through the system calls.
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/mem.h"

enum { BUFFER_BYTES = 1 << 16, READ_BYTES = 1 << 16, LINKS_MAX = 40 };

enum status file_write_all(int descriptor, const char *path, const void *data, size_t bytes)
{
    const char *at = data;

    while (bytes > 0) {
        const ssize_t n = write(descriptor, at, bytes);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return FAIL(STATUS_IO, "%s: cannot write: %s", path, strerror(errno));
        at += n;
        bytes -= (size_t)n;
    }
    return STATUS_OK;
}

/* --- where a file is written --- */

/* mem_free */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (slash == NULL)
        return mem_text(".");
    return slash == path ? mem_text("/") : mem_text_n(path, (size_t)(slash - path));
}

/* What stands at the end of symbolic links, also where that is nothing yet. mem_free. */
static char *follow_links(const char *path)
{
    char link[PATH_MAX];
    char *at = mem_text(path);
    ssize_t length = 0;

    for (int i = 0; i < LINKS_MAX && (length = readlink(at, link, sizeof link - 1)) > 0; i++) {
        link[length] = '\0';

        char *folder = folder_of(at), *next = file_join(folder, link);

        mem_free(folder);
        mem_free(at);
        at = next;
    }
    return at;
}

/* stdout or stderr, when the file is the one that the descriptor has open; else -1. */
static int standard_descriptor(const struct stat *info)
{
    for (int descriptor = STDOUT_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
        struct stat own;

        if (fstat(descriptor, &own) == 0 && own.st_dev == info->st_dev &&
            own.st_ino == info->st_ino)
            return descriptor;
    }
    return -1;
}

/* A device or a pipe would be lost if a file took its name, and what was sent to stdout with it. */
static bool is_written_straight(const struct stat *info)
{
    return !S_ISREG(info->st_mode) || standard_descriptor(info) >= 0;
}

static int open_straight(const char *path, const struct stat *info)
{
    const int standard = standard_descriptor(info);

    return standard >= 0 ? fcntl(standard, F_DUPFD_CLOEXEC, 0) : open(path, O_WRONLY | O_CLOEXEC);
}

static int open_temporary(struct file_writer *w)
{
    w->target = follow_links(w->path);
    w->temporary = text_format("%s.%ld.tmp", w->target, (long)getpid());
    return open(w->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

static enum status refuse_path(const char *path, int error)
{
    return FAIL(STATUS_IO, "%s: cannot create the file: %s", path, strerror(error));
}

static void writer_release(struct file_writer *w)
{
    mem_free(w->path);
    mem_free(w->target);
    mem_free(w->temporary);
    mem_free(w->buffer);
    *w = (struct file_writer){.descriptor = -1};
}

/* --- writing --- */

enum status file_writer_open(struct file_writer *w, const char *path)
{
    struct stat info;

    CHECK(path != NULL);

    const bool exists = stat(path, &info) == 0;

    *w = (struct file_writer){.descriptor = -1};
    if (!exists && errno != ENOENT)
        return refuse_path(path, errno);
    w->path = mem_text(path);
    w->buffer = MEM_NEW_N(uint8_t, BUFFER_BYTES);
    w->descriptor =
        exists && is_written_straight(&info) ? open_straight(path, &info) : open_temporary(w);
    if (w->descriptor >= 0)
        return STATUS_OK;

    const int error = errno;

    writer_release(w);
    return refuse_path(path, error);
}

static enum status writer_flush(struct file_writer *w)
{
    const size_t used = w->used;

    w->used = 0;
    return file_write_all(w->descriptor, w->path, w->buffer, used);
}

enum status file_writer_put(struct file_writer *w, const void *data, size_t bytes)
{
    CHECK(w->descriptor >= 0 && (data != NULL || bytes == 0));
    if (bytes > BUFFER_BYTES - w->used)
        TRY(writer_flush(w));
    if (bytes >= BUFFER_BYTES)
        return file_write_all(w->descriptor, w->path, data, bytes);
    if (bytes > 0)
        memcpy(w->buffer + w->used, data, bytes);
    w->used += bytes;
    return STATUS_OK;
}

/* A rename is on the disk only when its folder is. */
static enum status sync_folder_of(const char *path)
{
    char *folder = folder_of(path);
    const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    enum status s = STATUS_OK;

    /* Some file systems cannot sync a folder (EINVAL); they have nothing better to offer. */
    if (descriptor < 0 || (fsync(descriptor) != 0 && errno != EINVAL))
        s = FAIL(STATUS_IO, "%s: cannot sync the folder: %s", folder, strerror(errno));
    if (descriptor >= 0)
        close(descriptor);
    mem_free(folder);
    return s;
}

static enum status writer_finish(struct file_writer *w)
{
    TRY(writer_flush(w));
    if (w->temporary != NULL && !w->is_unsynced && fsync(w->descriptor) != 0 && errno != EINVAL)
        return FAIL(STATUS_IO, "%s: cannot write to the disk: %s", w->path, strerror(errno));
    return STATUS_OK;
}

static enum status writer_rename(struct file_writer *w)
{
    if (rename(w->temporary, w->target) != 0)
        return FAIL(STATUS_IO, "%s: cannot replace the file: %s", w->path, strerror(errno));
    return w->is_unsynced ? STATUS_OK : sync_folder_of(w->target);
}

enum status file_writer_close(struct file_writer *w, enum status body)
{
    CHECK(w->descriptor >= 0);

    enum status s = body == STATUS_OK ? writer_finish(w) : body;

    if (close(w->descriptor) != 0 && s == STATUS_OK)
        s = FAIL(STATUS_IO, "%s: cannot close: %s", w->path, strerror(errno));
    if (s == STATUS_OK && w->temporary != NULL)
        s = writer_rename(w);
    if (s != STATUS_OK && w->temporary != NULL)
        unlink(w->temporary); /* gone already when only the folder's sync failed */
    writer_release(w);
    return s;
}

/* 0, or why a file that is replaced cannot be written. */
static int folder_error(const char *path)
{
    char *target = follow_links(path), *folder = folder_of(target);
    const int error = access(folder, W_OK | X_OK) == 0 ? 0 : errno;

    mem_free(folder);
    mem_free(target);
    return error;
}

enum status file_check_writable(const char *path)
{
    struct stat info;
    const bool exists = stat(path, &info) == 0;
    int error = exists || errno == ENOENT ? 0 : errno;

    if (exists && S_ISDIR(info.st_mode))
        error = EISDIR;
    else if (exists && standard_descriptor(&info) >= 0)
        error = 0;
    else if (exists && is_written_straight(&info))
        error = access(path, W_OK) == 0 ? 0 : errno;
    else if (error == 0)
        error = folder_error(path);
    return error == 0 ? STATUS_OK : refuse_path(path, error);
}

static enum status read_all(int descriptor, const char *path, size_t limit, struct text *out)
{
    struct stat info;

    if (fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 &&
        (uint64_t)info.st_size <= limit)
        text_reserve(out, (size_t)info.st_size + 1); /* with the byte that finds the end */
    for (;;) {
        if (out->capacity - out->length < 2)
            text_reserve(out, READ_BYTES);

        const ssize_t n =
            read(descriptor, out->data + out->length, out->capacity - out->length - 1);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return FAIL(STATUS_IO, "%s: cannot read: %s", path, strerror(errno));
        out->length += (size_t)n;
        out->data[out->length] = '\0';
        if (out->length > limit)
            return FAIL(STATUS_IO, "%s: larger than the %zu bytes allowed here", path, limit);
        if (n == 0)
            return STATUS_OK;
    }
}

/* A pipe with a name, whose reader may wait for ever; not one that a shell has opened, /dev/stdin
 * or /dev/fd/63, which is on no disk. */
static bool is_named_pipe(const char *path)
{
    char *target = follow_links(path), *folder = folder_of(target);
    struct stat info, around;
    const bool is_named = stat(path, &info) == 0 && S_ISFIFO(info.st_mode) &&
                          stat(folder, &around) == 0 && info.st_dev == around.st_dev;

    mem_free(folder);
    mem_free(target);
    return is_named;
}

enum status file_read(const char *path, size_t limit, struct text *out)
{
    text_clear(out);
    if (is_named_pipe(path))
        return FAIL(STATUS_IO, "%s: is a named pipe, not a regular file", path);

    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);

    if (descriptor < 0)
        return FAIL(STATUS_IO, "%s: cannot open: %s", path, strerror(errno));

    const enum status s = read_all(descriptor, path, limit, out);

    close(descriptor);
    if (s != STATUS_OK)
        text_release(out);
    return s;
}

enum status file_write_text(const char *path, const char *content)
{
    struct file_writer w;

    TRY(file_writer_open(&w, path));
    return file_writer_close(&w, file_writer_put(&w, content, strlen(content)));
}

enum status file_replace_text(const char *path, const char *content)
{
    struct file_writer w;

    TRY(file_writer_open(&w, path));
    w.is_unsynced = true;
    return file_writer_close(&w, file_writer_put(&w, content, strlen(content)));
}

enum status file_write_in(const char *folder, const char *name, const char *content)
{
    char *path = file_join(folder, name);
    const enum status s = file_write_text(path, content);

    mem_free(path);
    return s;
}

bool file_exists(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0;
}

bool file_exists_in(const char *folder, const char *name)
{
    char *path = file_join(folder, name);
    const bool exists = file_exists(path);

    mem_free(path);
    return exists;
}

bool file_is_folder(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool file_is_regular(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

int64_t file_size(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISREG(info.st_mode) ? (int64_t)info.st_size : -1;
}

static enum status make_folder(const char *path)
{
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && file_is_folder(path)))
        return STATUS_OK;

    /* EROFS and EACCES may come for a folder that is there: an existing one is fine. */
    const int error = errno;

    if (file_is_folder(path))
        return STATUS_OK;
    return FAIL(STATUS_IO, "%s: cannot make the folder: %s", path, strerror(error));
}

static enum status make_folders(char *path)
{
    for (char *at = path + 1; *at != '\0'; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        TRY(make_folder(path));
        *at = '/';
    }
    return make_folder(path);
}

enum status file_make_folders(const char *path)
{
    CHECK(path != NULL && path[0] != '\0');

    char *copy = mem_text(path);
    const enum status s = make_folders(copy);

    mem_free(copy);
    return s;
}

enum status file_remove(const char *path)
{
    if (remove(path) == 0 || errno == ENOENT)
        return STATUS_OK;
    return FAIL(STATUS_IO, "%s: cannot remove: %s", path, strerror(errno));
}

enum status file_remove_in(const char *folder, const char *name)
{
    char *path = file_join(folder, name);
    const enum status s = file_remove(path);

    mem_free(path);
    return s;
}

enum status file_rename(const char *from, const char *to)
{
    if (rename(from, to) != 0)
        return FAIL(STATUS_IO, "%s: cannot be renamed to %s: %s", from, to, strerror(errno));
    return sync_folder_of(to);
}

void file_reserve_standard(void)
{
    int descriptor;

    do
        descriptor = open("/dev/null", O_RDWR);
    while (descriptor >= 0 && descriptor <= 2);
    if (descriptor > 2)
        close(descriptor);
}

char *file_program_folder(void)
{
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path);

    if (length <= 0 || length == (ssize_t)sizeof path)
        return mem_text("");

    size_t end = (size_t)length;

    while (end > 1 && path[end - 1] != '/')
        end--;
    return mem_text_n(path, end);
}
