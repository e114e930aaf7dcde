/*
 * scale_axes.c - lists of numbers of workers, algorithms, partitions and networks.
 */
#include "cli/scale_axes.h"

#include <string.h>

#include "algo/algo.h"
#include "base/check.h"
#include "base/mem.h"
#include "cli/train_flags.h"
#include "data/partition.h"
#include "nn/zoo.h"
#include "train/experiment.h"

/* `usual` stands where nothing is named; a registry that has an own fallback needs none. */
struct axis_kind {
    const char *flag, *path;
    const struct registry *registry; /* NULL: numbers */
    const char *usual;
};

/* In the order of enum scale_axis_name. */
static const struct axis_kind kinds[SCALE_AXES] = {
    {"--model",     "model.name",        &zoo_registry,       NULL  },
    {"--partition", "partition.name",    &partition_registry, NULL  },
    {"--algorithm", "algorithm.name",    &algo_registry,      "sync"}, /* with one worker too */
    {"--workers",   "transport.workers", NULL,                NULL  },
};

/* --- one list --- */

static void axis_add(struct scale_axis *a, char *value)
{
    a->values = mem_resize(a->values, a->count, a->count + 1, sizeof *a->values);
    a->values[a->count++] = value;
}

static enum status check_number(const struct node *n, const char *value)
{
    const struct field *field = fields_find(transport_fields, "workers");
    int64_t number = 0;

    if (!text_to_int(value, &number) || number < 1 || (double)number > field->max)
        return node_fail(n, "\"%s\" is not a whole number from 1 to %.0f; a list is 1,2,4,8", value,
                         field->max);
    return STATUS_OK;
}

/* A network may also be a file of layers, which the run itself reads. */
static enum status check_name(const struct node *n, const struct registry *r, const char *value)
{
    const struct entry *entry = NULL;

    if (r == &zoo_registry && strpbrk(value, "./") != NULL)
        return STATUS_OK;
    return registry_get(r, value, n, &entry);
}

static enum status check_value(const struct scale_axis *a, const struct axis_kind *kind,
                               const struct node *n)
{
    const char *value = a->values[a->count - 1];

    if (value[0] == '\0')
        return node_fail(n, "\"%s\" has an empty place; a list is %s", n->text,
                         kind->registry == NULL ? "1,2,4,8" : "NAME,NAME");
    for (int64_t i = 0; i < a->count - 1; i++)
        if (text_same_name(a->values[i], value))
            return node_fail(n, "\"%s\" has %s twice", n->text, value);
    return kind->registry == NULL ? check_number(n, value) : check_name(n, kind->registry, value);
}

static enum status read_list(struct scale_axis *a, const struct axis_kind *kind,
                             const struct node *n)
{
    const char *at = n->text;

    for (;;) {
        const size_t length = strcspn(at, ",");

        axis_add(a, mem_text_n(at, length));
        TRY(check_value(a, kind, n));
        if (at[length] == '\0')
            return STATUS_OK;
        at += length + 1;
    }
}

static enum status read_axis(struct scale_axis *a, const struct axis_kind *kind,
                             const struct node *root)
{
    const struct node *n = node_find_path(root, kind->path);

    if (n != NULL)
        return read_list(a, kind, n);
    if (kind->registry == NULL)
        return FAIL(STATUS_BAD_INPUT, "%s: which numbers of workers? For example %s 1,2,4,8",
                    kind->flag, kind->flag);
    axis_add(a, mem_text(kind->usual != NULL ? kind->usual : experiment_fallback(kind->registry)));
    return STATUS_OK;
}

/* --- flags of single entries: "--local-sgd.period" --- */

static const struct scale_axis *axis_of(const struct scale_axes *a, const struct registry *r)
{
    for (int i = 0; i < SCALE_AXES; i++)
        if (kinds[i].registry == r)
            return &a->axes[i];
    return NULL;
}

static bool axis_has(const struct scale_axis *a, const char *value)
{
    for (int64_t i = 0; i < a->count; i++)
        if (text_same_name(a->values[i], value))
            return true;
    return false;
}

