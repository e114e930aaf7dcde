/*
 * model_file.c - see model_file.h.
 */
#include "train/model_file.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"

enum { LISTED_MAX = 5 }; /* names in a message */

/* --- the file --- */

static bool begins_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* A checkpoint has the model first, then the optimiser (checkpoint.h). A network has no tensors of
 * these names: those of a layer end with "weight", "bias", ... */
static void leave_out_state(struct tensor_set *s)
{
    if (tensor_set_find(s, "optim.numbers") == NULL || tensor_set_find(s, "run.counters") == NULL)
        return;
    for (int64_t i = 0; i < s->count; i++)
        if (begins_with(s->items[i].name, "optim.vector.") ||
            strcmp(s->items[i].name, "optim.numbers") == 0) {
            tensor_set_cut(s, i);
            return;
        }
}

enum status model_file_tensors(const char *path, struct tensor_set *s)
{
    TRY(tensor_set_load(s, path));
    leave_out_state(s);
    return STATUS_OK;
}

static void remove_prefix(struct tensor_set *s, const char *prefix)
{
    for (int64_t i = 0; i < s->count; i++) {
        char *name = s->items[i].name;

        if (begins_with(name, prefix))
            memmove(name, name + strlen(prefix), strlen(name) - strlen(prefix) + 1);
    }
}

/* --- what does not fit --- */

/* Of a list of tensors in a message, the number and the first ones. */
struct listed {
    int64_t count;
    struct text names;
};

struct misfits {
    struct listed missing, additional, different;
    char *prefix; /* of names that fit without it; NULL: none */
};

static void misfits_release(struct misfits *m)
{
    text_release(&m->missing.names);
    text_release(&m->additional.names);
    text_release(&m->different.names);
    mem_free(m->prefix);
}

static void add_shape(struct text *out, int rank, const int64_t *dims)
{
    text_add(out, "[");
    for (int i = 0; i < rank; i++)
        text_addf(out, "%s%lld", i == 0 ? "" : ", ", (long long)dims[i]);
    text_add(out, "]");
}

/* Adds a name to the list; NULL: enough are listed. */
static struct text *list_name(struct listed *l, const char *name)
{
    l->count++;
    if (l->count > LISTED_MAX)
        return NULL;
    text_addf(&l->names, "%s%s", l->count == 1 ? "" : ", ", name);
    return &l->names;
}

static void list_missing(struct misfits *m, const struct tensor *t)
{
    struct text *names = list_name(&m->missing, t->name);

    if (names == NULL)
        return;
    text_add(names, " ");
    add_shape(names, t->rank, t->dims);
}

static void list_different(struct misfits *m, const struct tensor *t,
                           const struct named_tensor *its)
{
    struct text *names = list_name(&m->different, t->name);

    if (names == NULL)
        return;
    text_add(names, " ");
    add_shape(names, its->rank, its->dims);
    text_add(names, its->is_whole ? " of whole numbers instead of " : " instead of ");
    add_shape(names, t->rank, t->dims);
    text_add(names, its->is_whole ? " of floats" : "");
}

static bool has_same_shape(const struct tensor *t, const struct named_tensor *its)
{
    bool is_same = t->rank == its->rank && !its->is_whole;

    for (int i = 0; is_same && i < t->rank; i++)
        is_same = t->dims[i] == its->dims[i];
    return is_same;
}

static const struct tensor *find_tensor(const struct tensor_layout *l, const char *name)
{
    for (int i = 0; i < l->tensor_count; i++)
        if (strcmp(l->tensors[i].name, name) == 0)
            return &l->tensors[i];
    return NULL;
}

/* The part of a name before that of a tensor of the network, such as "module."; mem_free. */
static char *find_prefix(const struct tensor_layout *l, const char *name)
{
    for (const char *dot = strchr(name, '.'); dot != NULL; dot = strchr(dot + 1, '.'))
        if (find_tensor(l, dot + 1) != NULL)
            return mem_text_n(name, (size_t)(dot + 1 - name));
    return NULL;
}

