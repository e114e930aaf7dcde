/*
 * dataset_get.c - downloads the files of a data set, checks them, and puts them in their place.
 *
 * Not here: the connection (format/download.c), the addresses (dataset_sources.c).
 */
#include "data/dataset_get.h"

#include <string.h>

#include "base/env.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/mem.h"
#include "format/download.h"
#include "format/tar.h"

enum { PIECE_BYTES = 1 << 18 };

struct getting {
    const struct dataset_source *source;
    const struct dataset_get *request;
    const char *folder; /* where the files are put */
    const char *from;   /* the address in place of the usual ones; or NULL */
};

/* "FOLDER/NAME.part" (mem_free). */
static char *part_path(const struct getting *g, const char *name)
{
    char *file = text_format("%s.part", name), *path = file_join(g->folder, file);

    mem_free(file);
    return path;
}

static int64_t file_count(const struct dataset_file *files)
{
    int64_t count = 0;

    while (files[count].name != NULL)
        count++;
    return count;
}

static char *address_of(const char *base, const char *name)
{
    const size_t length = strlen(base);

    return text_format(length > 0 && base[length - 1] == '/' ? "%s%s" : "%s/%s", base, name);
}

/* --- downloading --- */

static enum status download_from(const struct getting *g, const char *base,
                                 const struct dataset_file *file, enum download_fault *fault)
{
    char *address = address_of(base, file->name), *path = part_path(g, file->name);
    const struct download d = {
        .address = address,
        .path = path,
        .title = file->name,
        .bytes = file->bytes,
        .patience = g->request->patience,
    };

    if (file_size(path) < file->bytes)
        log_info("downloading %s (%.1f MB)%s", address, (double)file->bytes / 1e6,
                 file_size(path) > 0 ? ", the rest of it" : "");
    enum status s = download_file(&d, fault);
    if (s == STATUS_OK && dataset_check_bytes(path, file) != STATUS_OK) {
        char *difference = mem_text(status_message());

        *fault = DOWNLOAD_SERVER;
        (void)file_remove(path);
        s = FAIL(STATUS_IO, "%s: the downloaded bytes are wrong and were removed: %s", address,
                 difference);
        mem_free(difference);
    }
    mem_free(address);
    mem_free(path);
    return s;
}

/* From the first address that has it. */
static enum status download_one(const struct getting *g, const struct dataset_file *file)
{
    const char *const only[] = {g->from, NULL};
    const char *const *base = g->from != NULL ? only : g->source->addresses;
    enum download_fault fault = DOWNLOAD_NO_FAULT;
    enum status s = STATUS_OK;

    for (; *base != NULL; base++) {
        s = download_from(g, *base, file, &fault);
        if (s == STATUS_OK || fault == DOWNLOAD_OWN)
            return s;
        if (base[1] != NULL)
            log_info("%s; trying another address", status_message());
    }
    return s;
}

static enum status download_all(const struct getting *g)
{
    for (const struct dataset_file *file = g->source->downloads; file->name != NULL; file++)
        TRY(download_one(g, file));
    return STATUS_OK;
}

/* --- unpacking --- */

static enum status copy_member(struct tar *t, struct file_writer *out)
{
    uint8_t *piece = MEM_NEW_N(uint8_t, PIECE_BYTES);
    size_t got = 1;
    enum status s = STATUS_OK;

    while (s == STATUS_OK && got > 0) {
        s = tar_read(t, piece, PIECE_BYTES, &got);
        if (s == STATUS_OK)
            s = file_writer_put(out, piece, got);
    }
    mem_free(piece);
    return s;
}

static enum status unpack_member(struct tar *t, const char *path, const struct dataset_file *file)
{
    struct file_writer out;

    if (t->bytes != file->bytes)
        return FAIL(STATUS_IO, "%s: %s in it has %lld bytes, not %lld", t->file.path, file->name,
                    (long long)t->bytes, (long long)file->bytes);
    TRY(file_writer_open(&out, path));
    TRY(file_writer_close(&out, copy_member(t, &out)));
    return dataset_check_bytes(path, file);
}

/* The file that an entry of the archive is, or NULL: there are others, such as a readme. */
static const struct dataset_file *wanted(const struct getting *g, const struct tar *t)
{
    for (const struct dataset_file *file = g->source->files; file->name != NULL; file++) {
        char *name = file_join(g->source->folder, file->name);
        const bool is_it = t->is_regular && strcmp(name, text_get(&t->name)) == 0;

        mem_free(name);
        if (is_it)
            return file;
    }
    return NULL;
}

static enum status unpack_entries(const struct getting *g, struct tar *t, int64_t *count)
{
    bool is_there = false;

    for (;;) {
        TRY(tar_next(t, &is_there));
        if (!is_there)
            return STATUS_OK;
        const struct dataset_file *file = wanted(g, t);
        if (file == NULL)
            continue;
        char *path = part_path(g, file->name);
        const enum status s = unpack_member(t, path, file);
        mem_free(path);
        TRY(s);
        ++*count;
    }
}

static enum status unpack(const struct getting *g)
{
    char *path = part_path(g, g->source->downloads->name);
    int64_t count = 0;
    struct tar t;
    enum status s = tar_open(&t, path);

    if (s == STATUS_OK) {
        log_info("unpacking %s", g->source->downloads->name);
        s = unpack_entries(g, &t, &count);
        tar_close(&t);
    }
    if (s == STATUS_OK && count < file_count(g->source->files)) {
        s = FAIL(STATUS_IO, "%s: has only %lld of the %lld files", path, (long long)count,
                 (long long)file_count(g->source->files));
    }
    mem_free(path);
    return s;
}

