/*
 * golden.h - the C side of the golden tests: the noise that both sides evaluate, and the files of
 * results that make_golden.py writes (formula.py describes both).
 *
 * Here: reading, noise, comparison. Not here: what is compared (test_golden_*.c).
 */
#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

#include "base/check.h"
#include "base/file.h"
#include "base/mem.h"
#include "conf/yaml.h"
#include "nn/shape.h"
#include "test.h"

/* --- noise --- */

/* FNV-1a, 64 bits, of the stream's name. */
static inline uint64_t golden_key(const char *name)
{
    uint64_t key = 0xCBF29CE484222325u;

    for (; *name != '\0'; name++)
        key = (key ^ (uint8_t)*name) * 0x100000001B3u;
    return key;
}

/* Number i of a stream, on [-1, 1). */
static inline double golden_noise(uint64_t key, int64_t i)
{
    uint64_t z = key + (uint64_t)(i + 1) * 0x9E3779B97F4A7C15u;

    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-52 - 1.0;
}

struct golden_range {
    double scale, shift;
};

static inline void golden_fill(float *out, int64_t count, const char *name, struct golden_range r)
{
    const uint64_t key = golden_key(name);

    for (int64_t i = 0; i < count; i++)
        out[i] = (float)(golden_noise(key, i) * r.scale + r.shift);
}

static inline void golden_labels(int32_t *out, int64_t count, const char *name, int64_t classes)
{
    const uint64_t key = golden_key(name);

    for (int64_t i = 0; i < count; i++)
        out[i] = (int32_t)(((double)(float)golden_noise(key, i) + 1) / 2 * (double)classes);
}

/* --- files --- */

enum golden_kind { GOLDEN_TEXT, GOLDEN_F32, GOLDEN_F64 };

struct golden_record {
    char *name;
    enum golden_kind kind;
    int64_t count;
    char *text;      /* text */
    double *numbers; /* f32, f64 */
};

struct golden {
    int count, capacity;
    struct golden_record *records;
};

static inline void golden_add(struct golden *g, struct golden_record r)
{
    if (g->count == g->capacity) {
        const int capacity = g->capacity == 0 ? 64 : 2 * g->capacity;
        g->records = mem_resize(g->records, g->capacity, capacity, sizeof *g->records);
        g->capacity = capacity;
    }
    g->records[g->count++] = r;
}

/* Takes `bytes` bytes from the front of what is left. */
static inline const char *golden_take(const char **at, const char *end, size_t bytes)
{
    CHECK((size_t)(end - *at) >= bytes);
    const char *taken = *at;
    *at += bytes;
    return taken;
}

static inline struct golden_record golden_read(const char **at, const char *end)
{
    struct golden_record r = {0};
    uint32_t length, kind;
    uint64_t count;

    memcpy(&length, golden_take(at, end, sizeof length), sizeof length);
    r.name = mem_text_n(golden_take(at, end, length), length);
    memcpy(&kind, golden_take(at, end, sizeof kind), sizeof kind);
    memcpy(&count, golden_take(at, end, sizeof count), sizeof count);
    r.kind = (enum golden_kind)kind;
    r.count = (int64_t)count;
    if (r.kind == GOLDEN_TEXT) {
        r.text = mem_text_n(golden_take(at, end, count), count);
        return r;
    }
    const size_t size = r.kind == GOLDEN_F32 ? sizeof(float) : sizeof(double);
    const char *data = golden_take(at, end, count * size);
    r.numbers = MEM_NEW_N(double, r.count);
    for (int64_t i = 0; i < r.count; i++) {
        float single;
        memcpy(&single, data + (size_t)i * size, sizeof single);
        if (r.kind == GOLDEN_F32)
            r.numbers[i] = (double)single;
        else
            memcpy(&r.numbers[i], data + (size_t)i * size, sizeof(double));
    }
    return r;
}

/* A file of vectors/; one that cannot be read ends the test. */
static inline struct golden golden_load(const char *part)
{
    static const char magic[] = "MUSTGV1\n";
    char *path = text_format("%s/golden/vectors/%s.bin", TEST_SOURCE_DIR, part);
    struct text content = {0};
    struct golden g = {0};

    if (EXPECT_OK(file_read(path, 16 << 20, &content))) {
        const char *at = content.data, *end = content.data + content.length;
        CHECK(memcmp(golden_take(&at, end, sizeof magic - 1), magic, sizeof magic - 1) == 0);
        while (at < end)
            golden_add(&g, golden_read(&at, end));
    }
    text_release(&content);
    mem_free(path);
    return g;
}

static inline void golden_release(struct golden *g)
{
    for (int i = 0; i < g->count; i++) {
        mem_free(g->records[i].name);
        mem_free(g->records[i].text);
        mem_free(g->records[i].numbers);
    }
    mem_free(g->records);
    *g = (struct golden){0};
}

