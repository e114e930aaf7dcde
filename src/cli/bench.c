/*
 * bench.c - `muster bench`: how fast a network trains, and how fast the kernels are, each against
 * what this machine can do at best.
 *
 * Here: the flags, and the order of measuring. Not here: the measuring (bench/), the tables
 * (bench_show.c), the answering of lines (bench_serve.c).
 */
#include "cli/bench.h"

#include <math.h>

#include "base/log.h"
#include "base/mem.h"
#include "cli/list.h"
#include "cli/train_flags.h"

static const struct flag bench_flags[] = {
    {"model",       "model.name",        "NAME", "network (see muster models), or a YAML file of layers",
     "What"                                                                                                          },
    {"batch",       "train.batch_size",  "N",    NULL,                                                       NULL    },
    {"threads",     "train.threads",     "N",    "number of threads (default 1)",                            NULL    },
    {"input-size",  "data.input_size",   "N",    NULL,                                                       NULL    },
    {"convolution", "train.convolution", "HOW",  NULL,                                                       NULL    },
    {"data",        "data.name",         "NAME", "data set (default: images of the right shape, or noise)",  NULL    },
    {"data-dir",    "data.dir",          "DIR",  NULL,                                                       NULL    },
    {"optimizer",   "optimizer.name",    "NAME", "sgd (momentum 0.9), adam, adamw, lars, lamb",              NULL    },
    {"seed",        "seed",              "N",    NULL,                                                       NULL    },
    {"seconds",     NULL,                "X",    "measuring time (default 3; 0.02 per kernel)",              "How"   },
    {"windows",     NULL,                "N",    "number of time windows (default 15)",                      NULL    },
    {"kernels",     NULL,                NULL,   "time each kernel alone instead",                           NULL    },
    {"serve",       NULL,                NULL,   "read lines \"window SECONDS\" from stdin and answer each", NULL    },
    {"json",        NULL,                NULL,   "print one JSON object",                                    "Output"},
    {NULL,          NULL,                NULL,   NULL,                                                       NULL    },
};

static const struct flags_spec bench_spec = {
    .command = "bench",
    .usage = "muster bench [flags]",
    .intro = "Trains a network on data in memory. Prints samples and floating-point operations per "
             "second, the percentage of this machine's peak, and where the time goes. First "
             "compares loss and gradient with those of the reference implementation.",
    .examples = "muster bench --model lenet5 --batch 32\n"
                "muster bench --model psgd_cnn --batch 64 --input-size 28 --threads 2 --json\n"
                "muster bench --kernels",
    .flags = bench_flags,
    .tables = run_config_tables,
    .registries = run_config_registries,
};

enum { WINDOWS_MAX = 1000 };

struct bench_times {
    double seconds;
    int64_t windows;
};

static enum status read_times(const struct flags *f, struct bench_times *t)
{
    const char *seconds = flags_value(f, "seconds"), *windows = flags_value(f, "windows");

    *t = (struct bench_times){.seconds = flags_has(f, "kernels") ? 0.02 : 3.0, .windows = 15};
    if (seconds != NULL &&
        (!text_to_double(seconds, &t->seconds) || !(t->seconds > 0 && t->seconds <= 3600)))
        return FAIL(STATUS_BAD_INPUT, "--seconds: \"%s\" is not a number in (0, 3600]", seconds);
    if (windows != NULL &&
        (!text_to_int(windows, &t->windows) || t->windows < 1 || t->windows > WINDOWS_MAX))
        return FAIL(STATUS_BAD_INPUT, "--windows: \"%s\" is not a whole number in [1, %d]", windows,
                    WINDOWS_MAX);
    return STATUS_OK;
}

/* --- one model --- */

/* Windows of training, with a look at the peak between them: the machine's clock may change. */
static enum status measure_windows(struct trainer *t, const struct bench_times *times,
                                   struct bench_result *r)
{
    const double each = times->seconds / (double)times->windows;
    double rates[WINDOWS_MAX];
    struct trainer_window w;

    TRY(trainer_window(t, each, &w)); /* to warm up */
    for (int64_t i = 0; i < times->windows; i++) {
        TRY(trainer_window(t, each, &w));
        rates[i] = (double)w.samples / w.seconds;
        r->best = fmax(r->best, rates[i]);
        if (i % 5 == 0)
            r->peak = fmax(r->peak, trainer_peak(t));
    }
    r->window_count = (int)times->windows;
    r->median = peak_median(rates, times->windows);
    return STATUS_OK;
}

static enum status measure_model(struct trainer *t, const struct flags *f,
                                 const struct bench_times *times)
{
    struct bench_result r = {.trainer = t};
    struct text out = {0};
    enum status s = measure_windows(t, times, &r);

    if (s == STATUS_OK)
        s = trainer_stages_measure(t, times->seconds / 3, &r.stages);
    if (s == STATUS_OK && flags_has(f, "json"))
        bench_model_json(&out, &r);
    else if (s == STATUS_OK)
        bench_model_text(&out, &r);
    command_print(text_get(&out));
    text_release(&out);
    trainer_stages_release(&r.stages);
    return s;
}

static enum status bench_model(const struct flags *f, const struct bench_times *times)
{
    struct node *root = command_settings(f, &bench_spec);
    struct trainer *t = NULL;
    enum status s = train_flags_check_entries(f, root);

    if (s == STATUS_OK)
        s = trainer_new(root, &t);
    if (s == STATUS_OK)
        s = flags_has(f, "serve") ? bench_serve(t) : measure_model(t, f, times);
    trainer_free(t);
    node_free(root);
    return s;
}

/* --- the kernels --- */

static enum status bench_kernels(const struct flags *f, const struct bench_times *times)
{
    struct kernel_report r;
    struct text out = {0};

    if (node_find(f->tree, "model") != NULL || flags_has(f, "serve"))
        return FAIL(STATUS_BAD_INPUT, "--kernels can be combined with --seconds and --json only");
    TRY(kernel_init());
    kernels_measure(&r, kernel_get(), times->seconds);
    if (flags_has(f, "json"))
        bench_kernels_json(&out, &r);
    else
        bench_kernels_text(&out, &r);
    command_print(text_get(&out));
    text_release(&out);
    kernels_release(&r);
    return STATUS_OK;
}

static enum status bench_parsed(const struct flags *f)
{
    struct bench_times times;

    TRY(read_times(f, &times));
    return flags_has(f, "kernels") ? bench_kernels(f, &times) : bench_model(f, &times);
}

static enum status bench_run(int argc, char **argv)
{
    return command_run(&bench_spec, argc, argv, bench_parsed);
}

const struct command bench_command = {
    .name = "bench",
    .summary = "measure the speed of training and of the kernels",
    .flags = &bench_spec,
    .run = bench_run,
};
