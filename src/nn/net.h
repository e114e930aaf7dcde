/*
 * net.h - a network as a list of layers with options, before any shape is known.
 *
 * Zoo functions make one, YAML files are read to one, and it is what effective.yaml holds. A
 * residual block is a layer with two inner lists: body and shortcut (empty: identity), added, then
 * ReLU'd if `relu` is set.
 *
 * Names in a net are whole names, unique in it. What is not named gets a short form of its kind and
 * a number: conv1, bn1, dense1, block1. A layer inside a residual block is called after the block:
 * "conv1" in the body of "layer1.0" is "layer1.0.conv1"; an unnamed one in the shortcut
 * "layer1.0.shortcut.conv1".
 *
 * The YAML form is a list. An item is a bare kind, or a map of the kind to its options; `name` is
 * an option of every kind:
 *
 *     - conv2d: {out: 64, kernel: 3, pad: 1, bias: false, name: stem}
 *     - relu
 *     - residual: {name: block1, body: [...], shortcut: [...], relu: true}
 *
 * A file is such a list, or a map `layers: [...]` with an optional `input: CxHxW`, which is the
 * shape that `muster models FILE` shows; training takes the shape of the data.
 */
#ifndef NN_NET_H
#define NN_NET_H

#include "conf/node.h"
#include "nn/layer.h"

enum { NET_LAYERS_MAX = 4096 }; /* in a file, inner lists included */

struct net_layer {
    char *name;                  /* given, or made from the kind and a number: "conv2" */
    bool is_named;               /* given */
    struct choice kind;          /* entry NULL: a residual block */
    struct net *body, *shortcut; /* of a residual block; shortcut NULL: identity */
    bool relu;                   /* of a residual block: ReLU after the sum */
    struct node *where;          /* owned, its position only; NULL: made by code */
};

struct net {
    int count, capacity;
    struct net_layer *layers;
};

struct net *net_new(void);
void net_free(struct net *n);

/*
 * Appends a layer of this kind with default options and answers the options to fill in (NULL when
 * the kind has none). name NULL: made from the kind.
 */
void *net_add(struct net *n, const char *kind, const char *name);

/*
 * Appends a residual block with a ReLU; both lists are taken, and their layers are renamed after
 * the block. shortcut NULL or empty: identity. name NULL: made.
 */
void net_add_residual(struct net *n, const char *name, struct net *body, struct net *shortcut);

/* Layers, inner ones included. */
int64_t net_size(const struct net *n);

/* From and to a list of nodes; what is written is short: no defaults, no made names. */
enum status net_read(const struct node *list, struct net **net);
struct node *net_write(const struct net *n);

/* The network as the text of a file, a layer per line. */
void net_print(const struct net *n, struct shape in, struct text *out);

/* A file of layers. in (may be NULL) gets its `input`, or zeroes when the file says none. */
enum status net_load(const char *path, struct net **net, struct shape *in);

/* The same of a tree that is read already: a list, or a map {layers, input}. */
enum status net_read_file(const struct node *root, struct net **net, struct shape *in);

/* "3x32x32", "32x32" (one channel) or "2" (a vector) to a shape; false when it is none of them. */
bool net_parse_input(const char *text, struct shape *in);

#endif
