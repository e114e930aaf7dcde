/*
 * golden_zoo.h - a network of the zoo, as a golden file describes it.
 */
#ifndef TESTS_GOLDEN_ZOO_H
#define TESTS_GOLDEN_ZOO_H

#include "golden/golden_model.h"
#include "nn/zoo.h"

/* From the records model, shape and outputs of a case. Release the choice after the model. */
static inline enum status golden_zoo_model(const struct golden *g, const char *name,
                                           struct choice *c, enum convolution convolution,
                                           struct model **model)
{
    struct node *section = golden_yaml(g, name, "model");
    const enum status s = choice_read(c, &zoo_registry, section, &(struct choice_place){0});

    node_free(section);
    TRY(s);
    const struct zoo_ops *ops = (const struct zoo_ops *)(const void *)c->entry;
    const struct zoo_request request = {
        .in = golden_shape(golden_get(g, name, "shape")),
        .outputs = (int64_t)golden_get(g, name, "outputs")->numbers[0],
        .options = c->options,
    };
    struct net *net = net_new();
    const enum status built = ops->build(net, &request);
    if (built != STATUS_OK) {
        net_free(net);
        return built;
    }
    return model_new_with(name, net, request.in,
                          &(struct model_options){.convolution = convolution}, model);
}

#endif
