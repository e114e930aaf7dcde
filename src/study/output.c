/*
 * output.c - reading the section `output`, in which a study and its runs have keys.
 */
#include "study/output.h"

#include <string.h>

#include "base/mem.h"
#include "train/run_config.h"

static const char *const maps_names[] = {"none", "last", "all", NULL}; /* enum output_maps */
static const char *const results_names[] = {"none", "named", "numbered", NULL};

const struct field output_fields[] = {
    FIELD_TEXT(struct study_output, dir, "runs",
               "parent of the experiment's folder; --out names the folder itself"),
    FIELD_BOOL(struct study_output, write, true,
               "keep the files; false: use a temporary folder and remove it"),
    FIELD_CHOICE(struct study_output, results, "none", results_names,
                 "also write the evaluations of each finished run to the experiment's folder, for "
                 "torch.load: <run>_results.pt, or 0_results.pt, 1_results.pt, ..."),
    FIELD_INT(struct study_output, results_batch, 0, 0, 1e12,
              "validation_loss in these files is the mean loss times the number of batches of this "
              "size, as in S001's lidar experiments; 0: the mean loss"),
    FIELD_CHOICE(struct study_output, results_maps, "none", maps_names,
                 "maps of robots in these files, as mesh_grid_density: none, the last, or all of "
                 "maps.bin"),
    FIELD_TEXT(struct study_output, models, NULL,
               "also write the final models of all workers of each finished run, for torch.load: "
               "<run>_models.pt; all, or a list of names in `runs` with commas"),
    FIELD_LAST,
};

/* --- what is the runs' --- */

bool output_is_about_study(const struct node *section)
{
    bool found = section != NULL && !section->is_null && section->kind != NODE_MAP;

    for (int64_t i = 0; section != NULL && section->kind == NODE_MAP && i < section->count; i++)
        found = found || fields_find(run_output_fields, section->keys[i]) == NULL;
    return found;
}

void output_keep_for_runs(struct node *root)
{
    struct node *section = node_find(root, "output");

    for (int64_t i = section == NULL ? -1 : section->count - 1; i >= 0; i--)
        if (section->kind == NODE_MAP && fields_find(run_output_fields, section->keys[i]) == NULL)
            node_remove(section, section->keys[i]);
    if (section != NULL && (section->kind != NODE_MAP || section->count == 0))
        node_remove(root, "output");
}

/* --- what is the study's --- */

char *output_next_name(const char **list)
{
    const char *begin = *list + strspn(*list, ", ");
    size_t length = strcspn(begin, ",");

    *list = begin + length;
    while (length > 0 && begin[length - 1] == ' ')
        length--;
    return length == 0 ? NULL : mem_text_n(begin, length);
}

bool output_wants_models(const struct study_output *o, const char *entry)
{
    const char *rest = o->models;
    bool found = rest != NULL && strcmp(rest, OUTPUT_MODELS_ALL) == 0;

    while (rest != NULL && entry != NULL && !found) {
        char *name = output_next_name(&rest);

        found = name != NULL && strcmp(name, entry) == 0;
        rest = name == NULL ? NULL : rest;
        mem_free(name);
    }
    return found;
}

enum status output_read(struct study_output *o, const struct node *root)
{
    const char *of_runs[8] = {NULL};
    const struct fields_place place = {.owner = "output", .path = "output", .skip = of_runs};
    const struct node *section = node_find(root, "output");

    for (int i = 0; run_output_fields[i].kind != FIELD_KIND_LAST && i < 7; i++)
        of_runs[i] = run_output_fields[i].name;

    fields_default(output_fields, o);
    if (node_is_null(section))
        return STATUS_OK;
    enum status s = section->kind == NODE_MAP
                        ? fields_read(output_fields, o, section, &place)
                        : node_fail(section, "output: expected a map with dir and write");
    if (s == STATUS_OK && o->dir[0] == '\0')
        s = node_fail_key(node_find(section, "dir"), "output", "dir",
                          "the name of the folder is empty");
    if (s != STATUS_OK)
        output_release(o);
    return s;
}

void output_release(struct study_output *o)
{
    fields_release(output_fields, o);
}
