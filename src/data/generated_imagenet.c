/*
 * generated_imagenet.c - generated pictures as ImageNet32 or ImageNet64: ten pickles to train, one
 * to test, and the names of the classes (imagenet_small.c reads them).
 *
 * The pickles are what CPython writes with protocol 3 for {"data": uint8 [n][3 side side],
 * "labels": [1, ...], "mean": float64 [3 side side]}, but without its memo.
 */
#include "base/file.h"
#include "base/mem.h"
#include "data/generated_set.h"

enum { TRAIN_FILES = 10 };

/* --- pickles --- */

#define PICKLE_BEGIN "\x80\x03}("
#define PICKLE_END   "u."

/* numpy.core.multiarray._reconstruct(numpy.ndarray, (0,), b"b"), then its state: (1, shape, dtype,
 * False, bytes). */
#define ARRAY_BEGIN                                                  \
    "cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85" \
    "C\1b\x87R(K\1"
#define DTYPE_BEGIN  "cnumpy\ndtype\nX\2\0\0\0"
#define DTYPE_MIDDLE "K\0K\1\x87R(K\3X\1\0\0\0"
#define DTYPE_END    "NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb\x89"
#define ARRAY_END    "tb"

#define ADD_BYTES(t, literal) text_add_n((t), (literal), sizeof(literal) - 1)

static void add_number(struct text *t, char opcode, uint64_t value, int bytes)
{
    text_add_n(t, &opcode, 1);
    for (int k = 0; k < bytes; k++) {
        const char byte = (char)(value >> (8 * k) & 255);

        text_add_n(t, &byte, 1);
    }
}

static void add_key(struct text *t, const char *key, uint64_t length)
{
    add_number(t, 'X', length, 4);
    text_add(t, key);
}

/* All of an array up to its bytes. rows 0: it has one dimension. */
static void add_array(struct text *t, int64_t rows, int64_t columns, const char *type, char order)
{
    const int64_t element = type[0] == 'f' ? 8 : 1;

    ADD_BYTES(t, ARRAY_BEGIN);
    if (rows > 0)
        add_number(t, 'J', (uint64_t)rows, 4);
    add_number(t, 'J', (uint64_t)columns, 4);
    text_add(t, rows > 0 ? "\x86" : "\x85");
    ADD_BYTES(t, DTYPE_BEGIN);
    text_add(t, type);
    ADD_BYTES(t, DTYPE_MIDDLE);
    text_add_n(t, &order, 1);
    ADD_BYTES(t, DTYPE_END);
    add_number(t, 'B', (uint64_t)((rows > 0 ? rows : 1) * columns * element), 4);
}

/* --- one file --- */

/* A pickle under way. */
struct pickle_file {
    struct generated_pictures *pictures; /* of the part */
    int64_t count, first;                /* of this file */
    double *sums;                        /* [3 side side], for the mean; NULL: it has none */
    uint8_t *planes;                     /* [3 side side] */
    struct file_writer writer;
};

static enum status put(struct pickle_file *f, struct text *t)
{
    const enum status s = file_writer_put(&f->writer, t->data, t->length);

    text_release(t);
    return s;
}

static int64_t values_of(const struct pickle_file *f)
{
    return 3 * f->pictures->image.width * f->pictures->image.height;
}

/* From pixels to planes of red, green and blue. */
static void separate(struct pickle_file *f)
{
    const int64_t values = values_of(f), pixels = values / 3;

    for (int64_t i = 0; i < values; i++) {
        f->planes[i] = f->pictures->image.pixels[i % pixels * 3 + i / pixels];
        if (f->sums != NULL)
            f->sums[i] += f->planes[i];
    }
}

static enum status put_pictures(struct pickle_file *f)
{
    int64_t label;

    for (int64_t i = 0; i < f->count; i++) {
        TRY(generated_pictures_next(f->pictures, &label));
        separate(f);
        TRY(file_writer_put(&f->writer, f->planes, (size_t)values_of(f)));
    }
    return STATUS_OK;
}

static void add_labels(struct text *t, const struct pickle_file *f)
{
    ADD_BYTES(t, ARRAY_END);
    add_key(t, "labels", 6);
    text_add(t, "](");
    for (int64_t i = 0; i < f->count; i++)
        add_number(t, 'M', (uint64_t)((f->first + i) % f->pictures->set->classes + 1), 2);
    text_add(t, "e");
}

