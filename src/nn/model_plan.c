/*
 * model_plan.c - from a net to a model: layers with shapes, and the table of tensors.
 *
 * A residual block becomes its body's layers, its shortcut's, an add and, if asked for, a ReLU. The
 * first two bring whole names from the net ("layer1.0.conv1"); the last two are named after the
 * block ("layer1.0.add", "layer1.0.add_relu").
 *
 * Not here: where activations lie (model_memory.c), passes (model_pass.c).
 */
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "nn/fuse.h"
#include "nn/list.h"
#include "nn/model_memory.h"

/* Layers that a net becomes: residual blocks give up to two of their own. */
static int count_layers(const struct net *n)
{
    int count = 0;

    for (int i = 0; n != NULL && i < n->count; i++)
        count += 2 + count_layers(n->layers[i].body) + count_layers(n->layers[i].shortcut);
    return count;
}

/* The message of the failure again, after the layer's place in its file. */
static enum status fail_at(const struct node *where, enum status s)
{
    char *message;

    if (s == STATUS_OK || where == NULL)
        return s;
    message = mem_text(status_message());
    s = node_fail(where, "%s", message);
    mem_free(message);
    return s;
}

static struct shape shape_of_value(const struct model *m, int value)
{
    return value < 0 ? m->in : m->layers[value].out;
}

static enum status check_name(const struct model *m, const char *name)
{
    for (int i = 0; i < m->layer_count; i++)
        if (strcmp(m->layers[i].name, name) == 0)
            return FAIL(STATUS_BAD_INPUT, "two layers are named %s; names must differ", name);
    return STATUS_OK;
}

/* Appends a layer that reads as many values as its kind does; takes the name. */
static enum status append_layer(struct model *m, char *name, const struct choice *kind,
                                const int *inputs)
{
    const enum status named = check_name(m, name);
    const struct layer_ops *ops = (const struct layer_ops *)(const void *)kind->entry; /* first */
    struct layer *l = &m->layers[m->layer_count];

    *l = (struct layer){
        .ops = ops,
        .kind = ops,
        .options = kind->options,
        .name = name,
        .index = m->layer_count,
        .is_exact = m->options.convolution == CONVOLUTION_DIRECT,
    };
    m->layer_count++; /* from here on model_free frees it */
    TRY(named);
    l->input_count = l->ops->input_count;
    for (int s = 0; s < l->input_count; s++) {
        l->inputs[s] = inputs[s];
        l->in[s] = shape_of_value(m, inputs[s]);
    }
    TRY(l->ops->plan(l));
    l->scratch_per_thread = model_memory_round(l->scratch_per_thread);
    return STATUS_OK;
}

static enum status expand_net(struct model *m, const struct net *n, int *value);

static enum status expand_residual(struct model *m, const struct net_layer *from, int *value)
{
    const struct choice add = {.entry = &add_layer.entry}, relu = {.entry = &relu_layer.entry};
    int ends[LAYER_INPUTS_MAX] = {*value, *value}; /* of the body and of the shortcut */

    if (from->body != NULL)
        TRY(expand_net(m, from->body, &ends[0]));
    if (from->shortcut != NULL)
        TRY(expand_net(m, from->shortcut, &ends[1]));
    TRY(fail_at(from->where, append_layer(m, text_format("%s.add", from->name), &add, ends)));
    *value = m->layer_count - 1;
    if (!from->relu)
        return STATUS_OK;
    TRY(fail_at(from->where,
                append_layer(m, text_format("%s.add_relu", from->name), &relu, value)));
    *value = m->layer_count - 1;
    return STATUS_OK;
}

static enum status expand_layer(struct model *m, const struct net_layer *from, int *value)
{
    const struct layer_ops *ops = (const struct layer_ops *)(const void *)from->kind.entry;

    if (ops == NULL)
        return expand_residual(m, from, value);
    if (ops->input_count != 1)
        return fail_at(from->where,
                       FAIL(STATUS_BAD_INPUT, "%s (%s): takes two inputs; use a residual block",
                            from->name, ops->entry.name));
    TRY(fail_at(from->where, append_layer(m, mem_text(from->name), &from->kind, value)));
    *value = m->layer_count - 1;
    return STATUS_OK;
}

/* Appends the layers of a list; *value is the layer whose output it begins from and ends with. */
static enum status expand_net(struct model *m, const struct net *n, int *value)
{
    for (int i = 0; i < n->count; i++)
        TRY(expand_layer(m, &n->layers[i], value));
    return STATUS_OK;
}

