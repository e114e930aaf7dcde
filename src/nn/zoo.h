/*
 * zoo.h - the networks of the studies, by name. One function each, that lists the layers.
 *
 * All networks for classes end in logits: log_softmax is part of the loss.
 */
#ifndef NN_ZOO_H
#define NN_ZOO_H

#include "nn/net.h"

struct zoo_request {
    struct shape in;
    int64_t outputs;     /* classes, or numbers per target */
    const void *options; /* of the entry's fields */
};

/* Adding a network: its file (or function) with one of these, and its line in zoo_list.h. */
struct zoo_ops {
    struct entry entry;
    struct shape in; /* of the study: what `muster models NAME` shows */
    int64_t outputs;
    const char *normalize; /* the study's normalisation, default of --normalize: "none", "set",
                              or means and deviations "M,S", "M,M,M,S,S,S" */
    const char *loss;      /* default of problem.loss: "nll", "bce" */
    bool any_input; /* takes any shape (mlp, ResNets); else height and width default to `in` */
    enum status (*build)(struct net *net, const struct zoo_request *request);
};

extern const struct registry zoo_registry;

/* A new net of the chosen entry of zoo_registry. */
enum status zoo_build(const struct choice *choice, struct shape in, int64_t outputs,
                      struct net **net);

#endif