/* As little-endian doubles, like every machine that Muster runs on. */
static void add_mean(struct text *t, const struct pickle_file *f)
{
    const int64_t values = values_of(f);

    for (int64_t i = 0; i < values; i++)
        f->sums[i] /= (double)f->count;
    add_key(t, "mean", 4);
    add_array(t, 0, values, "f8", '<');
    text_add_n(t, (const char *)f->sums, (size_t)values * sizeof *f->sums);
    ADD_BYTES(t, ARRAY_END);
}

static enum status put_all(struct pickle_file *f)
{
    struct text begin = {0}, end = {0};

    ADD_BYTES(&begin, PICKLE_BEGIN);
    add_key(&begin, "data", 4);
    add_array(&begin, f->count, values_of(f), "u1", '|');
    TRY(put(f, &begin));
    TRY(put_pictures(f));
    add_labels(&end, f);
    if (f->sums != NULL)
        add_mean(&end, f);
    ADD_BYTES(&end, PICKLE_END);
    return put(f, &end);
}

static enum status write_pickle(struct generated_pictures *p, int64_t count, bool has_mean,
                                const char *path)
{
    struct pickle_file f = {.pictures = p, .count = count, .first = p->done};

    TRY(file_writer_open(&f.writer, path));
    f.planes = MEM_NEW_N(uint8_t, values_of(&f));
    if (has_mean)
        f.sums = MEM_NEW_N(double, values_of(&f));
    const enum status s = file_writer_close(&f.writer, put_all(&f));
    mem_free(f.planes);
    mem_free(f.sums);
    return s;
}

/* --- the set --- */

/* The last file has what does not divide by ten, as in the real set. */
static enum status write_training_files(struct generated_pictures *p, const char *folder)
{
    enum status s = file_make_folders(folder);

    for (int64_t k = 0; k < TRAIN_FILES && s == STATUS_OK; k++) {
        const bool is_last = k == TRAIN_FILES - 1;
        char *path = text_format("%s/train_data_batch_%lld", folder, (long long)k + 1);

        s = write_pickle(p, is_last ? p->count - p->done : p->count / TRAIN_FILES, true, path);
        mem_free(path);
    }
    return s;
}

static enum status write_test_file(struct generated_pictures *p, const char *folder)
{
    char *path = file_join(folder, "val_data");
    enum status s = file_make_folders(folder);

    if (s == STATUS_OK)
        s = write_pickle(p, p->count, false, path);
    mem_free(path);
    return s;
}

static enum status write_part(const struct generated_set *g, enum generated_part part,
                              const char *root)
{
    char *folder = text_format("%s/Imagenet%lld_%s", root, (long long)g->width,
                               part == GENERATED_TRAIN ? "train" : "val");
    struct generated_pictures p;

    generated_pictures_init(&p, g, part);
    const enum status s =
        part == GENERATED_TRAIN ? write_training_files(&p, folder) : write_test_file(&p, folder);
    generated_pictures_release(&p);
    mem_free(folder);
    return s;
}

/* Lines like "n02119789 1 kit_fox". */
static enum status write_names(const struct generated_set *g, const char *root)
{
    char *path = text_format("%s/Imagenet%lld_train/map_clsloc.txt", root, (long long)g->width);
    struct text t = {0};

    for (int64_t k = 0; k < g->classes; k++) {
        char *name = coloured_figure_name(k, g->classes);

        text_addf(&t, "n%08lld %lld %s\n", (long long)k + 1, (long long)k + 1, name);
        mem_free(name);
    }
    const enum status s = file_write_text(path, text_get(&t));
    text_release(&t);
    mem_free(path);
    return s;
}

enum status generated_imagenet_write(const struct generated_set *g, const char *folder)
{
    if (g->train < TRAIN_FILES)
        return FAIL(STATUS_BAD_INPUT, "%lld training pictures are too few for ten files",
                    (long long)g->train);
    TRY(write_part(g, GENERATED_TRAIN, folder));
    TRY(write_part(g, GENERATED_TEST, folder));
    return write_names(g, folder);
}
