/*
 * data.c - `muster data list` and `muster data show NAME`: the data sets there are, and one of them
 * looked at: counts per class, mean and deviation, and a few samples.
 *
 * Not here: reading and generating them (data/), the samples (data_samples.c, data_sheet.c), and
 * the verbs get, verify (data_get.c), make (data_make.c) and partition (data_partition.c).
 */
#include "cli/data.h"

#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "cli/data_samples.h"
#include "cli/list.h"
#include "data/gather.h"

#define PNG_BEGINNING "\x89PNG"

enum { CHANNELS_SHOWN = 16 };

static const struct flag data_flags[] = {
    {"data-dir", NULL,           "DIR",  "where to look for data sets",                                    "Data"  },
    {"classes",  "data.classes", "N",
     "imagenet32, imagenet64: use only the images of the first N classes (0: all)",                        NULL    },
    {"count",    NULL,           "N",    "number of samples to show (6, or 36 in a picture)",              NULL    },
    {"split",    NULL,           "PART", "part of the data set to show samples of: train or test (train)", NULL    },
    {"seed",     NULL,           "N",
     "show random samples, chosen by this seed (the first ones, or some of each class where the "
     "classes follow one another)",                                                                        NULL    },
    {"png",      NULL,           "FILE", "draw the samples with their class names as a picture",           "Output"},
    {"force",    NULL,           NULL,   "replace FILE even if it is another kind of file",                NULL    },
    {"json",     NULL,           NULL,   "print one JSON object",                                          NULL    },
    {NULL,       NULL,           NULL,   NULL,                                                             NULL    },
};

static const struct registry *const data_registries[] = {&dataset_registry, NULL};

static const struct flags_spec data_spec = {
    .command = "data",
    .usage = "muster data list | show NAME | get NAME | verify NAME | make LAYOUT DIR | partition "
             "[options]",
    .intro = "list: prints the known data sets, and where each was found or how to get it.\nshow: "
             "loads one and prints its counts, mean, standard deviation and a few "
             "samples.\nget: downloads one.\nverify: compares the files of one with the published "
             "ones.\nmake: writes a set of generated pictures.\npartition: divides one among "
             "workers.\nmuster data VERB --help explains the flags of get, verify, make and "
             "partition.",
    .examples = "muster data list\n"
                "muster data get mnist\n"
                "muster data show fashion_mnist\n"
                "muster data show cifar10 --data-dir ~/data --count 12\n"
                "muster data show figures --data.seed 7\n"
                "muster data show figures --png figures.png --count 50 --seed 1\n"
                "muster data partition --partition labels --workers 5",
    .flags = data_flags,
    .registries = data_registries,
    .positional_max = 2,
};

static const struct dataset_ops *ops_of(const struct entry *entry)
{
    return (const struct dataset_ops *)(const void *)entry; /* its first member */
}

/* "3x32x32", or "2" for a vector. */
static void add_shape(struct text *out, const struct dataset_ops *ops)
{
    if (ops->channels == 0)
        text_add(out, "-");
    else
        text_addf(out, "%lld", (long long)ops->channels);
    if (ops->height > 1 || ops->width > 1)
        text_addf(out, "x%lldx%lld", (long long)ops->height, (long long)ops->width);
}

static void list_row(struct text *out, const struct dataset_ops *ops, const char *where)
{
    struct text shape = {0}, classes = {0};

    add_shape(&shape, ops);
    if (ops->classes > 0)
        text_addf(&classes, "%lld", (long long)ops->classes);
    text_addf(out, "%-14s %-8s %7s ", ops->entry.name, text_get(&shape),
              ops->classes > 0 ? text_get(&classes) : "-");
    if (ops->train_count > 0)
        text_addf(out, "%7lld %7lld  %s\n", (long long)ops->train_count, (long long)ops->test_count,
                  ops->entry.summary);
    else
        text_addf(out, "%7s %7s  %s\n", "-", "-", ops->entry.summary);
    if (ops->is_generated)
        text_addf(out, "%-14s generated\n", "");
    else if (dataset_is_named_by_user(ops))
        text_addf(out, "%-14s your own: --dataset %s\n", "", ops->hint);
    else if (where != NULL)
        text_addf(out, "%-14s found in %s\n", "", where);
    else
        text_addf(out, "%-14s not found; to get it: %s%s%s\n", "",
                  ops->source != NULL ? "muster data get " : "",
                  ops->source != NULL ? ops->entry.name : "", ops->source != NULL ? "" : ops->hint);
    text_release(&shape);
    text_release(&classes);
}

