/*
 * models.c - `muster models`: the list of networks, and what one of them is made of.
 *
 * Here: the flags, and making the network that they ask for. Not here: the tables (models_show.c),
 * the networks (nn/zoo/), how a file of layers is read and written (nn/net_read.c, net_write.c).
 */
#include "cli/models.h"

#include <string.h>

#include "cli/list.h"

enum { CLASSES_MAX = 1000000 };

static const struct flag models_flags[] = {
    {"input",   NULL, "CxHxW", "shape of a sample: 3x32x32, 28x28, or 2 for a vector", "Model" },
    {"classes", NULL, "N",     "number of outputs",                                    NULL    },
    {"yaml",    NULL, NULL,    "print the network as a file that --model reads",       "Output"},
    {"json",    NULL, NULL,    "print one JSON object",                                NULL    },
    {NULL,      NULL, NULL,    NULL,                                                   NULL    },
};

static const struct registry *const models_registries[] = {&zoo_registry, NULL};

static const struct flags_spec models_spec = {
    .command = "models",
    .usage = "muster models [NAME | FILE.yaml] [options]",
    .intro = "Without NAME: lists the networks. With NAME: shows its layers, tensors, "
             "parameters,\nfloating-point operations and memory. FILE.yaml is a network as a list "
             "of layers.",
    .examples = "muster models\n"
                "muster models lenet5\n"
                "muster models mlp --model.widths 512,256 --input 3x32x32\n"
                "muster models lenet5 --yaml > net.yaml",
    .flags = models_flags,
    .registries = models_registries,
    .positional_max = 1,
};

static bool is_file(const char *name)
{
    const size_t n = strlen(name);

    return (n > 5 && strcmp(name + n - 5, ".yaml") == 0) ||
           (n > 4 && strcmp(name + n - 4, ".yml") == 0);
}

/* Leaves `in` and `outputs` as they are when the flags do not say. */
static enum status read_sizes(const struct flags *f, struct shape *in, int64_t *outputs)
{
    const char *input = flags_value(f, "input"), *classes = flags_value(f, "classes");

    if (input != NULL && !net_parse_input(input, in))
        return FAIL(STATUS_BAD_INPUT, "--input: \"%s\" is not a shape such as 3x32x32, 28x28 or 2",
                    input);
    if (classes != NULL &&
        (!text_to_int(classes, outputs) || *outputs < 1 || *outputs > CLASSES_MAX))
        return FAIL(STATUS_BAD_INPUT, "--classes: \"%s\" is not a whole number in [1, %d]", classes,
                    CLASSES_MAX);
    return STATUS_OK;
}

static enum status check_file_flags(const struct flags *f, const char *path)
{
    const struct node *options = node_find(f->tree, "model");

    if (flags_value(f, "classes") != NULL)
        return FAIL(STATUS_BAD_INPUT,
                    "--classes: cannot be set for %s; its last layer decides the number of outputs",
                    path);
    if (options != NULL && options->kind == NODE_MAP && options->count > 0)
        return node_fail(options->children[0], "a file of layers (%s) has no options", path);
    return STATUS_OK;
}

/* Layers are shown as the net has them, not as they are joined for speed. */
static const struct model_options as_written = {.no_fusion = true};

static enum status make_from_file(struct models_view *v, const struct flags *f, const char *path)
{
    struct net *net = NULL;
    struct shape in = {0};
    int64_t unused = 0;

    TRY(check_file_flags(f, path));
    TRY(net_load(path, &net, &in));
    enum status s = read_sizes(f, &in, &unused);

    if (s == STATUS_OK && shape_size(in) == 0)
        s = FAIL(STATUS_BAD_INPUT,
                 "%s has no input shape; add --input CxHxW, or the key input to the file", path);
    if (s != STATUS_OK) {
        net_free(net);
        return s;
    }
    return model_new_with(path, net, in, &as_written, &v->model);
}

