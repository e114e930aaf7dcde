/*
 * trainer_setup.c - the settings of a measured run, where the user leaves them open.
 *
 * Real images are taken where there are some that fit, because the time of a backward pass depends
 * on them: where ReLU and max pooling pass no gradient on, there is nothing to compute.
 */
#include <string.h>

#include "base/mem.h"
#include "bench/trainer.h"
#include "data/dataset.h"
#include "nn/zoo.h"

/* What the model takes and gives. */
struct ends {
    struct shape in;
    int64_t outputs;
    bool has_classes;
    bool is_fixed; /* a network of the user's own: its outputs are what they are */
};

static void put_default(struct node *root, const char *path, const char *value)
{
    if (node_find_path(root, path) == NULL)
        node_put_path(root, path, node_new_scalar(value, "muster bench", 0, 0));
}

static void put_int(struct node *root, const char *path, int64_t value)
{
    char *text = text_format("%lld", (long long)value);

    put_default(root, path, text);
    mem_free(text);
}

/* What a section chooses: its `name`, or the bare name that stands for it; NULL: nothing. */
static const char *chosen_name(const struct node *root, const char *section)
{
    const struct node *n = node_find(root, section);

    if (n != NULL && n->kind == NODE_MAP)
        n = node_find(n, "name");
    return n != NULL && n->kind == NODE_SCALAR ? n->text : NULL;
}

static enum status ends_of_layers(const struct run_config *e, const char *path, struct ends *ends)
{
    struct net *net = NULL;
    struct model *m = NULL;

    TRY(net_load(path, &net, &ends->in));
    if (shape_size(ends->in) == 0) {
        net_free(net);
        return FAIL(STATUS_BAD_INPUT, "%s has no input shape; add the key input, or --data", path);
    }
    TRY(model_new(e->model_name, net, ends->in, &m));
    ends->outputs = shape_size(m->out);
    ends->has_classes = ends->is_fixed = true;
    model_free(m);
    return STATUS_OK;
}

static enum status find_ends(const struct run_config *e, const struct node *root, struct ends *ends)
{
    const struct zoo_ops *zoo = (const struct zoo_ops *)e->model.entry;

    *ends = (struct ends){0};
    if (zoo == NULL)
        return ends_of_layers(e, chosen_name(root, "model"), ends);
    ends->in = zoo->in;
    ends->outputs = zoo->outputs;
    ends->has_classes = strcmp(zoo->loss, "nll") == 0;
    return STATUS_OK;
}

static bool is_here(const char *name, const char *data_dir)
{
    const struct entry *entry = registry_find(&dataset_registry, name);
    char *where = dataset_where((const struct dataset_ops *)(const void *)entry, data_dir);
    const bool found = where != NULL;

    mem_free(where);
    return found;
}

static const char *fitting_data(const struct ends *ends, const char *data_dir)
{
    if (!ends->has_classes)
        return ends->in.channels == 2 ? "rooms" : "sine";
    if (ends->is_fixed && ends->outputs != 10)
        return "noise";
    if (ends->in.is_flat)
        return "noise";
    if (ends->in.channels == 1)
        return is_here("fashion_mnist", data_dir) ? "fashion_mnist" : "figures";
    return ends->in.channels == 3 && is_here("cifar10", data_dir) ? "cifar10" : "noise";
}

static int64_t between(int64_t low, int64_t value, int64_t high)
{
    const int64_t capped = value < high ? value : high;

    return capped > low ? capped : low;
}

/* Generated sets are no larger than a measurement needs. */
static void size_data(struct node *root, const char *name, int64_t batch)
{
    if (text_same_name(name, "figures"))
        put_int(root, "data.train_count", between(4 * batch, 1024, INT64_MAX));
    if (text_same_name(name, "rooms") || text_same_name(name, "sine"))
        put_int(root, "data.train_count", between(4 * batch, 50000, INT64_MAX));
}

static void shape_noise(struct node *root, const struct ends *ends, const struct run_config *e)
{
    const int64_t given = e->data.input_size, memory = 64000000;
    const int64_t height = given > 0 ? given : ends->in.height;
    const int64_t width = given > 0 ? given : ends->in.width;
    const int64_t bytes = between(1, height * width * ends->in.channels, INT64_MAX);

    put_int(root, "data.height", height);
    put_int(root, "data.width", width);
    put_int(root, "data.channels", ends->in.channels);
    put_int(root, "data.classes", ends->outputs);
    put_int(root, "data.train_count", between(2 * e->train.batch_size, memory / bytes, 1024));
}

static enum status fill_in_data(struct node *root, const struct run_config *e)
{
    const char *name = chosen_name(root, "data");
    struct ends ends;

    if (name == NULL || text_same_name(name, "noise")) {
        TRY(find_ends(e, root, &ends));
        if (name == NULL)
            name = fitting_data(&ends, e->data.dir);
        put_default(root, "data.name", name);
        if (text_same_name(name, "noise"))
            shape_noise(root, &ends, e);
    }
    size_data(root, name, e->train.batch_size);
    return STATUS_OK;
}

/* The first reading only looks; the data set's own options are not for it. */
static enum status read_without_data_options(const struct node *root, struct run_config *e)
{
    struct node *copy = node_copy(root);
    const struct node *data = node_find(root, "data");
    struct node *plain = node_new(NODE_MAP, "muster bench", 0, 0);

    for (const struct field *f = data_fields; f->kind != FIELD_KIND_LAST; f++) {
        const struct node *given =
            data != NULL && data->kind == NODE_MAP ? node_find(data, f->name) : NULL;
        if (given != NULL)
            node_put(plain, f->name, node_copy(given));
    }
    node_put(copy, "data", plain);
    const enum status s = run_config_read(e, copy);
    node_free(copy);
    return s;
}

enum status trainer_fill_in(struct node *root)
{
    const char *optimizer = chosen_name(root, "optimizer");
    struct run_config e;

    if (optimizer == NULL || text_same_name(optimizer, "sgd")) {
        put_default(root, "optimizer.lr", "0.005");
        put_default(root, "optimizer.momentum", "0.9");
    }
    put_default(root, "train.threads", "1");
    TRY(read_without_data_options(root, &e));
    const enum status s = fill_in_data(root, &e);
    run_config_release(&e);
    return s;
}
