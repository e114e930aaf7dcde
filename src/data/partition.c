/*
 * partition.c - from who owns which sample to lists per worker, their hash and their file; and what
 * the ways of dealing share.
 */
#include "data/partition.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"
#include "data/dealt_order.h"
#include "data/partition_list.h"

#define PARTITION_ENTRY(symbol) &symbol.entry,
static const struct entry *const entries[] = {PARTITION_LIST(PARTITION_ENTRY) NULL};

const struct registry partition_registry = {
    .what = "partition",
    .section = "partition",
    .entries = entries,
};

static const struct partition_ops *ops_of(const struct entry *entry)
{
    return (const struct partition_ops *)(const void *)entry; /* its first member */
}

/* --- making one --- */

static void check_request(const struct partition_request *q)
{
    CHECK(q->workers > 0 && q->count > 0 && q->samples[0] >= 0);
    for (int64_t i = 1; i < q->count; i++)
        CHECK(q->samples[i - 1] < q->samples[i]);
    for (int64_t i = 0; q->labels != NULL && i < q->count; i++) {
        const int32_t label = q->labels[q->samples[i]];

        CHECK(label >= 0 && label < q->classes);
    }
}

/* The partitions that work without classes: "shared, split, strided". */
static enum status refuse_without_classes(const char *name)
{
    struct text names = {0};

    for (const struct entry *const *e = entries; *e != NULL; e++) {
        if (!ops_of(*e)->needs_labels && !ops_of(*e)->needs_groups)
            text_addf(&names, "%s%s", names.length > 0 ? ", " : "", (*e)->name);
    }
    const enum status s = FAIL(STATUS_BAD_INPUT,
                               "partition: %s needs class labels, but the targets of this data set "
                               "are numbers; choose one of %s",
                               name, text_get(&names));
    text_release(&names);
    return s;
}

static enum status check_everybody_has_some(const struct partition *p)
{
    for (int w = 0; w < p->workers; w++) {
        if (p->counts[w] == 0)
            return FAIL(STATUS_BAD_INPUT,
                        "partition: %s of %lld samples leaves worker %d of %d without any; use "
                        "fewer workers or more samples",
                        p->entry->name, (long long)p->sample_count, w, p->workers);
    }
    return STATUS_OK;
}

/* storage is [the request's samples | worker 0's | worker 1's | ...], the rest only if dealt. */
static void fill_lists(struct partition *p, const struct partition_request *q,
                       const struct assignment *d)
{
    int64_t *next = p->storage + q->count;
    int64_t *filled = MEM_NEW_N(int64_t, p->workers);
    int64_t **lists = MEM_NEW_N(int64_t *, p->workers);

    for (int w = 0; w < p->workers; w++) {
        p->items[w] = lists[w] = next;
        next += p->counts[w];
    }
    for (int64_t i = 0; i < q->count; i++) {
        const int owner = d->owners[q->samples[i]];

        if (owner != PARTITION_NO_OWNER)
            lists[owner][filled[owner]++] = q->samples[i];
    }
    mem_free(lists);
    mem_free(filled);
}

