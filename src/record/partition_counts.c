/*
 * partition_counts.c - writes and reads partition.json.
 */
#include "record/partition_counts.h"

#include <jansson.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "record/json_read.h"
#include "record/json_write.h"

enum status partition_counts_write(const char *run_dir, const struct partition_counts *p)
{
    struct text content = {0};
    struct json j;

    json_init(&j, &content);
    json_open_map(&j, NULL);
    json_int(&j, "workers", p->workers);
    json_int(&j, "classes", p->classes);
    json_write_names(&j, "class_names", p->class_names, p->classes);
    json_write_ints(&j, "samples", p->samples, p->workers);
    if (p->counts != NULL)
        json_write_matrix(&j, "counts", p->counts, p->workers, p->classes);
    else
        json_text(&j, "counts", NULL);
    json_close_map(&j);
    return json_write_file(run_dir, "partition.json", &content);
}

static bool read_counts(const json_t *rows, struct partition_counts *p)
{
    if (!json_is_array(rows))
        return json_is_null(rows) && p->classes == 0;
    if ((int64_t)json_array_size(rows) != p->workers)
        return false;
    p->counts = MEM_NEW_N(int64_t, p->workers * p->classes);
    for (int64_t w = 0; w < p->workers; w++)
        if (!json_read_ints(json_array_get(rows, (size_t)w), p->classes,
                            p->counts + w * p->classes))
            return false;
    return true;
}

static bool read_partition(const json_t *root, struct partition_counts *p)
{
    const json_t *samples = json_object_get(root, "samples");
    const json_t *counts = json_object_get(root, "counts");

    p->workers = (int64_t)json_array_size(samples);
    p->classes = (int64_t)json_array_size(json_array_get(counts, 0));
    p->samples = MEM_NEW_N(int64_t, p->workers);
    if (p->workers == 0 || !json_read_ints(samples, p->workers, p->samples) ||
        !read_counts(counts, p) ||
        !json_read_names(json_object_get(root, "class_names"), &p->names))
        return false;
    if (p->names.count > 0)
        p->class_names = (const char *const *)p->names.items;
    return p->names.count == 0 || p->names.count == p->classes;
}

enum status partition_counts_read(const char *run_dir, struct partition_counts *p)
{
    char *path = file_join(run_dir, "partition.json");
    json_t *root = NULL;
    enum status s = json_read_file(path, &root);

    *p = (struct partition_counts){0};
    if (s == STATUS_OK && !read_partition(root, p)) {
        s = FAIL(STATUS_IO, "%s: is not the table of a partition", path);
        partition_counts_release(p);
    }
    json_decref(root);
    mem_free(path);
    return s;
}

void partition_counts_release(struct partition_counts *p)
{
    mem_free(p->samples);
    mem_free(p->counts);
    rundir_names_release(&p->names);
    *p = (struct partition_counts){0};
}