static enum status check_listed(const struct flags *f, const struct registry *r,
                                const struct scale_axis *a)
{
    for (int64_t i = 0; i < f->entry_flags->count; i++) {
        const struct node *item = f->entry_flags->children[i];
        const char *entry = node_find(item, "entry")->text;

        if (strcmp(node_find(item, "section")->text, r->section) == 0 && !axis_has(a, entry))
            return node_fail(item, "this is an option of %s %s, which is not listed", r->what,
                             entry);
    }
    return STATUS_OK;
}

static enum status check_entries(const struct scale_axes *a, const struct flags *f,
                                 const struct node *root)
{
    for (int i = 0; experiment_registries[i] != NULL; i++) {
        const struct registry *r = experiment_registries[i];
        const struct scale_axis *axis = axis_of(a, r);

        TRY(axis != NULL ? check_listed(f, r, axis)
                         : flags_check_entries(f, r, train_chosen(root, r)));
    }
    return STATUS_OK;
}

enum status scale_axes_read(struct scale_axes *a, const struct flags *f, const struct node *root)
{
    for (int i = 0; i < SCALE_AXES; i++)
        TRY(read_axis(&a->axes[i], &kinds[i], root));
    return check_entries(a, f, root);
}

void scale_axes_release(struct scale_axes *a)
{
    for (int i = 0; i < SCALE_AXES; i++) {
        for (int64_t k = 0; k < a->axes[i].count; k++)
            mem_free(a->axes[i].values[k]);
        mem_free(a->axes[i].values);
    }
    *a = (struct scale_axes){0};
}

/* --- combinations --- */

int64_t scale_axes_count(const struct scale_axes *a)
{
    int64_t count = 1;

    for (int i = 0; i < SCALE_AXES; i++)
        count *= a->axes[i].count;
    return count;
}

void scale_axes_at(const struct scale_axes *a, int64_t index, int64_t at[SCALE_AXES])
{
    for (int i = SCALE_AXES - 1; i >= 0; i--) {
        at[i] = index % a->axes[i].count;
        index /= a->axes[i].count;
    }
}

const char *scale_axes_value(const struct scale_axes *a, enum scale_axis_name axis, int64_t at)
{
    CHECK(a->axes[axis].values != NULL && at >= 0 && at < a->axes[axis].count);
    return a->axes[axis].values[at];
}

/* Whether an option of a section is another entry's: named so, or none of the chosen one's. */
static bool is_of_another(const struct scale_axis *axis, const struct registry *r,
                          const char *chosen, const char *option)
{
    const struct entry *own = registry_find(r, chosen);

    if (own == NULL || fields_find(own->fields, option) != NULL)
        return false;
    for (int64_t i = 0; i < axis->count; i++) {
        const struct entry *e = registry_find(r, axis->values[i]);
        if (e != NULL && fields_find(e->fields, option) != NULL)
            return true;
    }
    return false;
}

static void drop_named(struct node *section, const struct flags *f, const struct registry *r,
                       const char *chosen)
{
    for (int64_t i = 0; i < f->entry_flags->count; i++) {
        const struct node *item = f->entry_flags->children[i];

        if (strcmp(node_find(item, "section")->text, r->section) == 0 &&
            !text_same_name(node_find(item, "entry")->text, chosen))
            node_remove(section, strchr(node_find(item, "flag")->text, '.') + 1);
    }
}

static void drop_others(struct node *root, const struct flags *f, const struct registry *r,
                        const struct scale_axis *axis, const char *chosen)
{
    struct node *section = node_find(root, r->section);

    if (section == NULL || section->kind != NODE_MAP)
        return;
    drop_named(section, f, r, chosen);
    for (int64_t i = section->count - 1; i >= 0; i--)
        if (is_of_another(axis, r, chosen, section->keys[i]))
            node_remove(section, section->keys[i]);
}

struct node *scale_axes_experiment(const struct scale_axes *a, const struct flags *f,
                                   const struct node *root, const int64_t at[SCALE_AXES])
{
    struct node *experiment = node_copy(root);

    for (int i = 0; i < SCALE_AXES; i++) {
        const char *value = scale_axes_value(a, (enum scale_axis_name)i, at[i]);

        if (kinds[i].registry != NULL)
            drop_others(experiment, f, kinds[i].registry, &a->axes[i], value);
        node_put_path(experiment, kinds[i].path, node_new_scalar(value, kinds[i].flag, 0, 0));
    }
    return experiment;
}