/* --- tensors --- */

/* Gives the tensors of one group (buffers or not) their places and rows in the table. */
static void place_tensors(struct model *m, bool buffers)
{
    for (int i = 0; i < m->layer_count; i++) {
        struct layer *l = &m->layers[i];
        for (int t = 0; t < l->tensor_count; t++) {
            struct tensor *tensor = &l->tensors[t];
            if ((tensor->kind == TENSOR_BUFFER) != buffers)
                continue;
            tensor->offset = m->state_count;
            m->state_count += tensor->count;
            m->tensors[m->tensor_count++] = *tensor; /* the name stays the layer's */
        }
    }
}

/* A layer counts its batches once, under the name that PyTorch has for it. */
static void name_tracked(struct model *m)
{
    int count = 0;

    m->tracked_names = MEM_NEW_N(char *, m->tracked_count);
    for (int i = 0; i < m->layer_count; i++)
        for (int t = 0; t < m->layers[i].tracked_count; t++)
            m->tracked_names[count++] = text_format("%s.num_batches_tracked", m->layers[i].name);
}

static void make_table(struct model *m)
{
    int count = 0;

    for (int i = 0; i < m->layer_count; i++) {
        count += m->layers[i].tensor_count;
        m->tracked_count += m->layers[i].tracked_count;
    }
    m->tensors = MEM_NEW_N(struct tensor, count);
    place_tensors(m, false);
    m->param_count = m->state_count;
    place_tensors(m, true);
    name_tracked(m);
}

/* Backward costs the product by the weights, and by the input where somebody wants that. */
static void count_flops(struct model *m)
{
    for (int i = 0; i < m->layer_count; i++) {
        const bool wanted = m->memory->layers[i].inputs[0].is_wanted;
        m->flops_forward += m->layers[i].flops;
        m->layers[i].flops_backward = m->layers[i].flops * (wanted ? 2 : 1);
        m->flops_training += m->layers[i].flops + m->layers[i].flops_backward;
    }
}

static enum status plan_net(struct model *m)
{
    int value = -1;

    if (shape_size(m->in) < 1)
        return FAIL(STATUS_BAD_INPUT, "%s: the input is empty", m->name);
    TRY(expand_net(m, m->net, &value));
    if (m->layer_count == 0)
        return FAIL(STATUS_BAD_INPUT, "%s: the network has no layers", m->name);
    m->out = m->layers[m->layer_count - 1].out;
    fuse_layers(m);
    make_table(m);
    m->memory = model_memory_new(m);
    count_flops(m);
    return STATUS_OK;
}

enum status model_new(const char *name, struct net *net, struct shape in, struct model **model)
{
    return model_new_with(name, net, in, NULL, model);
}

enum status model_new_with(const char *name, struct net *net, struct shape in,
                           const struct model_options *options, struct model **model)
{
    struct model *m = MEM_NEW(struct model);
    enum status s;

    m->name = mem_text(name);
    if (options != NULL)
        m->options = *options;
    m->net = net;
    m->in = in;
    m->layers = MEM_NEW_N(struct layer, count_layers(net));
    s = plan_net(m);
    if (s != STATUS_OK) {
        model_free(m);
        m = NULL;
    }
    *model = m;
    return s;
}

void model_free(struct model *m)
{
    if (m == NULL)
        return;
    for (int i = 0; i < m->layer_count; i++) {
        for (int t = 0; t < m->layers[i].tensor_count; t++)
            mem_free(m->layers[i].tensors[t].name);
        mem_free(m->layers[i].name);
    }
    for (int i = 0; m->tracked_names != NULL && i < m->tracked_count; i++)
        mem_free(m->tracked_names[i]);
    mem_free(m->tracked_names);
    model_memory_free(m->memory);
    mem_free(m->layers);
    mem_free(m->tensors);
    net_free(m->net);
    mem_free(m->name);
    mem_free(m);
}

struct tensor_layout model_layout(const struct model *m)
{
    return (struct tensor_layout){
        .param_count = m->param_count,
        .state_count = m->state_count,
        .tensor_count = m->tensor_count,
        .tensors = m->tensors,
        .tracked_count = m->tracked_count,
        .tracked_names = (const char *const *)m->tracked_names,
    };
}

const struct tensor *model_find_tensor(const struct model *m, const char *name)
{
    for (int i = 0; i < m->tensor_count; i++)
        if (strcmp(m->tensors[i].name, name) == 0)
            return &m->tensors[i];
    return NULL;
}
