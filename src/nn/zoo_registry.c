/*
 * zoo_registry.c - look-up in the list of networks (zoo_list.h), and building one of them.
 */
#include "base/check.h"
#include "nn/zoo_list.h"

#define ZOO_ENTRY(symbol) &symbol.entry,
static const struct entry *const entries[] = {ZOO_LIST(ZOO_ENTRY) NULL};
#undef ZOO_ENTRY

const struct registry zoo_registry = {.what = "model", .section = "model", .entries = entries};

enum status zoo_build(const struct choice *choice, struct shape in, int64_t outputs,
                      struct net **net)
{
    /* entry is the first member of struct zoo_ops. */
    const struct zoo_ops *ops = (const struct zoo_ops *)choice->entry;
    const struct zoo_request request = {.in = in, .outputs = outputs, .options = choice->options};

    CHECK(ops != NULL && outputs >= 1);
    *net = net_new();
    const enum status s = ops->build(*net, &request);

    if (s != STATUS_OK) {
        net_free(*net);
        *net = NULL;
    }
    return s;
}
