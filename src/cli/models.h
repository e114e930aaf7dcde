/*
 * models.h - what the two files of `muster models` share.
 */
#ifndef CLI_MODELS_H
#define CLI_MODELS_H

#include "base/json.h"
#include "nn/model.h"
#include "nn/zoo.h"

/* One network to show. */
struct models_view {
    struct model *model;
    const struct zoo_ops *zoo; /* NULL: from a file */
};

/* The whole of a network: its layers and totals. */
void models_table(struct text *out, const struct models_view *v);
void models_json(struct text *out, const struct models_view *v);

/* The list's first line, a network's line in it, and its keys in the list's JSON. */
void models_list_heading(struct text *out);
void models_row(struct text *out, const struct models_view *v);
void models_json_summary(struct json *j, const struct models_view *v);

#endif
