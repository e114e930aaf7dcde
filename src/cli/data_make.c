/*
 * data_make.c - `muster data make LAYOUT DIR`: writes a data set of generated pictures.
 *
 * Not here: the pictures and the layouts (data/generated_set.h).
 */
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/signals.h"
#include "cli/command.h"
#include "cli/data.h"
#include "data/generated_set.h"

enum { COUNT_MAX = 10000000, SIDE_MIN = 8, SIDE_MAX = 4096 };

static const struct flag make_flags[] = {
    {"train",   NULL, "N",   "number of training pictures (1000)",   "Data set"},
    {"test",    NULL, "N",   "number of test pictures (200)",        NULL      },
    {"classes", NULL, "N",   "number of classes, at most 1000 (10)", NULL      },
    {"size",    NULL, "WxH",
     "width and height of the pictures of folder (500x375, as many of "
     "ImageNet's)",                                                  NULL      },
    {"seed",    NULL, "N",   "seed of the pictures (1)",             NULL      },
    {"quiet",   NULL, NULL,  "print warnings and errors only",       "Output"  },
    FLAG_LAST,
};

static const struct flags_spec make_spec = {
    .command = "data make",
    .usage = "muster data make folder|imagenet32|imagenet64 DIR [options]",
    .intro = "Writes a data set of generated pictures in the layout of a real one, to try commands "
             "and to measure where the real one is not at hand. The classes are figures: 10 by "
             "their shape, 100 also by their colour, 1000 also by the colour of the ground. "
             "The same options give the same files on every computer.\n"
             "folder: JPEG files as train/CLASS/* and val/CLASS/*, for --dataset folder:DIR.\n"
             "imagenet32, imagenet64: pickles, for --dataset imagenet32 --data-dir DIR.",
    .examples = "muster data make folder photos\n"
                "muster data make folder photos --train 5000 --test 500 --classes 100\n"
                "muster data make imagenet32 downsampled --train 20000 --classes 1000",
    .flags = make_flags,
    .positional_max = 2,
};

static enum status find_layout(const char *name, const struct generated_layout **layout)
{
    for (*layout = generated_layouts; (*layout)->name != NULL; (*layout)++)
        if (text_same_name((*layout)->name, name))
            return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT,
                "muster data make: unknown layout \"%s\"; there are folder, imagenet32, imagenet64",
                name);
}

static enum status read_set(const struct flags *f, const struct generated_layout *layout,
                            struct generated_set *g)
{
    *g = (struct generated_set){
        .train = 1000, .test = 200, .classes = 10, .width = 500, .height = 375, .seed = 1};
    TRY(command_read_int(f, "train", 1, COUNT_MAX, &g->train));
    TRY(command_read_int(f, "test", 1, COUNT_MAX, &g->test));
    TRY(command_read_int(f, "classes", 1, COLOURED_FIGURE_CLASSES, &g->classes));
    TRY(command_read_int(f, "seed", 0, INT64_MAX, &g->seed));
    if (flags_has(f, "size") && layout->side > 0)
        return FAIL(STATUS_BAD_INPUT, "--size: pictures of %s have %lldx%lld pixels", layout->name,
                    (long long)layout->side, (long long)layout->side);
    TRY(command_read_size(f, "size", SIDE_MIN, SIDE_MAX, &g->width, &g->height));
    if (layout->side > 0)
        g->width = g->height = layout->side;
    if (g->classes > g->train || g->classes > g->test)
        return FAIL(STATUS_BAD_INPUT,
                    "--classes: %lld classes need as many training and test pictures; there are "
                    "%lld and %lld",
                    (long long)g->classes, (long long)g->train, (long long)g->test);
    return STATUS_OK;
}

static enum status make_set(const struct flags *f, struct text *out)
{
    const struct generated_layout *layout = NULL;
    struct generated_set g;

    if (f->positional_count < 2)
        return FAIL(STATUS_BAD_INPUT, "muster data make needs a layout and a folder to write, such "
                                      "as: muster data make folder photos");
    const char *folder = f->positional[1];
    TRY(find_layout(f->positional[0], &layout));
    TRY(read_set(f, layout, &g));
    if (flags_has(f, "quiet"))
        log_set_level(LOG_WARNING);
    signals_catch(false);
    TRY(generated_set_write(layout, &g, folder));
    text_addf(out, "%lld training and %lld test pictures of %lld class%s in %s\n",
              (long long)g.train, (long long)g.test, (long long)g.classes,
              g.classes == 1 ? "" : "es", folder);
    text_addf(out,
              layout->side > 0 ? "use it with: --dataset %s --data-dir %s\n"
                               : "use it with: --dataset %s:%s\n",
              layout->name, folder);
    return STATUS_OK;
}

enum status data_make(int argc, char **argv)
{
    return command_run_printing(&make_spec, argc, argv, make_set);
}