static enum status make_chosen(struct models_view *v, const struct flags *f,
                               const struct choice *choice)
{
    struct net *net = NULL;

    v->zoo = (const struct zoo_ops *)choice->entry;
    struct shape in = v->zoo->in;
    int64_t outputs = v->zoo->outputs;

    TRY(read_sizes(f, &in, &outputs));
    TRY(zoo_build(choice, in, outputs, &net));
    return model_new_with(choice->entry->name, net, in, &as_written, &v->model);
}

static enum status make_from_zoo(struct models_view *v, const struct flags *f, const char *name)
{
    const struct node *given = node_find(f->tree, "model");
    struct node *section = given != NULL && given->kind == NODE_MAP
                               ? node_copy(given)
                               : node_new(NODE_MAP, "muster models", 0, 0);
    const struct choice_place place = {0};
    struct choice choice = {0};

    node_put(section, "name", node_new_scalar(name, "muster models", 0, 0));
    enum status s = flags_check_entries(f, &zoo_registry, name);

    if (s == STATUS_OK)
        s = choice_read(&choice, &zoo_registry, section, &place);
    if (s == STATUS_OK)
        s = make_chosen(v, f, &choice);
    choice_release(&choice);
    node_free(section);
    return s;
}

static enum status show_one(const struct flags *f, const char *name)
{
    struct models_view v = {0};
    struct text out = {0};

    if (is_file(name))
        TRY(make_from_file(&v, f, name));
    else
        TRY(make_from_zoo(&v, f, name));
    if (flags_has(f, "json"))
        models_json(&out, &v);
    else if (flags_has(f, "yaml"))
        net_print(v.model->net, v.model->in, &out);
    else
        models_table(&out, &v);
    command_print(text_get(&out));
    text_release(&out);
    model_free(v.model);
    return STATUS_OK;
}

/* Adds one network of the list, to the table or to the JSON. */
static enum status list_one(struct text *out, struct json *j, const struct entry *entry,
                            const struct flags *f)
{
    struct models_view v = {0};

    TRY(make_from_zoo(&v, f, entry->name));
    if (flags_has(f, "json")) {
        json_open_map(j, NULL);
        models_json_summary(j, &v);
        json_close_map(j);
    } else {
        models_row(out, &v);
    }
    model_free(v.model);
    return STATUS_OK;
}

static enum status list_all(const struct flags *f, struct text *out)
{
    const bool as_json = flags_has(f, "json");
    struct json j;

    if (flags_value(f, "input") != NULL || flags_value(f, "classes") != NULL ||
        flags_has(f, "yaml") || node_find(f->tree, "model") != NULL)
        return FAIL(STATUS_BAD_INPUT,
                    "this flag needs the name of a network: muster models NAME [options]");
    json_init(&j, out);
    if (as_json) {
        json_open_map(&j, NULL);
        json_open_list(&j, "models");
    } else {
        models_list_heading(out);
    }
    for (int i = 0; zoo_registry.entries[i] != NULL; i++)
        TRY(list_one(out, &j, zoo_registry.entries[i], f));
    if (as_json) {
        json_close_list(&j);
        json_close_map(&j);
        text_add(out, "\n");
    } else {
        text_add(out, "\nmuster models NAME shows the layers of one.\n");
    }
    return STATUS_OK;
}

static enum status show_list(const struct flags *f)
{
    struct text out = {0};
    const enum status s = list_all(f, &out);

    if (s == STATUS_OK)
        command_print(text_get(&out));
    text_release(&out);
    return s;
}

static enum status models_parsed(const struct flags *f)
{
    return f->positional_count == 0 ? show_list(f) : show_one(f, f->positional[0]);
}

static enum status models_run(int argc, char **argv)
{
    return command_run(&models_spec, argc, argv, models_parsed);
}

const struct command models_command = {
    .name = "models",
    .summary = "list the networks, or show the layers of one",
    .flags = &models_spec,
    .run = models_run,
};