/* The record "case/part", or NULL. */
static inline const struct golden_record *golden_find(const struct golden *g, const char *name,
                                                      const char *part)
{
    char *whole = text_format("%s%s%s", name, name[0] == '\0' ? "" : "/", part);
    const struct golden_record *found = NULL;

    for (int i = 0; i < g->count && found == NULL; i++) {
        if (strcmp(g->records[i].name, whole) == 0)
            found = &g->records[i];
    }
    mem_free(whole);
    return found;
}

static inline const struct golden_record *golden_get(const struct golden *g, const char *name,
                                                     const char *part)
{
    const struct golden_record *r = golden_find(g, name, part);

    if (r == NULL)
        printf("# the golden file has no %s/%s\n", name, part);
    CHECK(r != NULL);
    return r;
}

/* "case/part/index" */
static inline const struct golden_record *
golden_get_indexed(const struct golden *g, const char *name, const char *part, int index)
{
    char *indexed = text_format("%s/%d", part, index);
    const struct golden_record *r = golden_get(g, name, indexed);

    mem_free(indexed);
    return r;
}

/* Runs `check` for every line of the text record `list`; answers how many there were. */
static inline int golden_for_cases(const struct golden *g, const char *list,
                                   void (*check)(const struct golden *g, const char *name))
{
    int cases = 0;
    char *names = mem_text(golden_get(g, "", list)->text);

    for (char *name = names, *next; name != NULL; name = next, cases++) {
        next = strchr(name, '\n');
        if (next != NULL)
            *next++ = '\0';
        const int failures = test_failures;
        check(g, name);
        if (test_failures > failures)
            printf("# that was the case %s\n", name);
    }
    mem_free(names);
    return cases;
}

static inline struct node *golden_yaml(const struct golden *g, const char *name, const char *part)
{
    const char *text = golden_get(g, name, part)->text;
    struct node *node = NULL;

    EXPECT_OK(yaml_parse(text, strlen(text), name, &node));
    CHECK(node != NULL);
    return node;
}

/* --- shapes: batches are channels first in PyTorch, channels last here --- */

/* [batch, channels, height, width] or [batch, numbers] */
static inline struct shape golden_shape(const struct golden_record *r)
{
    if (r->count == 2)
        return shape_vector((int64_t)r->numbers[1]);
    return (struct shape){
        .channels = (int64_t)r->numbers[1],
        .height = (int64_t)r->numbers[2],
        .width = (int64_t)r->numbers[3],
    };
}

/* Where element i of a batch of samples, channels first, lies when channels are last. */
static inline int64_t golden_place(struct shape s, int64_t i)
{
    const int64_t area = s.height * s.width, size = shape_size(s);
    const int64_t inside = i % size;

    return i - inside + inside % area * s.channels + inside / area;
}

static inline void golden_channels_last(float *out, const float *in, struct shape s, int64_t batch)
{
    for (int64_t i = 0; i < batch * shape_size(s); i++)
        out[golden_place(s, i)] = in[i];
}

static inline void golden_channels_first(float *out, const float *in, struct shape s, int64_t batch)
{
    for (int64_t i = 0; i < batch * shape_size(s); i++)
        out[i] = in[golden_place(s, i)];
}

/* A batch of noise in the order of the model. */
static inline void golden_fill_batch(float *out, struct shape s, int64_t batch, const char *name,
                                     double scale)
{
    float *first = MEM_NEW_N(float, batch *shape_size(s));

    golden_fill(first, batch * shape_size(s), name, (struct golden_range){.scale = scale});
    golden_channels_last(out, first, s, batch);
    mem_free(first);
}

/* --- comparison --- */

/*
 * Every entry within `tolerance` of the largest expected entry. A tensor that is zero throughout
 * in exact arithmetic (a bias before BatchNorm) is measured by `floor` instead.
 */
struct golden_tolerance {
    double relative, floor;
};

static inline bool golden_compare(const char *what, const float *actual,
                                  const struct golden_record *expected, struct golden_tolerance t)
{
    double largest = t.floor, worst = 0;
    int64_t where = 0;

    for (int64_t i = 0; i < expected->count; i++)
        largest = fmax(largest, fabs(expected->numbers[i]));
    for (int64_t i = 0; i < expected->count; i++) {
        const double off = fabs((double)actual[i] - expected->numbers[i]);
        if (!(off <= worst)) {
            worst = off;
            where = i;
        }
    }
    if (worst <= t.relative * largest)
        return true;
    test_failures++;
    printf("# %s: entry %lld is %.9g, not %.9g; off by %.3g of the largest entry\n", what,
           (long long)where, (double)actual[where], expected->numbers[where], worst / largest);
    return false;
}

#endif
