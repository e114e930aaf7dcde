/*
 * fuzz_net.c - libFuzzer target: any YAML is refused as a network, or is one that is written and
 * read back as the same, and whose plan for an image is refused or made.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "conf/yaml.h"
#include "nn/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The network as text, by way of its nodes. */
static char *text_of(const struct net *n)
{
    struct node *list = net_write(n);
    struct text yaml = {0};
    char *copy;

    node_write(list, &yaml);
    copy = mem_text(text_get(&yaml));
    text_release(&yaml);
    node_free(list);
    return copy;
}

static struct net *read_back(const char *yaml)
{
    struct node *root = NULL;
    struct net *net = NULL;

    if (yaml_parse(yaml, strlen(yaml), "written", &root) != STATUS_OK ||
        net_read_file(root, &net, NULL) != STATUS_OK)
        abort();
    node_free(root);
    return net;
}

static void check_round_trip(const struct net *n)
{
    char *first = text_of(n), *second;
    struct net *back = read_back(first);

    second = text_of(back);
    if (strcmp(first, second) != 0)
        abort();
    net_free(back);
    mem_free(first);
    mem_free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct shape image = {8, 8, 3, false};
    struct node *root = NULL;
    struct net *net = NULL;
    struct model *model = NULL;

    if (yaml_parse((const char *)data, size, "fuzz", &root) == STATUS_OK &&
        net_read_file(root, &net, NULL) == STATUS_OK && net != NULL) {
        check_round_trip(net);
        if (model_new("fuzz", net, image, &model) == STATUS_OK)
            model_free(model);
    }
    node_free(root);
    return 0;
}
