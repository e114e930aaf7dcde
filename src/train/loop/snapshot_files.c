/*
 * snapshot_files.c - writes, reads and lists snapshots. Weights are in stored order, and the label
 * is a list of 64-bit words: the files are for the program that wrote them.
 */
#include "train/loop/snapshot_files.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

_Static_assert(sizeof(struct snapshot_label) % sizeof(int64_t) == 0, "a list of 64-bit words");
enum { LABEL_WORDS = sizeof(struct snapshot_label) / sizeof(int64_t) };

static const char PREFIX[] = "snapshot-";
enum { AFTER_NODES = 9999999 };

char *snapshot_files_path(const char *run_dir, const struct snapshot_label *label)
{
    return text_format("%s/checkpoints/%s%015lld-%07d.safetensors", run_dir, PREFIX,
                       (long long)label->totals.round,
                       label->node == SNAPSHOT_RUN ? AFTER_NODES : label->node);
}

static char *layout_text(const struct tensor_layout *l)
{
    return text_format("%016llx", (unsigned long long)tensor_layout_id(l));
}

enum status snapshot_files_save(const char *path, const struct tensor_layout *layout,
                                const struct snapshot_label *label, const float *state)
{
    struct safetensors_writer *w = safetensors_writer_new();
    char *id = layout_text(layout);

    safetensors_writer_tensor(w, "label", SAFETENSORS_I64, 1, (int64_t[]){LABEL_WORDS}, label);
    safetensors_writer_tensor(w, "state", SAFETENSORS_F32, 1, &layout->state_count, state);
    safetensors_writer_text(w, "layout", id);
    const enum status s = safetensors_writer_save(w, path);
    safetensors_writer_free(w);
    mem_free(id);
    return s;
}

static enum status read_snapshot(const struct safetensors *file, const struct tensor_layout *layout,
                                 struct snapshot_label *label, float *state)
{
    const char *found = safetensors_text(file, "layout");
    char *wanted = layout_text(layout);
    const bool is_same = safetensors_is_own(file) && found != NULL && strcmp(found, wanted) == 0;
    const void *words = NULL, *values = NULL;

    mem_free(wanted);
    if (!is_same)
        return FAIL(STATUS_BAD_INPUT, "%s: is not a snapshot of this model", file->path);
    TRY(safetensors_get(file, "label", SAFETENSORS_I64, LABEL_WORDS, &words));
    TRY(safetensors_get(file, "state", SAFETENSORS_F32, layout->state_count, &values));
    memcpy(label, words, sizeof *label);
    memcpy(state, values, (size_t)layout->state_count * sizeof *state);
    return STATUS_OK;
}

enum status snapshot_files_load(const char *path, const struct tensor_layout *layout,
                                struct snapshot_label *label, float *state)
{
    struct safetensors file;

    TRY(safetensors_load(&file, path));
    const enum status s = read_snapshot(&file, layout, label, state);
    safetensors_release(&file);
    return s;
}

static int name_order(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void snapshot_files_list(const char *run_dir, struct rundir_names *paths)
{
    char *folder = file_join(run_dir, "checkpoints");
    DIR *dir = opendir(folder);

    for (const struct dirent *e = dir == NULL ? NULL : readdir(dir); e != NULL; e = readdir(dir)) {
        const size_t length = strlen(e->d_name), ending = strlen(".safetensors");
        char *path = file_join(folder, e->d_name);

        if (strncmp(e->d_name, PREFIX, sizeof PREFIX - 1) == 0 && length > ending &&
            strcmp(e->d_name + length - ending, ".safetensors") == 0)
            rundir_names_add(paths, path);
        mem_free(path);
    }
    if (dir != NULL)
        (void)closedir(dir);
    mem_free(folder);
    if (paths->count > 0)
        qsort(paths->items, (size_t)paths->count, sizeof *paths->items, name_order);
}
