/*
 * state_dict.c - see state_dict.h.
 */
#include "format/state_dict.h"

#include <string.h>

#include "base/check.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "format/pickle.h"

enum { IGNORED_SHOWN = 5 };

static const char pickle_end[] = "/data.pkl";

/* A file while it is read. */
struct reading {
    const char *path;
    const struct zip_reader *zip;
    char *folder; /* of all members: "archive" */
    struct tensor_set *set;
    int64_t ignored; /* entries that are not tensors */
    struct text ignored_names;
};

/* --- the zip file --- */

/* "archive/data.pkl"; NULL: none. */
static const struct zip_member *find_pickle(const struct zip_reader *z)
{
    const size_t end = sizeof pickle_end - 1;

    for (int64_t i = 0; i < z->count; i++) {
        const char *name = z->members[i].name, *slash = strchr(name, '/');

        if (slash != NULL && strlen(slash) == end && strcmp(slash, pickle_end) == 0)
            return &z->members[i];
    }
    return NULL;
}

bool state_dict_is_in(const struct zip_reader *z)
{
    return find_pickle(z) != NULL;
}

/* PyTorch writes the order of bytes since 2.1; before, it was that of the machine. */
static enum status check_byte_order(const struct reading *r)
{
    char *name = text_format("%s/byteorder", r->folder);
    const struct zip_member *m = zip_reader_find(r->zip, name);
    struct zip_content content = {0};
    enum status s = STATUS_OK;

    mem_free(name);
    if (m == NULL)
        return STATUS_OK;
    TRY(zip_reader_get(r->zip, m, &content));
    if (content.bytes != strlen("little") || memcmp(content.data, "little", content.bytes) != 0)
        s = FAIL(STATUS_BAD_INPUT, "%s: was written on a machine with another order of bytes",
                 r->path);
    zip_content_release(&content);
    return s;
}

/* --- a tensor --- */

static enum status find_storage(const struct reading *r, const struct pickle_storage *storage,
                                const char *tensor, struct zip_content *content)
{
    char *name = text_format("%s/data/%.*s", r->folder, (int)storage->key.bytes,
                             (const char *)storage->key.data);
    const struct zip_member *m = zip_reader_find(r->zip, name);
    enum status s;

    if (m == NULL)
        s = FAIL(STATUS_BAD_INPUT, "%s: tensor %s: its values, %s, are missing", r->path, tensor,
                 name);
    else
        s = zip_reader_get(r->zip, m, content);
    mem_free(name);
    TRY(s);
    const size_t bytes = content->bytes, size = element_size(storage->type.kind);
    if (bytes % size == 0 && bytes / size == (size_t)storage->count)
        return STATUS_OK;
    zip_content_release(content);
    return FAIL(STATUS_BAD_INPUT, "%s: tensor %s: its storage has %zu bytes, not %lld values",
                r->path, tensor, bytes, (long long)storage->count);
}

/* Elements may be in any order in the storage, as in a transposed matrix. */
static enum status make_array(const struct reading *r, const struct pickle_tensor *t,
                              const char *name, const uint8_t *storage, struct file_array *a)
{
    const size_t size = element_size(t->storage->type.kind);
    int64_t step = 1;

    *a = (struct file_array){.type = t->storage->type, .rank = t->rank, .is_c_order = true};
    for (int i = t->rank - 1; i >= 0; i--) {
        a->dims[i] = t->dims[i];
        a->steps[i] = t->steps[i];
        a->is_c_order = a->is_c_order && (t->steps[i] == step || t->dims[i] == 1);
        if (__builtin_mul_overflow(step, t->dims[i], &step))
            step = INT64_MAX;
    }
    if (step > t->storage->count)
        return FAIL(STATUS_BAD_INPUT,
                    "%s: tensor %s: has more values than its storage; save a copy of it "
                    "(contiguous)",
                    r->path, name);
    a->count = step;
    a->data = storage + (size_t)t->offset * size;
    a->bytes = (size_t)(t->storage->count - t->offset) * size;
    return STATUS_OK;
}

static enum status add_tensor(const struct reading *r, const char *name,
                              const struct pickle_tensor *t)
{
    struct zip_content content = {0};
    struct file_array a;

    TRY(find_storage(r, t->storage, name, &content));
    enum status s = make_array(r, t, name, content.data, &a);
    if (s == STATUS_OK)
        s = tensor_set_add_array(r->set, r->path, name, &a);
    zip_content_release(&content);
    return s;
}

