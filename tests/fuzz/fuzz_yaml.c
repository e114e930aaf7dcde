/*
 * fuzz_yaml.c - a libFuzzer target: any bytes are refused with a position or become a tree, and a
 * tree that is written is read back as the same tree; also as one of several documents. README.md
 * says how to run it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "conf/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int is_same(const struct node *a, const struct node *b)
{
    if (a->kind != b->kind || a->count != b->count || a->is_null != b->is_null)
        return 0;
    if (a->kind == NODE_SCALAR)
        return strcmp(a->text, b->text) == 0;
    for (int64_t i = 0; i < a->count; i++) {
        if (a->kind == NODE_MAP && strcmp(a->keys[i], b->keys[i]) != 0)
            return 0;
        if (!is_same(a->children[i], b->children[i]))
            return 0;
    }
    return 1;
}

/* A written tree may be longer than its source; beyond the limits it need not be readable. */
static int is_small(const struct text *yaml)
{
    size_t line = 0;

    for (size_t i = 0; i < yaml->length; i++) {
        line = yaml->data[i] == '\n' ? 0 : line + 1;
        if (line >= 65536)
            return 0;
    }
    return yaml->length <= 1 << 20;
}

static void check_round_trip(const struct node *root)
{
    struct text yaml = {0};
    struct node *back = NULL;

    node_write(root, &yaml);
    if (is_small(&yaml)) {
        if (yaml_parse(text_get(&yaml), yaml.length, "written", &back) != STATUS_OK)
            abort();
        if (!is_same(root, back))
            abort();
    }
    node_free(back);
    text_release(&yaml);
}

static int is_parsed(enum status status, struct node *root)
{
    if (status == STATUS_OK)
        check_round_trip(root);
    else if (strncmp(status_message(), "fuzz:", 5) != 0)
        abort();
    node_free(root);
    return status == STATUS_OK;
}

/* What is one document is also what several may be. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *content = (const char *)data;
    struct node *root = NULL, *merged = NULL;
    const enum status one = yaml_parse(content, size, "fuzz", &root);
    const int is_one = is_parsed(one, root);
    const enum status many = yaml_parse_merged(content, size, "fuzz", &merged);
    const int are_many = is_parsed(many, merged);

    if (is_one && !are_many)
        abort();
    return 0;
}
