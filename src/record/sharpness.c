/*
 * sharpness.c - see sharpness.h.
 */
#include "record/sharpness.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "record/json_read.h"
#include "record/json_write.h"

static const char file_name[] = "sharpness.json";

void sharpness_list_release(struct sharpness_list *l)
{
    for (int64_t i = 0; i < l->count; i++) {
        mem_free(l->items[i].name);
        mem_free(l->items[i].dir);
        mem_free(l->items[i].key);
        mem_free(l->items[i].data);
    }
    mem_free(l->items);
    *l = (struct sharpness_list){0};
}

const struct sharpness *sharpness_find(const struct sharpness_list *l, const char *dir)
{
    for (int64_t i = 0; l != NULL && dir != NULL && i < l->count; i++)
        if (strcmp(l->items[i].dir, dir) == 0)
            return &l->items[i];
    return NULL;
}

/* --- writing --- */

static void add_numbers(const struct sharpness *s, struct json *j)
{
    json_text(j, "data", s->data);
    json_number(j, "loss", s->loss);
    json_number(j, "rise", s->rise);
    json_number(j, "eigenvalue", s->eigenvalue);
    json_int(j, "batches", s->batches);
}

void sharpness_list_to_json(const struct sharpness_list *l, struct json *j, const char *key)
{
    json_open_list(j, key);
    for (int64_t i = 0; i < l->count; i++) {
        json_open_map(j, NULL);
        json_text(j, "run", l->items[i].name);
        add_numbers(&l->items[i], j);
        json_close_map(j);
    }
    json_close_list(j);
}

enum status sharpness_write(const struct sharpness *s)
{
    struct text content = {0};
    struct json j;

    json_init(&j, &content);
    json_open_map(&j, NULL);
    json_int(&j, "version", 1);
    json_text(&j, "key", s->key);
    add_numbers(s, &j);
    json_close_map(&j);
    return json_write_file(s->dir, file_name, &content);
}

/* --- reuse --- */

/* A number that was not finite is null in the file, and measured again. */
static bool take_numbers(struct sharpness *s, const json_t *root)
{
    char *key = json_read_text(root, "key");
    const bool is_same = key != NULL && strcmp(key, s->key) == 0;

    mem_free(key);
    if (!is_same)
        return false;
    s->loss = json_read_number(root, "loss");
    s->rise = json_read_number(root, "rise");
    s->eigenvalue = json_read_number(root, "eigenvalue");
    s->batches = json_read_int(root, "batches", 0);
    return isfinite(s->loss) && isfinite(s->rise) && isfinite(s->eigenvalue);
}

bool sharpness_reuse(struct sharpness *s)
{
    char *path = file_join(s->dir, file_name);
    json_t *root = NULL;
    bool found = false;

    if (file_exists(path) && json_read_file(path, &root) == STATUS_OK) {
        found = take_numbers(s, root);
        json_decref(root);
    }
    mem_free(path);
    return found;
}