static int compare_counts(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

void partition_group_sizes(struct partition *p)
{
    int64_t *sorted = MEM_NEW_N(int64_t, p->workers);

    memcpy(sorted, p->counts, (size_t)p->workers * sizeof *sorted);
    qsort(sorted, (size_t)p->workers, sizeof *sorted, compare_counts);
    p->sizes = MEM_NEW_N(struct partition_size, p->workers);
    p->size_count = 0;
    for (int w = 0; w < p->workers; w++) {
        if (w == 0 || sorted[w] != sorted[w - 1])
            p->sizes[p->size_count++].count = sorted[w];
        p->sizes[p->size_count - 1].workers++;
    }
    mem_free(sorted);
}

static void assemble(struct partition *p, const struct partition_request *q,
                     const struct assignment *d)
{
    const bool own_order = ops_of(p->entry)->own_order;
    const int64_t dealt = own_order ? 0 : q->count;

    p->seed = q->seed;
    p->files = q->files;
    p->workers = q->workers;
    p->sample_count = q->count;
    p->own_order = own_order;
    p->redeal = d->redeal;
    p->moved = d->moved;
    p->counts = MEM_NEW_N(int64_t, q->workers);
    p->items = MEM_NEW_N(const int64_t *, q->workers);
    p->storage = MEM_NEW_N(int64_t, q->count + dealt);
    p->samples = p->storage;
    memcpy(p->storage, q->samples, (size_t)q->count * sizeof *p->storage);
    if (!own_order) {
        partition_count_owned(d, q, p->counts);
        fill_lists(p, q, d);
        return;
    }
    for (int w = 0; w < q->workers; w++) {
        p->counts[w] = q->count;
        p->items[w] = p->samples;
    }
}

enum status partition_check(const struct choice *chosen, int workers, int64_t classes)
{
    const struct partition_ops *ops = ops_of(chosen->entry);

    if (ops->needs_labels && classes == 0)
        return refuse_without_classes(chosen->entry->name);
    return ops->check == NULL ? STATUS_OK : ops->check(chosen->options, workers, classes);
}

static enum status make_checked(const struct choice *chosen, const struct partition_request *q,
                                struct assignment *d, struct partition *p)
{
    const struct partition_ops *ops = ops_of(chosen->entry);

    TRY(partition_check(chosen, q->workers, q->labels == NULL ? 0 : q->classes));
    if (!ops->own_order && q->count < q->workers)
        return FAIL(STATUS_BAD_INPUT,
                    "transport.workers: %lld samples cannot be divided among %d workers; use fewer "
                    "workers or more samples",
                    (long long)q->count, q->workers);
    if (!ops->own_order)
        TRY(ops->assign(chosen->options, q, d));
    assemble(p, q, d);
    partition_group_sizes(p);
    if (p->redeal)
        p->dealt = dealt_order_new(p->samples, p->sample_count, p->files);
    return check_everybody_has_some(p);
}

enum status partition_make(const struct choice *chosen, const struct partition_request *q,
                           struct partition *p)
{
    check_request(q);

    const int64_t bound = q->samples[q->count - 1] + 1;
    struct assignment d = {.owners = MEM_NEW_N(int, bound)};

    for (int64_t i = 0; i < bound; i++)
        d.owners[i] = PARTITION_NO_OWNER;
    *p = (struct partition){.entry = chosen->entry};

    const enum status s = make_checked(chosen, q, &d, p);

    mem_free(d.owners);
    if (s != STATUS_OK)
        partition_release(p);
    return s;
}

void partition_release(struct partition *p)
{
    dealt_order_free(p->dealt);
    mem_free(p->sizes);
    mem_free(p->counts);
    mem_free(p->items);
    mem_free(p->storage);
    *p = (struct partition){0};
}

/* --- looking at one --- */

static uint64_t hash_number(uint64_t hash, int64_t number)
{
    for (int byte = 0; byte < 8; byte++) {
        hash ^= (uint64_t)number >> (8 * byte) & 0xff;
        hash *= 0x100000001b3U;
    }
    return hash;
}

uint64_t partition_hash(const struct partition *p)
{
    uint64_t hash = 0xcbf29ce484222325U;

    hash = hash_number(hash, p->workers);
    hash = hash_number(hash, p->own_order);
    hash = hash_number(hash, p->redeal);
    for (int w = 0; w < p->workers; w++) {
        hash = hash_number(hash, p->counts[w]);
        for (int64_t i = 0; i < p->counts[w]; i++)
            hash = hash_number(hash, p->items[w][i]);
    }
    return hash;
}

int64_t partition_batches(const struct partition *p, int64_t batch_size)
{
    int64_t most = 0;

    CHECK(batch_size > 0);
    for (int w = 0; w < p->workers; w++) {
        const int64_t batches = (p->counts[w] + batch_size - 1) / batch_size;

        most = batches > most ? batches : most;
    }
    return most;
}

int64_t partition_batch_total(const struct partition *p, int64_t batch_size, int64_t batch)
{
    int64_t total = 0;

    CHECK(batch_size > 0 && batch >= 0);
    for (int i = 0; i < p->size_count; i++) {
        const int64_t left = p->sizes[i].count - batch * batch_size;

        if (left > 0)
            total += p->sizes[i].workers * (left < batch_size ? left : batch_size);
    }
    return total;
}

/* Ascending numbers as " 0-4 7 9-10": runs of consecutive ones are short. */
static void add_runs(struct text *out, const int64_t *items, int64_t count)
{
    for (int64_t first = 0, end; first < count; first = end) {
        end = first + 1;
        while (end < count && items[end] == items[end - 1] + 1)
            end++;
        text_addf(out, " %" PRId64, items[first]);
        if (end - first > 1)
            text_addf(out, "-%" PRId64, items[end - 1]);
    }
}

enum status partition_save(const struct partition *p, const char *path)
{
    struct text out = {0};

    text_addf(&out,
              "muster partition 1\nname %s\nseed %" PRIu64 "\nhash %016" PRIx64 "\nworkers %d\n",
              p->entry->name, p->seed, partition_hash(p), p->workers);
    text_addf(&out, "samples %" PRId64 "\nmoved %" PRId64 "\nown_order %s\nredeal %s\n",
              p->sample_count, p->moved, p->own_order ? "true" : "false",
              p->redeal ? "true" : "false");
    for (int w = 0; w < p->workers; w++) {
        text_addf(&out, "worker %d %" PRId64 ":", w, p->counts[w]);
        add_runs(&out, p->items[w], p->counts[w]);
        text_add(&out, "\n");
    }
    const enum status s = file_write_text(path, text_get(&out));
    text_release(&out);
    return s;
}

/* --- for the files under partitions/ --- */

void partition_assign_chunks(struct assignment *d, const int64_t *list, int64_t count, int workers)
{
    const int64_t size = count / workers, longer = count % workers;
    int64_t at = 0;

    for (int w = 0; w < workers; w++) {
        const int64_t end = at + size + (w < longer);

        for (; at < end; at++)
            d->owners[list[at]] = w;
    }
}

void partition_assign_in_turn(struct assignment *d, const int64_t *list, int64_t count,
                              struct partition_turn turn)
{
    for (int64_t i = 0; i < count; i++)
        d->owners[list[i]] = turn.first + turn.step * (int)(i % turn.among);
}

/* A counting sort by label, which keeps the numbers ascending within each. */
void partition_classes_init(struct partition_classes *c, const struct partition_request *q)
{
    int64_t *places = MEM_NEW_N(int64_t, q->classes + 1);
    int64_t at = 0;

    *c = (struct partition_classes){
        .labels = MEM_NEW_N(int64_t, q->classes),
        .begins = MEM_NEW_N(int64_t, q->classes + 1),
        .samples = MEM_NEW_N(int64_t, q->count),
    };
    for (int64_t i = 0; i < q->count; i++)
        places[q->labels[q->samples[i]]]++;
    for (int64_t k = 0; k < q->classes; k++) {
        const int64_t size = places[k];

        places[k] = at;
        if (size > 0) {
            c->labels[c->count] = k;
            c->begins[c->count++] = at;
        }
        at += size;
    }
    c->begins[c->count] = at;
    for (int64_t i = 0; i < q->count; i++)
        c->samples[places[q->labels[q->samples[i]]]++] = q->samples[i];
    mem_free(places);
}

void partition_classes_shuffle(struct partition_classes *c, uint64_t seed)
{
    const struct rng r = rng_make(seed, RNG_PARTITION, PARTITION_WITHIN);

    for (int64_t k = 0; k < c->count; k++)
        rng_order(&r, c->samples + c->begins[k], c->begins[k + 1] - c->begins[k]);
}

void partition_classes_release(struct partition_classes *c)
{
    mem_free(c->labels);
    mem_free(c->begins);
    mem_free(c->samples);
    *c = (struct partition_classes){0};
}

void partition_count_owned(const struct assignment *d, const struct partition_request *q,
                           int64_t *counts)
{
    memset(counts, 0, (size_t)q->workers * sizeof *counts);
    for (int64_t i = 0; i < q->count; i++) {
        const int owner = d->owners[q->samples[i]];

        CHECK(owner >= PARTITION_NO_OWNER && owner < q->workers);
        if (owner != PARTITION_NO_OWNER)
            counts[owner]++;
    }
}