/* --- the dict --- */

static bool has_tensors(const struct pickle_value *v)
{
    for (int64_t i = 1; v != NULL && v->kind == PICKLE_DICT && i < v->list.count; i += 2)
        if (v->list.items[i]->kind == PICKLE_TENSOR)
            return true;
    return false;
}

static void ignore_entry(struct reading *r, const struct pickle_value *key)
{
    r->ignored++;
    if (r->ignored > IGNORED_SHOWN)
        return;
    text_add(&r->ignored_names, r->ignored == 1 ? "" : ", ");
    if (key->kind == PICKLE_TEXT)
        text_add_n(&r->ignored_names, (const char *)key->bytes.data, key->bytes.bytes);
    else
        text_add(&r->ignored_names, pickle_kind_name(key->kind));
}

/* The dict of the tensors: the file's own, or the only one below a usual name. */
static enum status find_dict(struct reading *r, const struct pickle_value *root,
                             const struct pickle_value **dict)
{
    static const char *const keys[] = {"state_dict", "model"};

    *dict = has_tensors(root) ? root : NULL;
    if (root->kind == PICKLE_DICT && *dict == NULL)
        for (int i = 0; i < 2; i++) {
            const struct pickle_value *found = pickle_find(root, keys[i]);

            if (!has_tensors(found))
                continue;
            if (*dict != NULL)
                return FAIL(STATUS_BAD_INPUT,
                            "%s: has tensors in both \"state_dict\" and \"model\"; save one of "
                            "them alone",
                            r->path);
            *dict = found;
        }
    if (*dict == NULL)
        return FAIL(STATUS_BAD_INPUT,
                    "%s: has no state dict: it must be a dict of tensors by name, or have one "
                    "under \"state_dict\" or \"model\"; save model.state_dict()",
                    r->path);
    for (int64_t i = 0; *dict != root && i + 1 < root->list.count; i += 2)
        if (root->list.items[i + 1] != *dict)
            ignore_entry(r, root->list.items[i]);
    return STATUS_OK;
}

static enum status add_entries(struct reading *r, const struct pickle_value *dict)
{
    for (int64_t i = 0; i + 1 < dict->list.count; i += 2) {
        const struct pickle_value *key = dict->list.items[i], *value = dict->list.items[i + 1];

        if (key->kind != PICKLE_TEXT || value->kind != PICKLE_TENSOR) {
            ignore_entry(r, key);
            continue;
        }
        char *name = mem_text_n((const char *)key->bytes.data, key->bytes.bytes);
        const enum status s = add_tensor(r, name, value->tensor);
        mem_free(name);
        TRY(s);
    }
    return STATUS_OK;
}

static enum status read_pickle(struct reading *r, const struct zip_content *content)
{
    const struct pickle_value *dict = NULL;
    struct pickle p;

    TRY(pickle_decode(&p, &(struct pickle_source){
                              .name = r->path, .file = content->data, .bytes = content->bytes}));
    enum status s = find_dict(r, p.root, &dict);
    if (s == STATUS_OK)
        s = add_entries(r, dict);
    pickle_release(&p);
    return s;
}

static void log_ignored(const struct reading *r)
{
    if (r->ignored > 0)
        log_info("%s: ignored %lld %s that %s not in the state dict: %s%s", r->path,
                 (long long)r->ignored, r->ignored == 1 ? "entry" : "entries",
                 r->ignored == 1 ? "is" : "are", text_get(&r->ignored_names),
                 r->ignored > IGNORED_SHOWN ? ", ..." : "");
}

static enum status read_all(struct reading *r, const struct zip_member *pickle)
{
    struct zip_content content = {0};

    TRY(check_byte_order(r));
    TRY(zip_reader_get(r->zip, pickle, &content));
    const enum status s = read_pickle(r, &content);
    zip_content_release(&content);
    if (s == STATUS_OK)
        log_ignored(r);
    return s;
}

enum status state_dict_read(struct tensor_set *s, const struct zip_reader *z, const char *path)
{
    const struct zip_member *pickle = find_pickle(z);
    struct reading r = {.path = path, .zip = z, .set = s};

    CHECK(pickle != NULL);
    r.folder = mem_text_n(pickle->name, (size_t)(strchr(pickle->name, '/') - pickle->name));
    const enum status status = read_all(&r, pickle);
    text_release(&r.ignored_names);
    mem_free(r.folder);
    return status;
}