/* PyTorch's count of batches, which other programs may leave out. */
static bool is_batch_count(const char *name)
{
    static const char end[] = "num_batches_tracked";
    const size_t length = strlen(name);

    return length >= sizeof end - 1 && strcmp(name + length - (sizeof end - 1), end) == 0;
}

static void find_misfits(const struct tensor_layout *l, const struct tensor_set *s,
                         struct misfits *m)
{
    for (int i = 0; i < l->tensor_count; i++) {
        const struct named_tensor *its = tensor_set_find(s, l->tensors[i].name);

        if (its == NULL)
            list_missing(m, &l->tensors[i]);
        else if (!has_same_shape(&l->tensors[i], its))
            list_different(m, &l->tensors[i], its);
    }
    for (int64_t i = 0; i < s->count; i++) {
        const char *name = s->items[i].name;

        if (find_tensor(l, name) != NULL || is_batch_count(name))
            continue;
        (void)list_name(&m->additional, name);
        if (m->prefix == NULL)
            m->prefix = find_prefix(l, name);
    }
}

static void describe_list(struct text *out, const struct listed *l, const char *what)
{
    if (l->count == 0)
        return;
    text_addf(out, "%s%lld tensor%s (%s", out->length == 0 ? ": " : "; ", (long long)l->count, what,
              text_get(&l->names));
    if (l->count > LISTED_MAX)
        text_addf(out, ", and %lld more", (long long)(l->count - LISTED_MAX));
    text_add(out, ")");
}

static enum status fail_misfits(const struct misfits *m, const struct model_file_request *r)
{
    struct text out = {0};

    describe_list(&out, &m->missing, m->missing.count == 1 ? " is missing" : "s are missing");
    describe_list(&out, &m->additional,
                  m->additional.count == 1 ? " is not in the network" : "s are not in the network");
    describe_list(&out, &m->different,
                  m->different.count == 1 ? " has another shape" : "s have another shape");
    if (m->prefix != NULL)
        text_addf(&out, "; remove the prefix of the names with --init-prefix %s", m->prefix);
    else
        text_addf(&out, "; muster models %s lists the tensors of the network", r->network);
    const enum status s = FAIL(STATUS_BAD_INPUT, "%s: does not fit network %s%s", r->path,
                               r->network, text_get(&out));
    text_release(&out);
    return s;
}

static enum status check_fit(const struct tensor_layout *l, const struct tensor_set *s,
                             const struct model_file_request *r)
{
    struct misfits m = {0};
    enum status status = STATUS_OK;

    find_misfits(l, s, &m);
    if (m.missing.count + m.additional.count + m.different.count > 0)
        status = fail_misfits(&m, r);
    misfits_release(&m);
    return status;
}

/* --- the values --- */

static void fill_values(const struct model_values *v, const struct tensor_set *s)
{
    const struct tensor_layout *l = v->layout;

    for (int i = 0; i < l->tensor_count; i++) {
        const struct tensor *t = &l->tensors[i];

        tensor_from_canonical(t, v->state + t->offset, tensor_set_find(s, t->name)->data);
    }
    for (int i = 0; i < l->tracked_count; i++) {
        const struct named_tensor *t = tensor_set_find(s, l->tracked_names[i]);
        const bool is_count = t != NULL && t->is_whole && t->count == 1;

        v->batches_tracked[i] = is_count ? *(const int64_t *)t->data : 0;
    }
}

enum status model_file_load(const struct model_values *v, const struct model_file_request *r)
{
    struct tensor_set s;

    TRY(model_file_tensors(r->path, &s));
    if (r->prefix != NULL)
        remove_prefix(&s, r->prefix);
    const enum status status = check_fit(v->layout, &s, r);
    if (status == STATUS_OK)
        fill_values(v, &s);
    tensor_set_release(&s);
    return status;
}
