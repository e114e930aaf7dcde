/*
 * landscape_options.c - see landscape_options.h.
 */
#include "study/landscape_options.h"

#include <string.h>

#include "study/landscape.h"
#include "study/settings.h"

const struct field landscape_fields[] = {
    FIELD_INT(struct landscape_options, grid, LANDSCAPE_GRID_DEFAULT, 2, LANDSCAPE_GRID_MAX,
              "points along each side of the grid"),
    FIELD_INT(struct landscape_options, samples, 0, 0, 1e9,
              "test samples to measure the loss on, in blocks of 64 (0: all)"),
    FIELD_CHOICE(struct landscape_options, directions, "pca", landscape_direction_names,
                 "the plane: of most variance of the snapshots, or random"),
    FIELD_INT(struct landscape_options, seed, 1, 0, 1e9,
              "seed of random directions, also of those for the sharpness"),
    FIELD_BOOL(struct landscape_options, sharpness, false,
               "measure how sharp the minima are, of all finished runs"),
    FIELD_LAST,
};

static enum status read_section(struct landscape_options *o, const struct node *section,
                                const char *path)
{
    const struct fields_place place = {.owner = "landscape", .path = path};

    if (section == NULL)
        return STATUS_OK;
    if (section->kind != NODE_MAP)
        return node_fail(section, "%s: expected a map, such as {grid: 25}", path);
    o->is_wanted = true;
    return fields_read(landscape_fields, o, section, &place);
}

enum status landscape_options_read(struct landscape_options *o, const struct node *root,
                                   bool is_quick)
{
    const struct node *quick = node_find(root, "quick");
    const struct node *own =
        quick == NULL || quick->kind != NODE_MAP ? NULL : node_find(quick, "landscape");
    struct landscape_options with_quick;

    *o = (struct landscape_options){0};
    fields_default(landscape_fields, o);
    TRY(read_section(o, node_find(root, "landscape"), "landscape"));
    with_quick = *o;
    TRY(read_section(&with_quick, own, "quick.landscape"));
    if (is_quick)
        *o = with_quick;
    return STATUS_OK;
}

/* --- the runs --- */

static bool is_same(const struct node *a, const struct node *b, const char *path)
{
    return settings_same(node_find_path(a, path), node_find_path(b, path));
}

static enum status check_run(const struct study_run *run, const struct node *its,
                             const struct node *first, const struct node *section)
{
    const struct node *saves = node_find_path(its, "train.saves_per_epoch");

    if (saves == NULL || strcmp(saves->text, "0") == 0)
        return node_fail(
            section, "landscape: run %s writes no snapshots; set train.saves_per_epoch", run->name);
    if (!is_same(its, first, "model") || !is_same(its, first, "data.name"))
        return node_fail(section,
                         "landscape: run %s has another network or data set than the first one; a "
                         "landscape needs the same for all runs",
                         run->name);
    return STATUS_OK;
}

enum status landscape_options_check(const struct study *s, const struct node *section)
{
    struct node *first = NULL;
    enum status status = STATUS_OK;

    for (int64_t i = 0; i < s->count && status == STATUS_OK; i++) {
        struct node *its = NULL;

        if (s->runs[i].is_left_out)
            continue;
        status = settings_effective(&s->runs[i], &its);
        if (status == STATUS_OK)
            status = check_run(&s->runs[i], its, first == NULL ? its : first, section);
        if (first == NULL)
            first = its;
        else
            node_free(its);
    }
    node_free(first);
    return status;
}
