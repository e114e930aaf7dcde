/*
 * same.c - checksums of what a process was told and has loaded, compared with the first one's.
 *
 * What may differ between hosts is left out: the folder of the data, the threads, and how the
 * transport was named.
 */
#include "train/same.h"

#include <stdint.h>

#include "base/crc.h"

static enum status compare(struct world *w, int64_t mine, const char *what)
{
    int64_t first = 0, other = 0;

    TRY(world_agree(w, w->process == 0 ? mine : INT64_MAX, &first));
    TRY(world_agree(w, mine == first ? INT64_MAX : w->process, &other));
    if (other == INT64_MAX)
        return STATUS_OK;
    if (w->process > 0)
        return FAIL(STATUS_BAD_INPUT, "%s", "");
    return FAIL(STATUS_BAD_INPUT,
                "process %lld has %s than process 0; all processes of a run need the same command, "
                "and the same files on every host",
                (long long)other, what);
}

/* --- settings --- */

static void drop(struct node *root, const char *section, const char *key)
{
    struct node *map = node_find(root, section);

    if (map != NULL)
        node_remove(map, key);
}

enum status same_settings(struct world *w, const struct experiment *e, bool saves)
{
    if (w->processes == 1)
        return STATUS_OK;

    struct node *root = experiment_dump(e);
    struct text yaml = {0};

    drop(root, "data", "dir");
    drop(root, "train", "threads");
    drop(root, "transport", "name");
    node_write(root, &yaml);
    text_addf(&yaml, "saves: %d\n", saves);

    const uint32_t sum = crc32c(0, yaml.data, yaml.length);

    text_release(&yaml);
    node_free(root);
    return compare(w, sum, "other settings");
}

/* --- data --- */

static uint32_t add(uint32_t crc, const void *values, int64_t count, size_t size)
{
    crc = crc32c(crc, &count, sizeof count);
    return values == NULL ? crc : crc32c(crc, values, (size_t)count * size);
}

static uint32_t add_samples(uint32_t crc, const struct dataset *d, const struct samples *s)
{
    const int64_t pixels = s->count * d->height * d->width * d->channels;

    crc = add(crc, s->bytes, pixels, sizeof *s->bytes);
    crc = add(crc, s->values, pixels, sizeof *s->values);
    crc = add(crc, s->labels, s->count, sizeof *s->labels);
    return add(crc, s->targets, s->count * d->target_size, sizeof *s->targets);
}

enum status same_data(struct world *w, const struct dataset *d)
{
    if (w->processes == 1)
        return STATUS_OK;
    return compare(w, add_samples(add_samples(0, d, &d->train), d, &d->test), "other data");
}

/* --- going on --- */

enum status same_place(struct world *w, int64_t round)
{
    return w->processes == 1 ? STATUS_OK : compare(w, round, "a checkpoint of another round");
}