static void list_json(struct json *j, const struct dataset_ops *ops, const char *where)
{
    json_open_map(j, NULL);
    json_text(j, "name", ops->entry.name);
    json_text(j, "summary", ops->entry.summary);
    json_int(j, "height", ops->height);
    json_int(j, "width", ops->width);
    json_int(j, "channels", ops->channels);
    json_int(j, "classes", ops->classes);
    json_int(j, "train_count", ops->train_count);
    json_int(j, "test_count", ops->test_count);
    json_bool(j, "generated", ops->is_generated);
    json_bool(j, "available", ops->is_generated || where != NULL);
    json_text(j, "path", where);
    json_text(j, "hint", ops->hint);
    json_close_map(j);
}

static enum status list_sets(const struct flags *f, struct text *out)
{
    const bool as_json = flags_has(f, "json");
    struct json j;

    json_init(&j, out);
    if (as_json) {
        json_open_map(&j, NULL);
        json_open_list(&j, "datasets");
    } else {
        text_addf(out, "%-14s %-8s %7s %7s %7s\n", "NAME", "SHAPE", "CLASSES", "TRAIN", "TEST");
    }
    for (const struct entry *const *e = dataset_registry.entries; *e != NULL; e++) {
        char *where = dataset_where(ops_of(*e), flags_value(f, "data-dir"));

        if (as_json)
            list_json(&j, ops_of(*e), where);
        else
            list_row(out, ops_of(*e), where);
        mem_free(where);
    }
    if (as_json) {
        json_close_list(&j);
        json_close_map(&j);
        text_add(out, "\n");
    }
    return STATUS_OK;
}

/* How many samples of a part have this label. */
static int64_t count_label(const struct samples *part, int64_t label)
{
    int64_t count = 0;

    for (int64_t i = 0; i < part->count; i++)
        count += part->labels[i] == label;
    return count;
}

enum { CLASS_NAME_WIDTH = 16 };

static void show_classes(struct text *out, const struct dataset *d)
{
    text_addf(out, "\n%5s %-*s %8s %8s\n", "CLASS", CLASS_NAME_WIDTH, "NAME", "TRAIN", "TEST");
    for (int64_t k = 0; k < d->classes; k++) {
        const char *name = d->class_names != NULL ? d->class_names[k] : "";
        const int gap = CLASS_NAME_WIDTH - text_letters(name);

        text_addf(out, "%5lld %s%*s %8lld %8lld\n", (long long)k, name, gap > 0 ? gap : 0, "",
                  (long long)count_label(&d->train, k), (long long)count_label(&d->test, k));
    }
}

static void show_figures(struct text *out, const struct dataset *d)
{
    struct normalizer set, channel;

    if (d->train.source != NULL)
        return; /* it would read all of them */
    normalizer_measure(&set, NORMALIZER_SET, d);
    normalizer_measure(&channel, NORMALIZER_CHANNEL, d);
    text_addf(out, "mean %.5g, standard deviation %.5g over the training part", (double)set.mean[0],
              (double)set.std[0]);
    if (d->known_std > 0.0F)
        text_addf(out, " (published: %g, %g)", (double)d->known_mean, (double)d->known_std);
    text_add(out, "\n");
    for (int64_t c = 0; c < d->channels && c < CHANNELS_SHOWN && d->channels > 1; c++)
        text_addf(out, "channel %lld: mean %.5g, standard deviation %.5g\n", (long long)c,
                  (double)channel.mean[c], (double)channel.std[c]);
    if (d->channels > CHANNELS_SHOWN)
        text_addf(out, "and %lld more channels\n", (long long)d->channels - CHANNELS_SHOWN);
    normalizer_release(&set);
    normalizer_release(&channel);
}

static void show_text(struct text *out, const struct data_samples *samples)
{
    const struct dataset *d = samples->dataset;

    text_addf(out, "%s: %s\n", d->ops->entry.name, d->ops->entry.summary);
    text_addf(out, "%s%s\n", d->path != NULL ? "from " : "generated",
              d->path != NULL ? d->path : "");
    text_addf(out, "%lld training and %lld test samples of %lld x %lld x %lld %s\n",
              (long long)d->train.count, (long long)d->test.count, (long long)d->channels,
              (long long)d->height, (long long)d->width,
              d->train.values == NULL ? "bytes (channels, height, width)" : "numbers");
    show_figures(out, d);
    if (d->classes > 0)
        show_classes(out, d);
    data_samples_show(samples, out);
}

static void json_part(struct json *j, const char *name, const struct dataset *d,
                      const struct samples *part)
{
    json_open_map(j, name);
    json_int(j, "count", part->count);
    if (d->classes > 0) {
        json_open_list(j, "per_class");
        for (int64_t k = 0; k < d->classes; k++)
            json_int(j, NULL, count_label(part, k));
        json_close_list(j);
    }
    json_close_map(j);
}

static void json_channels(struct json *j, const char *name, const float *values, int64_t count)
{
    json_open_list(j, name);
    for (int64_t c = 0; c < count; c++)
        json_number(j, NULL, (double)values[c]);
    json_close_list(j);
}

