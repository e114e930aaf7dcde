/*
 * dataset_verify.c - files of a data set against their known sizes and SHA-256.
 */
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "data/dataset_get.h"
#include "data/idx.h"
#include "format/gzip_file.h"

enum { PIECE_BYTES = 1 << 20 };

static enum status fail_bytes(const char *path, int64_t bytes, int64_t expected)
{
    return FAIL(STATUS_IO, "%s: has %lld bytes, not %lld", path, (long long)bytes,
                (long long)expected);
}

static enum status compare_digest(const char *path, const struct dataset_file *expected,
                                  const uint8_t digest[SHA256_BYTES])
{
    struct text hex = {0};
    enum status s = STATUS_OK;

    text_add_hex(&hex, digest, SHA256_BYTES);
    if (strcmp(text_get(&hex), expected->sha256) != 0)
        s = FAIL(STATUS_IO, "%s: its SHA-256 is %s, not %s", path, text_get(&hex),
                 expected->sha256);
    text_release(&hex);
    return s;
}

static enum status add_bytes(const char *path, int64_t bytes, struct sha256_stream *hash)
{
    uint8_t *piece = MEM_NEW_N(uint8_t, PIECE_BYTES);
    enum status s = STATUS_OK;

    for (int64_t at = 0; at < bytes && s == STATUS_OK; at += PIECE_BYTES) {
        const size_t count = bytes - at < PIECE_BYTES ? (size_t)(bytes - at) : PIECE_BYTES;

        s = file_read_part(path, at, piece, count);
        if (s == STATUS_OK)
            sha256_add(hash, piece, count);
    }
    mem_free(piece);
    return s;
}

enum status dataset_check_bytes(const char *path, const struct dataset_file *expected)
{
    const int64_t bytes = file_size(path);
    uint8_t digest[SHA256_BYTES];
    struct sha256_stream hash;

    if (bytes != expected->bytes)
        return fail_bytes(path, bytes, expected->bytes);
    sha256_begin(&hash);
    TRY(add_bytes(path, bytes, &hash));
    sha256_end(&hash, digest);
    return compare_digest(path, expected, digest);
}

/* The same of what a file contains, gzipped or not. */
static enum status check_content(const char *path, const struct dataset_file *expected)
{
    uint8_t digest[SHA256_BYTES];
    int64_t bytes = 0;

    TRY(gzip_file_digest(path, &bytes, digest));
    if (bytes != expected->bytes)
        return fail_bytes(path, bytes, expected->bytes);
    return compare_digest(path, expected, digest);
}

/* The file in the folder, or NULL; an idx file may have another spelling. mem_free. */
static char *find_file(const struct dataset_source *source, const char *folder, const char *name)
{
    if (!source->is_archive)
        return idx_find(folder, name);
    return file_exists_in(folder, name) ? file_join(folder, name) : NULL;
}

/* The message without the path that it begins with. */
static const char *difference(const char *path)
{
    const char *message = status_message();
    const size_t length = strlen(path);

    return strncmp(message, path, length) == 0 && strncmp(message + length, ": ", 2) == 0
               ? message + length + 2
               : message;
}

static bool verify_file(const struct dataset_source *source, const char *folder,
                        const struct dataset_file *file, struct text *report)
{
    char *path = find_file(source, folder, file->name);
    const char *name = path == NULL ? file->name : strrchr(path, '/') + 1;
    bool is_right = path != NULL;

    if (is_right && source->is_archive)
        is_right = dataset_check_bytes(path, file) == STATUS_OK;
    else if (is_right)
        is_right = check_content(path, file) == STATUS_OK;

    if (report != NULL && is_right)
        text_addf(report, "%-8s %s\n", "right", name);
    else if (report != NULL && path == NULL)
        text_addf(report, "%-8s %s\n", "missing", name);
    else if (report != NULL)
        text_addf(report, "%-8s %s: %s\n", "wrong", name, difference(path));
    mem_free(path);
    return is_right;
}

void dataset_verify(const struct dataset_source *source, const char *folder, struct text *report,
                    int64_t *wrong)
{
    *wrong = 0;
    for (const struct dataset_file *file = source->files; file->name != NULL; file++)
        if (!verify_file(source, folder, file, report))
            ++*wrong;
}