/* --- installing --- */

/* The last file first: the set is found by its first one. */
static enum status install(const struct getting *g, const struct dataset_file *files)
{
    enum status s = STATUS_OK;

    for (int64_t i = file_count(files) - 1; i >= 0 && s == STATUS_OK; i--) {
        char *from = part_path(g, files[i].name), *to = file_join(g->folder, files[i].name);

        s = file_rename(from, to);
        mem_free(from);
        mem_free(to);
    }
    return s;
}

static enum status install_members(const struct getting *g)
{
    TRY(install(g, g->source->files));
    char *archive = part_path(g, g->source->downloads->name);
    const enum status s = file_remove(archive);
    mem_free(archive);
    return s;
}

static enum status fill_folder(const struct getting *g)
{
    TRY(download_all(g));
    if (!g->source->is_archive)
        return install(g, g->source->downloads);
    TRY(unpack(g));
    return install_members(g);
}

/* Files of other spellings may be there, which are found before the new ones. */
static enum status check_folder(const struct getting *g)
{
    struct text report = {0};
    enum status s = STATUS_OK;
    int64_t wrong = 0;

    dataset_verify(g->source, g->folder, &report, &wrong);
    if (wrong > 0)
        s = FAIL(STATUS_IO, "%s: has other files that are wrong; remove them:\n%s", g->folder,
                 text_get(&report));
    text_release(&report);
    return s;
}

static enum status get_locked(const struct getting *g)
{
    struct lock lock = {.descriptor = -1};
    int64_t wrong = 0;
    enum status s = STATUS_OK;

    TRY(file_make_folders(g->folder));
    TRY(lock_take(&lock, g->folder));
    dataset_verify(g->source, g->folder, NULL, &wrong);
    if (wrong > 0) /* else another process was faster */
        s = fill_folder(g);
    if (wrong > 0 && s == STATUS_OK)
        s = check_folder(g);
    lock_release(&lock);
    return s;
}

/* --- what cannot be downloaded --- */

static enum status check_source(const struct dataset_ops *ops)
{
    if (ops->is_generated)
        return FAIL(STATUS_BAD_INPUT, "data set %s is generated: there is nothing to download",
                    ops->entry.name);
    if (dataset_is_named_by_user(ops))
        return FAIL(STATUS_BAD_INPUT, "data set %s is files of your own: --dataset %s names them",
                    ops->entry.name, ops->hint);
    if (ops->source == NULL)
        return FAIL(STATUS_IO, "data set %s cannot be downloaded by muster; to get it: %s",
                    ops->entry.name, ops->hint);
    if (ops->source->login != NULL)
        return FAIL(STATUS_IO, "data set %s cannot be downloaded without a login: %s",
                    ops->entry.name, ops->source->login);
    return STATUS_OK;
}

static enum status fail_without_curl(const struct getting *g)
{
    const char *base = g->from != NULL ? g->from : g->source->addresses[0];
    struct text addresses = {0};

    for (const struct dataset_file *file = g->source->downloads; file->name != NULL; file++) {
        char *address = address_of(base, file->name);

        text_addf(&addresses, "\n  %s", address);
        mem_free(address);
    }
    const enum status s =
        FAIL(STATUS_IO, "this build of muster cannot download, because it has no libcurl; %s %s:%s",
             g->source->is_archive ? "download this archive and unpack its files into"
                                   : "download these files into",
             g->folder, text_get(&addresses));
    text_release(&addresses);
    return s;
}

/* --- all of it --- */

/* The address in place of the usual ones, or NULL. mem_free. */
static char *other_address(const struct getting *g)
{
    const char *mirror = env_find("MUSTER_MIRROR");

    if (g->request->from != NULL)
        return mem_text(g->request->from);
    return mirror == NULL ? NULL : address_of(mirror, g->source->folder);
}

/* The folder of a set that is there already, with the right content; or NULL. */
static char *intact_folder(const struct dataset_ops *ops, const char *dir)
{
    char *folder = dataset_where(ops, dir);
    int64_t wrong = 0;

    if (folder == NULL)
        return NULL;
    dataset_verify(ops->source, folder, NULL, &wrong);
    if (wrong == 0)
        return folder;
    log_warning("%s: %lld file%s missing or wrong", folder, (long long)wrong,
                wrong == 1 ? " is" : "s are");
    mem_free(folder);
    return NULL;
}

/* An older folder with wrong files may come before the new one in the search path. */
static void warn_if_hidden(const struct dataset_ops *ops, const char *dir, const char *folder)
{
    char *found = dataset_where(ops, dir);

    if (found != NULL && !file_is_same(found, folder))
        log_warning("%s is found before %s; remove it, because its files are wrong", found, folder);
    mem_free(found);
}

enum status dataset_get(const struct dataset_ops *ops, const struct dataset_get *request,
                        char **folder)
{
    struct getting g = {.source = ops->source, .request = request};
    char *root = NULL, *from;

    *folder = NULL;
    TRY(check_source(ops));
    *folder = intact_folder(ops, request->dir);
    if (*folder != NULL)
        return STATUS_OK;
    TRY(dataset_download_root(request->dir, &root));
    *folder = file_join(root, g.source->folder);
    g.folder = *folder;
    g.from = from = other_address(&g);
    const enum status s = download_is_available() ? get_locked(&g) : fail_without_curl(&g);
    if (s == STATUS_OK)
        warn_if_hidden(ops, request->dir, *folder);
    mem_free(root);
    mem_free(from);
    if (s != STATUS_OK) {
        mem_free(*folder);
        *folder = NULL;
    }
    return s;
}