static void json_figures(struct json *j, const struct dataset *d)
{
    struct normalizer set, channel;

    if (d->train.source != NULL)
        return;
    normalizer_measure(&set, NORMALIZER_SET, d);
    normalizer_measure(&channel, NORMALIZER_CHANNEL, d);
    json_number(j, "mean", (double)set.mean[0]);
    json_number(j, "std", (double)set.std[0]);
    json_channels(j, "channel_mean", channel.mean, d->channels);
    json_channels(j, "channel_std", channel.std, d->channels);
    normalizer_release(&set);
    normalizer_release(&channel);
}

static void show_json(struct text *out, const struct dataset *d)
{
    struct json j;

    json_init(&j, out);
    json_open_map(&j, NULL);
    json_text(&j, "name", d->ops->entry.name);
    json_text(&j, "path", d->path);
    json_int(&j, "height", d->height);
    json_int(&j, "width", d->width);
    json_int(&j, "channels", d->channels);
    json_int(&j, "classes", d->classes);
    json_int(&j, "target_size", d->target_size);
    if (d->class_names != NULL) {
        json_open_list(&j, "class_names");
        for (int64_t k = 0; k < d->classes; k++)
            json_text(&j, NULL, d->class_names[k]);
        json_close_list(&j);
    }
    json_part(&j, "train", d, &d->train);
    json_part(&j, "test", d, &d->test);
    if (d->train.source == NULL)
        json_figures(&j, d);
    json_close_map(&j);
    text_add(out, "\n");
}

/* Also as a picture, if a file is named. */
static enum status show_samples(const struct flags *f, const struct dataset *d, struct text *out)
{
    struct data_samples samples;

    enum status s = data_samples_choose(f, d, &samples);
    if (s == STATUS_OK && flags_has(f, "png"))
        s = data_sheet_save(&samples, flags_value(f, "png"));
    if (s == STATUS_OK && flags_has(f, "json"))
        show_json(out, d);
    else if (s == STATUS_OK && flags_has(f, "png"))
        text_addf(out, "%lld sample%s in %s\n", (long long)samples.count,
                  samples.count == 1 ? "" : "s", flags_value(f, "png"));
    else if (s == STATUS_OK)
        show_text(out, &samples);
    data_samples_release(&samples);
    return s;
}

static enum status show_chosen(const struct flags *f, const struct choice *chosen, struct text *out)
{
    const struct dataset_request request = {.data_dir = flags_value(f, "data-dir")};
    struct dataset *d;

    TRY(flags_check_entries(f, &dataset_registry, chosen->entry->name));
    TRY(command_check_replaced(f, "png", PNG_BEGINNING));
    TRY(dataset_load(chosen, &request, &d));
    const enum status s = show_samples(f, d, out);
    dataset_free(d);
    return s;
}

static enum status show_set(const struct flags *f, const char *name, struct text *out)
{
    const struct node *given = node_find(f->tree, dataset_registry.section);
    struct node *section = given != NULL && given->kind == NODE_MAP
                               ? node_copy(given)
                               : node_new(NODE_MAP, "muster data", 0, 0);
    const struct choice_place place = {0};
    struct choice chosen = {0};
    enum status s;

    node_put(section, "name", node_new_scalar(name, "muster data show", 0, 0));
    s = choice_read(&chosen, &dataset_registry, section, &place);
    if (s == STATUS_OK)
        s = show_chosen(f, &chosen, out);
    choice_release(&chosen);
    node_free(section);
    return s;
}

static enum status dispatch(const struct flags *f, struct text *out)
{
    const char *verb = f->positional_count > 0 ? f->positional[0] : "";

    if (strcmp(verb, "list") == 0 && f->positional_count == 1)
        return list_sets(f, out);
    if (strcmp(verb, "show") == 0 && f->positional_count == 2)
        return show_set(f, f->positional[1], out);
    if (strcmp(verb, "show") == 0)
        return FAIL(STATUS_BAD_INPUT,
                    "muster data show needs the name of a data set; muster data list prints them");
    return FAIL(STATUS_BAD_INPUT,
                "muster data: \"%s\" is not `list`, `show NAME`, `get NAME`, `verify NAME`, `make "
                "LAYOUT DIR` or `partition`",
                verb);
}

/* Those with flags of their own. */
static const struct {
    const char *name;
    enum status (*run)(int argc, char **argv);
} verbs[] = {
    {"get",       data_get      },
    {"verify",    data_verify   },
    {"make",      data_make     },
    {"partition", data_partition},
};

static enum status data_run(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof verbs / sizeof verbs[0]; i++)
        if (strcmp(argv[1], verbs[i].name) == 0)
            return verbs[i].run(argc - 1, argv + 1);
    return command_run_printing(&data_spec, argc, argv, dispatch);
}

const struct command data_command = {
    .name = "data",
    .summary = "list, show or download data sets, or divide one among workers",
    .flags = &data_spec,
    .run = data_run,
};
