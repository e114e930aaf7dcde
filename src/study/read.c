/*
 * read.c - an experiment file to the canonical tree.
 *
 * Here: reading, and telling layouts apart. Not here: what the keys mean (train/experiment.c).
 */
#include "base/file.h"
#include "conf/yaml.h"
#include "study/study.h"

enum { FILE_LIMIT = 1 << 20 };

enum status study_read(const char *path, struct text *given, struct node **root)
{
    *root = NULL;
    TRY(file_read(path, FILE_LIMIT, given));
    TRY(yaml_parse(given->data, given->length, path, root));
    if ((*root)->kind == NODE_MAP)
        return STATUS_OK;
    const enum status s = node_fail(*root, "an experiment file holds a map");
    node_free(*root);
    *root = NULL;
    return s;
}
