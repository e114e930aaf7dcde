/*
 * result.c - writes and reads result.json by the list of result.h.
 */
#include "record/result.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "record/json_read.h"
#include "record/json_write.h"

enum { FORM = JSON_REAL_PRECISION(17) };

/* clang-format off */
#define RESULT_ROW(member, key_, type_, unit_) \
    {.key = (key_), .unit = (unit_), .type = RESULT_##type_, .offset = offsetof(struct run_result, member)},
const struct result_field result_list[] = {RESULT_LIST(RESULT_ROW)};
/* clang-format on */

const int result_list_count = sizeof result_list / sizeof result_list[0];

const char *result_word(enum status s)
{
    switch (s) {
    case STATUS_OK:
        return "finished";
    case STATUS_INTERRUPTED:
        return "interrupted";
    case STATUS_DIVERGED:
        return "diverged";
    case STATUS_BAD_INPUT:
    case STATUS_IO:
    case STATUS_PEER:
    case STATUS_COUNT:
        return "failed";
    }
    return "failed";
}

/* --- members by their place --- */

static void *member_of(struct run_result *r, const struct result_field *f)
{
    return (char *)r + f->offset;
}

static const void *member_in(const struct run_result *r, const struct result_field *f)
{
    return (const char *)r + f->offset;
}

static void set_text(struct run_result *r, const struct result_field *f, char *text)
{
    memcpy(member_of(r, f), &text, sizeof text);
}

static void set_int(struct run_result *r, const struct result_field *f, int64_t value)
{
    memcpy(member_of(r, f), &value, sizeof value);
}

static void set_number(struct run_result *r, const struct result_field *f, double value)
{
    memcpy(member_of(r, f), &value, sizeof value);
}

static char *text_of(const struct run_result *r, const struct result_field *f)
{
    char *text = NULL;

    memcpy(&text, member_in(r, f), sizeof text);
    return text;
}

static int64_t int_of(const struct run_result *r, const struct result_field *f)
{
    int64_t value = 0;

    memcpy(&value, member_in(r, f), sizeof value);
    return value;
}

static double number_of(const struct run_result *r, const struct result_field *f)
{
    double value = 0;

    memcpy(&value, member_in(r, f), sizeof value);
    return value;
}

void result_init(struct run_result *r)
{
    *r = (struct run_result){0};
    for (int i = 0; i < result_list_count; i++) {
        const struct result_field *f = &result_list[i];

        if (f->type == RESULT_INT)
            set_int(r, f, -1);
        else if (f->type != RESULT_TEXT)
            set_number(r, f, (double)NAN);
    }
}

void result_release(struct run_result *r)
{
    for (int i = 0; i < result_list_count; i++)
        if (result_list[i].type == RESULT_TEXT)
            mem_free(text_of(r, &result_list[i]));
    rundir_names_release(&r->broken);
    workers_release(&r->each);
    result_init(r);
}

double result_number(const struct run_result *r, const char *key)
{
    for (int i = 0; i < result_list_count; i++) {
        const struct result_field *f = &result_list[i];

        if (strcmp(f->key, key) != 0 || f->type == RESULT_TEXT)
            continue;
        if (f->type != RESULT_INT)
            return number_of(r, f);
        return int_of(r, f) < 0 ? (double)NAN : (double)int_of(r, f);
    }
    for (int i = 0; i < r->own.count; i++)
        if (strcmp(r->own.names[i], key) == 0)
            return r->own.values[i];
    return (double)NAN;
}

void result_own_set(struct result_own *own, const char *name, double value)
{
    int i = 0;

    while (i < own->count && strcmp(own->names[i], name) != 0)
        i++;
    if (i == RESULT_OWN_MAX)
        return;
    (void)snprintf(own->names[i], sizeof own->names[i], "%s", name);
    own->values[i] = value;
    if (i == own->count)
        own->count++;
}

void result_own_words(const struct result_own *own, int i, struct text *out)
{
    for (const char *c = own->names[i]; *c != '\0'; c++)
        text_addf(out, "%c", *c == '_' ? ' ' : *c);
}

/* --- writing --- */

static void write_field(struct json *j, const struct run_result *r, const struct result_field *f)
{
    switch (f->type) {
    case RESULT_TEXT:
        json_text(j, f->key, text_of(r, f));
        return;
    case RESULT_INT:
        if (int_of(r, f) < 0)
            json_text(j, f->key, NULL);
        else
            json_int(j, f->key, int_of(r, f));
        return;
    case RESULT_OPTIONAL:
        if (isnan(number_of(r, f)))
            return;
        break;
    case RESULT_NUMBER:
        break;
    }
    json_number(j, f->key, number_of(r, f));
}

static void write_names(struct json *j, const struct run_result *r)
{
    if (r->broken.count == 0)
        return;
    json_open_list(j, "broken_samples");
    for (int64_t i = 0; i < r->broken.count; i++)
        json_text(j, NULL, r->broken.items[i]);
    json_close_list(j);
}

static void write_result(struct json *j, const struct run_result *r)
{
    json_open_map(j, NULL);
    json_int(j, "version", RESULT_VERSION);
    for (int i = 0; i < result_list_count; i++)
        write_field(j, r, &result_list[i]);
    for (int i = 0; i < r->own.count; i++)
        json_number(j, r->own.names[i], r->own.values[i]);
    write_names(j, r);
    if (r->each.count > 0)
        workers_add_json(&r->each, j, "each");
    json_close_map(j);
}

void result_add_json(const struct run_result *r, struct text *out)
{
    struct json j;

    json_init(&j, out);
    write_result(&j, r);
    text_add(out, "\n");
}

enum status result_write(const char *run_dir, const struct run_result *r)
{
    struct text content = {0};
    struct json j;

    json_init(&j, &content);
    write_result(&j, r);
    return json_write_file(run_dir, "result.json", &content);
}

/* --- reading --- */

static bool is_listed(const char *key)
{
    for (int i = 0; i < result_list_count; i++)
        if (strcmp(result_list[i].key, key) == 0)
            return true;
    return strcmp(key, "version") == 0;
}

/* Numbers under keys that are not in the list. */
static void read_own(json_t *root, struct result_own *own)
{
    for (void *at = json_object_iter(root); at != NULL; at = json_object_iter_next(root, at)) {
        const json_t *value = json_object_iter_value(at);

        if (json_is_number(value) && !is_listed(json_object_iter_key(at)))
            result_own_set(own, json_object_iter_key(at), json_number_value(value));
    }
}

static void read_result(json_t *root, struct run_result *r)
{
    const json_t *each = json_object_get(root, "each");

    for (int i = 0; i < result_list_count; i++) {
        const struct result_field *f = &result_list[i];

        if (f->type == RESULT_TEXT)
            set_text(r, f, json_read_text(root, f->key));
        else if (f->type == RESULT_INT)
            set_int(r, f, json_read_int(root, f->key, -1));
        else
            set_number(r, f, json_read_number(root, f->key));
    }
    read_own(root, &r->own);
    (void)json_read_names(json_object_get(root, "broken_samples"), &r->broken);
    if (each != NULL)
        (void)workers_parse(each, &r->each);
}

/* A value that is there is of its type, or null. */
static enum status check_types(const char *path, const json_t *root)
{
    for (int i = 0; i < result_list_count; i++) {
        const struct result_field *f = &result_list[i];
        const json_t *value = json_object_get(root, f->key);

        if (value == NULL || json_is_null(value) ||
            (f->type == RESULT_TEXT ? json_is_string(value) : json_is_number(value)))
            continue;
        return FAIL(STATUS_IO, "%s: %s must be a %s", path, f->key,
                    f->type == RESULT_TEXT ? "text" : "number");
    }
    return STATUS_OK;
}

static enum status load(const char *path, json_t **root)
{
    TRY(json_read_file(path, root));
    if (!json_is_object(*root))
        return FAIL(STATUS_IO, "%s:1: is not the result of a run", path);
    return check_types(path, *root);
}

enum status result_read(const char *run_dir, struct run_result *r)
{
    char *path = file_join(run_dir, "result.json");
    json_t *root = NULL;
    const enum status s = load(path, &root);

    result_init(r);
    if (s == STATUS_OK)
        read_result(root, r);
    json_decref(root);
    mem_free(path);
    return s;
}

/* Keys that this version does not know stay as they are. */
static enum status rename_in(const char *path, const char *name, const char *run_dir)
{
    json_t *root = NULL;
    enum status s = load(path, &root);

    if (s == STATUS_OK) {
        (void)json_object_set_new(root, "name", json_string(name));
        (void)json_object_set_new(root, "run_dir", json_string(run_dir));
        const size_t length = json_dumpb(root, NULL, 0, FORM);
        char *content = MEM_NEW_N(char, (int64_t)length + 1);
        (void)json_dumpb(root, content, length, FORM);
        s = file_write_text(path, content);
        mem_free(content);
    }
    json_decref(root);
    return s;
}

enum status result_rename(const char *folder, const char *name, const char *run_dir)
{
    char *path = file_join(folder, "result.json");
    const enum status s = file_exists(path) ? rename_in(path, name, run_dir) : STATUS_OK;

    mem_free(path);
    return s;
}
