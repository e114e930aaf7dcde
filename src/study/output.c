/*
 * output.c - reading the section `output`.
 */
#include "study/output.h"

static const char *const results_names[] = {"none", "named", "numbered", NULL};

const struct field output_fields[] = {
    FIELD_TEXT(struct study_output, dir, "runs",
               "parent of the experiment's folder; --out names the folder itself"),
    FIELD_BOOL(struct study_output, write, true,
               "keep the files; false: use a temporary folder and remove it"),
    FIELD_CHOICE(struct study_output, results, "none", results_names,
                 "also write the evaluations of each finished run to the experiment's folder, for "
                 "torch.load: <run>_results.pt, or 0_results.pt, 1_results.pt, ..."),
    FIELD_LAST,
};

enum status output_read(struct study_output *o, const struct node *root)
{
    const struct fields_place place = {.owner = "output", .path = "output"};
    const struct node *section = node_find(root, "output");

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
