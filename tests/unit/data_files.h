/*
 * data_files.h - what the tests of data sets write: a folder of their own, idx and CIFAR files.
 */
#ifndef TESTS_UNIT_DATA_FILES_H
#define TESTS_UNIT_DATA_FILES_H

#define ZLIB_CONST
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "base/check.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

static inline char *files_folder(void)
{
    char *folder = mem_text("/tmp/muster-test-XXXXXX");

    CHECK(mkdtemp(folder) != NULL);
    return folder;
}

static inline int files_remove_one(const char *path, const struct stat *info, int kind,
                                   struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    return remove(path);
}

/* Removes the folder with all that is in it, and frees its name. */
static inline void files_remove(char *folder)
{
    CHECK(strncmp(folder, "/tmp/muster-test-", 17) == 0);
    CHECK(nftw(folder, files_remove_one, 8, FTW_DEPTH | FTW_PHYS) == 0);
    mem_free(folder);
}

/* Writes FOLDER/NAME, making the folders on the way. */
static inline void files_write(const char *folder, const char *name, const void *data, size_t bytes)
{
    char *path = file_join(folder, name);
    char *parent = mem_text_n(path, (size_t)(strrchr(path, '/') - path));
    FILE *f;

    CHECK(file_make_folders(parent) == STATUS_OK);
    f = fopen(path, "wb");
    CHECK(f != NULL);
    CHECK(fwrite(data, 1, bytes, f) == bytes);
    CHECK(fclose(f) == 0);
    mem_free(parent);
    mem_free(path);
}

/* The bytes of a file under construction. */
struct blob {
    uint8_t *data;
    size_t length;
};

static inline void blob_release(struct blob *b)
{
    mem_free(b->data);
    *b = (struct blob){0};
}

/* An idx file of `rank` dimensions with content i -> (i * 7 + 3) % modulus. */
static inline struct blob blob_idx(int rank, const uint32_t *sizes, int modulus)
{
    int64_t content = 1, at = 4;
    struct blob b;

    for (int k = 0; k < rank; k++)
        content *= sizes[k];
    b.length = (size_t)(4 + 4 * rank + content);
    b.data = MEM_NEW_N(uint8_t, (int64_t)b.length);
    b.data[2] = 8;
    b.data[3] = (uint8_t)rank;
    for (int k = 0; k < rank; k++)
        for (int shift = 24; shift >= 0; shift -= 8)
            b.data[at++] = (uint8_t)(sizes[k] >> shift);
    for (int64_t i = 0; i < content; i++)
        b.data[at + i] = (uint8_t)((i * 7 + 3) % modulus);
    return b;
}

static inline struct blob blob_gzip(const struct blob *in)
{
    const int64_t room = (int64_t)in->length + 1024;
    struct blob out = {.data = MEM_NEW_N(uint8_t, room)};
    z_stream z = {0};

    CHECK(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    z.next_in = in->data;
    z.avail_in = (uInt)in->length;
    z.next_out = out.data;
    z.avail_out = (uInt)room;
    CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
    out.length = (size_t)(room - (int64_t)z.avail_out);
    deflateEnd(&z);
    return out;
}

/* The four idx files of an MNIST-like set, 28 x 28, in FOLDER/BELOW; labels 0..9. */
static inline void files_write_mnist(const char *folder, const char *below, uint32_t train,
                                     uint32_t test)
{
    const char *const stems[] = {"train", "t10k"};

    for (int k = 0; k < 2; k++) {
        const uint32_t count = k == 0 ? train : test;
        struct blob images = blob_idx(3, (uint32_t[]){count, 28, 28}, 251);
        struct blob labels = blob_idx(1, (uint32_t[]){count}, 10);
        char *name = text_format("%s/%s-images-idx3-ubyte", below, stems[k]);

        files_write(folder, name, images.data, images.length);
        mem_free(name);
        name = text_format("%s/%s-labels-idx1-ubyte", below, stems[k]);
        files_write(folder, name, labels.data, labels.length);
        mem_free(name);
        blob_release(&images);
        blob_release(&labels);
    }
}

/* CIFAR records: label bytes i % 10, then pixel p of record i is (i + p) % 251. */
static inline struct blob blob_cifar(int64_t records, int64_t label_bytes)
{
    const int64_t record = label_bytes + 3072;
    struct blob b = {.data = MEM_NEW_N(uint8_t, records * record),
                     .length = (size_t)(records * record)};

    for (int64_t i = 0; i < records; i++) {
        for (int64_t k = 0; k < label_bytes; k++)
            b.data[i * record + k] = (uint8_t)((i + k) % 10);
        for (int64_t p = 0; p < 3072; p++)
            b.data[i * record + label_bytes + p] = (uint8_t)((i + p) % 251);
    }
    return b;
}

#endif
