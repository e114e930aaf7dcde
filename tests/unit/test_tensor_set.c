/*
 * test_tensor_set.c - sets of tensors in files of all formats, and files that are damaged.
 * tests/e2e/test_weights.sh has files of Python, and Python reads ours.
 */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "file_case.h"
#include "format/tensor_set.h"
#include "format/torch_file.h"

static const char path[] = "some.file"; /* in a folder of its own */

static void fill_set(struct tensor_set *s)
{
    float *weight = tensor_set_add(s, "conv1.weight", false, 4, (int64_t[]){2, 1, 1, 2})->data;
    int64_t *count = tensor_set_add(s, "bn1.num_batches_tracked", true, 0, NULL)->data;

    weight[0] = 0.1F;
    weight[1] = -0.0F;
    weight[2] = INFINITY;
    weight[3] = 1e-40F; /* subnormal */
    *count = INT64_MIN + 5;
    (void)tensor_set_add(s, "empty", false, 2, (int64_t[]){0, 3});
}

static void expect_same(const struct tensor_set *a, const struct tensor_set *b)
{
    EXPECT_INT(a->count, b->count);
    for (int64_t i = 0; i < a->count; i++) {
        const struct named_tensor *t = &a->items[i], *u = tensor_set_find(b, t->name);

        if (!EXPECT(u != NULL) || !EXPECT(t->rank == u->rank && t->is_whole == u->is_whole))
            continue;
        for (int d = 0; d < t->rank; d++)
            EXPECT_INT(t->dims[d], u->dims[d]);
        if (EXPECT(t->count == u->count) && t->count > 0)
            EXPECT_INT(memcmp(t->data, u->data, named_tensor_bytes(t)), 0);
    }
}

static void test_a_set_is_read_from_every_format_to_the_bit(void)
{
    struct tensor_set written = {0}, read;

    enter_new_folder();
    fill_set(&written);
    for (const struct tensor_format *f = tensor_formats; f->name != NULL; f++) {
        EXPECT_OK(f->save(&written, path));
        if (EXPECT_OK(tensor_set_load(&read, path)))
            expect_same(&written, &read);
        tensor_set_release(&read);
    }
    tensor_set_release(&written);
    leave_folder(path);
}

/* Its first byte may be that of a pickle, 0x80. */
static void test_a_safetensors_file_may_have_a_header_of_any_length(void)
{
    char name[300] = {0};

    enter_new_folder();
    for (int length = 8; length <= 264; length += 8) {
        struct tensor_set written = {0}, read;

        memset(name, 'x', (size_t)length);
        (void)tensor_set_add(&written, name, false, 1, (int64_t[]){1});
        EXPECT_OK(tensor_set_save_safetensors(&written, path));
        if (EXPECT_OK(tensor_set_load(&read, path)))
            expect_same(&written, &read);
        tensor_set_release(&read);
        tensor_set_release(&written);
    }
    leave_folder(path);
}

static void put_file(const char *bytes, size_t length)
{
    (void)remove(path);
    FILE *file = fopen(path, "wb");

    if (EXPECT(file != NULL)) {
        EXPECT(fwrite(bytes, 1, length, file) == length);
        EXPECT_INT(fclose(file), 0);
    }
}

/* Every value that is read from a file with one changed byte is as it was written. */
static void expect_no_harm(const struct tensor_set *written)
{
    struct tensor_set read;

    if (tensor_set_load(&read, path) != STATUS_OK)
        return;
    for (int64_t i = 0; i < read.count; i++) {
        const struct named_tensor *t = tensor_set_find(written, read.items[i].name);

        if (t != NULL && t->count == read.items[i].count && t->is_whole == read.items[i].is_whole &&
            t->count > 0)
            EXPECT_INT(memcmp(t->data, read.items[i].data, named_tensor_bytes(t)), 0);
    }
    tensor_set_release(&read);
}

static void test_a_changed_byte_changes_no_value(void)
{
    struct tensor_set written = {0};

    enter_new_folder();
    fill_set(&written);
    for (const struct tensor_format *f = tensor_formats; f->name != NULL; f++) {
        struct text file = {0};

        EXPECT_OK(f->save(&written, path));
        EXPECT_OK(file_read(path, 1 << 20, &file));
        for (size_t i = 0; i < file.length; i++) {
            file.data[i] = (char)(file.data[i] ^ 0x11);
            put_file(file.data, file.length);
            expect_no_harm(&written);
            file.data[i] = (char)(file.data[i] ^ 0x11);
        }
        text_release(&file);
    }
    tensor_set_release(&written);
    leave_folder(path);
}

static void test_a_file_that_is_cut_off_is_rejected(void)
{
    struct tensor_set written = {0}, read;

    enter_new_folder();
    fill_set(&written);
    for (const struct tensor_format *f = tensor_formats; f->name != NULL; f++) {
        struct text file = {0};

        EXPECT_OK(f->save(&written, path));
        EXPECT_OK(file_read(path, 1 << 20, &file));
        for (size_t length = 0; length < file.length; length += 7) {
            put_file(file.data, length);
            EXPECT_FAILS(tensor_set_load(&read, path), STATUS_BAD_INPUT, path);
        }
        text_release(&file);
    }
    tensor_set_release(&written);
    leave_folder(path);
}

/* A .pt file of one tensor whose storage is said to have `said` values, and has two. */
static void put_pt(const char *name, int64_t said, const int64_t dims[1])
{
    struct torch_storage storage;
    struct torch_file f;

    EXPECT_OK(torch_file_open(&f, path));
    torch_file_begin_dict(&f);
    EXPECT_OK(torch_file_storage(&f, TORCH_F32, 2, (float[]){1, 2}, &storage));
    storage.count = said;
    torch_file_text(&f, name);
    torch_file_tensor(&f, &storage, 0, 1, dims);
    torch_file_end_dict(&f);
    EXPECT_OK(torch_file_close(&f, STATUS_OK));
}

static void test_tensors_that_are_not_in_their_storage_are_rejected(void)
{
    struct tensor_set read;

    enter_new_folder();
    put_pt("w", 2, (int64_t[]){2});
    EXPECT_OK(tensor_set_load(&read, path));
    tensor_set_release(&read);
    put_pt("w", 3, (int64_t[]){3});
    EXPECT_FAILS(tensor_set_load(&read, path), STATUS_BAD_INPUT,
                 "tensor w: its storage has 8 bytes, not 3 values");
    put_pt("w", 2, (int64_t[]){3});
    EXPECT_FAILS(tensor_set_load(&read, path), STATUS_BAD_INPUT, path);
    put_pt("__metadata__", 2, (int64_t[]){2});
    EXPECT_FAILS(tensor_set_load(&read, path), STATUS_BAD_INPUT,
                 "__metadata__ cannot be the name of a tensor");
    put_pt("", 2, (int64_t[]){2});
    EXPECT_FAILS(tensor_set_load(&read, path), STATUS_BAD_INPUT, "the name of tensor 0 is empty");
    leave_folder(path);
}

TEST_MAIN(TEST(test_a_set_is_read_from_every_format_to_the_bit),
          TEST(test_a_safetensors_file_may_have_a_header_of_any_length),
          TEST(test_a_changed_byte_changes_no_value), TEST(test_a_file_that_is_cut_off_is_rejected),
          TEST(test_tensors_that_are_not_in_their_storage_are_rejected))
