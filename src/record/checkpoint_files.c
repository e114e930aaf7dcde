/*
 * checkpoint_files.c - names, lists and removes the checkpoints of a run.
 */
#include "record/checkpoint_files.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

static const char LAST[] = "checkpoints/last.safetensors";
static const char PREFIX[] = "round-", SUFFIX[] = ".safetensors";

static char *name_of(int64_t round)
{
    return text_format("%s%lld%s", PREFIX, (long long)round, SUFFIX);
}

char *checkpoint_files_path(const char *run_dir, int64_t round)
{
    return text_format("%s/checkpoints/%s%lld%s", run_dir, PREFIX, (long long)round, SUFFIX);
}

/* The round in a file's name; -1: it has another name. */
static int64_t round_of(const char *name)
{
    const size_t prefix = sizeof PREFIX - 1, suffix = sizeof SUFFIX - 1, length = strlen(name);
    int64_t round = -1;

    if (length <= prefix + suffix || strncmp(name, PREFIX, prefix) != 0 ||
        strcmp(name + length - suffix, SUFFIX) != 0)
        return -1;
    char *digits = mem_text_n(name + prefix, length - prefix - suffix);
    if (!text_to_int(digits, &round) || round < 0)
        round = -1;
    mem_free(digits);
    return round;
}

/* --- the rounds that have a file --- */

struct rounds {
    int64_t *items;
    int64_t count;
};

static int falling(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x < y) - (x > y);
}

/* The highest first; mem_free items. A folder that is not there has none. */
static struct rounds find_rounds(const char *run_dir)
{
    char *folder = file_join(run_dir, "checkpoints");
    DIR *dir = opendir(folder);
    struct rounds r = {0};

    mem_free(folder);
    if (dir == NULL)
        return r;
    for (const struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        const int64_t round = round_of(e->d_name);

        if (round < 0)
            continue;
        r.items = mem_resize(r.items, r.count, r.count + 1, sizeof *r.items);
        r.items[r.count++] = round;
    }
    (void)closedir(dir);
    if (r.count > 0)
        qsort(r.items, (size_t)r.count, sizeof *r.items, falling);
    return r;
}

/* The round that `last` is a link to; -1: it is not a link to one, or does not exist. */
static int64_t linked_round(const char *run_dir, const struct rounds *r)
{
    char *last = file_join(run_dir, LAST);
    int64_t found = -1;

    for (int64_t i = 0; i < r->count; i++) {
        char *path = checkpoint_files_path(run_dir, r->items[i]);

        if (file_is_same(last, path))
            found = r->items[i];
        mem_free(path);
    }
    mem_free(last);
    return found;
}

static void add_round(struct rundir_names *paths, const char *run_dir, int64_t round)
{
    char *path = checkpoint_files_path(run_dir, round);

    rundir_names_add(paths, path);
    mem_free(path);
}

/* A run may have fallen back to an earlier round and gone on from there: `last` is newer than
 * higher rounds. */
void checkpoint_files_list(const char *run_dir, struct rundir_names *paths)
{
    const struct rounds r = find_rounds(run_dir);
    const int64_t newest = linked_round(run_dir, &r);
    char *last = file_join(run_dir, LAST);

    if (newest >= 0)
        add_round(paths, run_dir, newest);
    else if (file_exists(last))
        rundir_names_add(paths, last);
    for (int64_t i = 0; i < r.count; i++)
        if (r.items[i] != newest)
            add_round(paths, run_dir, r.items[i]);
    mem_free(last);
    mem_free(r.items);
}

/* --- changes --- */

enum status checkpoint_files_publish(const char *run_dir, int64_t round)
{
    char *last = file_join(run_dir, LAST), *target = name_of(round);
    const enum status s = file_link(target, last);

    mem_free(target);
    mem_free(last);
    return s;
}

static enum status remove_round(const char *run_dir, int64_t round)
{
    char *path = checkpoint_files_path(run_dir, round);
    const enum status s = file_remove(path);

    mem_free(path);
    return s;
}

enum status checkpoint_files_prune(const char *run_dir, int64_t round, int64_t keep)
{
    const struct rounds r = find_rounds(run_dir);
    enum status s = STATUS_OK;
    int64_t kept = 0;

    for (int64_t i = 0; i < r.count && s == STATUS_OK; i++) {
        const bool is_kept = r.items[i] <= round && kept < keep;

        kept += is_kept;
        if (!is_kept)
            s = remove_round(run_dir, r.items[i]);
    }
    mem_free(r.items);
    return s;
}

enum status checkpoint_files_discard(const char *run_dir, int64_t round)
{
    enum status s = STATUS_OK;
    int64_t before = -1;

    const struct rounds r = find_rounds(run_dir);
    for (int64_t i = 0; i < r.count; i++)
        if (r.items[i] < round && before < 0)
            before = r.items[i];
    mem_free(r.items);
    s = before >= 0 ? checkpoint_files_publish(run_dir, before) : file_remove_in(run_dir, LAST);
    return s == STATUS_OK ? remove_round(run_dir, round) : s;
}
