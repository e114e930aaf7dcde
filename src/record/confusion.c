/*
 * confusion.c - writes and reads confusion.json.
 */
#include "record/confusion.h"

#include <jansson.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "record/json_read.h"
#include "record/json_write.h"

enum status confusion_write(const char *run_dir, const struct confusion *c)
{
    struct text content = {0};
    struct json j;

    json_init(&j, &content);
    json_open_map(&j, NULL);
    json_int(&j, "round", c->round);
    json_text(&j, "part", c->part);
    json_write_names(&j, "classes", c->class_names, c->classes);
    json_write_matrix(&j, "matrix", c->matrix, c->classes, c->classes);
    json_close_map(&j);
    return json_write_refreshed(run_dir, "confusion.json", &content);
}

static bool read_matrix(const json_t *rows, struct confusion *c)
{
    c->classes = (int64_t)json_array_size(rows);
    if (c->classes == 0 || json_array_size(json_array_get(rows, 0)) != json_array_size(rows))
        return false;
    c->matrix = MEM_NEW_N(int64_t, c->classes * c->classes);
    for (int64_t i = 0; i < c->classes; i++)
        if (!json_read_ints(json_array_get(rows, (size_t)i), c->classes,
                            c->matrix + i * c->classes))
            return false;
    return true;
}

static bool read_confusion(const json_t *root, struct confusion *c)
{
    c->round = json_read_int(root, "round", 0);
    json_read_short(root, "part", c->part, sizeof c->part);
    if (!read_matrix(json_object_get(root, "matrix"), c) ||
        !json_read_names(json_object_get(root, "classes"), &c->names))
        return false;
    if (c->names.count > 0)
        c->class_names = (const char *const *)c->names.items;
    return c->names.count == 0 || c->names.count == c->classes;
}

enum status confusion_read(const char *run_dir, struct confusion *c)
{
    char *path = file_join(run_dir, "confusion.json");
    json_t *root = NULL;
    enum status s = json_read_file(path, &root);

    *c = (struct confusion){0};
    if (s == STATUS_OK && !read_confusion(root, c)) {
        s = FAIL(STATUS_IO, "%s: is not a confusion matrix", path);
        confusion_release(c);
    }
    json_decref(root);
    mem_free(path);
    return s;
}

void confusion_release(struct confusion *c)
{
    mem_free(c->matrix);
    rundir_names_release(&c->names);
    *c = (struct confusion){0};
}
