/*
 * agreement.c - checksums of the settings and data of a process, compared with the first one's.
 *
 * What may differ between hosts is left out: the folder of the data, the place of the initial
 * weights, the threads, and how the transport was named.
 */
#include "train/agreement.h"

#include <stdint.h>

#include "base/crc.h"

static enum status compare_value(struct world *w, int64_t mine, const char *what)
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

static void drop_key(struct node *root, const char *section, const char *key)
{
    struct node *map = node_find(root, section);

    if (map != NULL)
        node_remove(map, key);
}

enum status agreement_check_settings(struct world *w, const struct run_config *config, bool saves)
{
    if (w->processes == 1)
        return STATUS_OK;

    struct node *root = run_config_dump(config);
    struct text yaml = {0};

    drop_key(root, "data", "dir");
    drop_key(root, "train", "threads");
    drop_key(root, "data", "loaders");
    drop_key(root, "data", "ahead");
    drop_key(root, "train", "init");
    drop_key(root, "transport", "name");
    node_write(root, &yaml);
    text_addf(&yaml, "saves: %d\n", saves);

    const uint32_t sum = crc32c(0, yaml.data, yaml.length);

    text_release(&yaml);
    node_free(root);
    return compare_value(w, sum, "other settings");
}

/* --- data --- */

enum status agreement_check_data(struct world *w, const struct problem_plan *p)
{
    return w->processes == 1 ? STATUS_OK : compare_value(w, problem_fingerprint(p), "other data");
}
