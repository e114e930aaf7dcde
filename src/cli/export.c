/*
 * export.c - `muster export RUN --format pt|npz|safetensors`: the model of a run for other
 * programs; `--results pt|npz|csv`: what it measured; `--snapshots npy`: its weights along the way;
 * `--maps pt|npz`: the maps of its robots.
 */
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/list.h"
#include "record/evaluation_series.h"
#include "record/maps.h"
#include "record/rundir.h"
#include "record/snapshots.h"
#include "train/model_file.h"
#include "train/saved_model.h"

static const struct flag export_flags[] = {
    {"format",    NULL, "FORMAT",
     "the model's weights: pt (torch.load), npz (numpy.load) or safetensors",                     "What"},
    {"results",   NULL, "FORMAT", "pt (torch.load), npz (numpy.load) or csv (a line per number)",
     NULL                                                                                               },
    {"snapshots", NULL, "FORMAT",
     "npy (numpy.load): a row of all weights per snapshot (--saves-per-epoch)",                   NULL  },
    {"maps",      NULL, "FORMAT",
     "pt (torch.load) or npz (numpy.load): maps, positions and links of robots",                  NULL  },
    {"out",       NULL, "FILE",
     "output file, for one run (default RUN/<name>_model.<format>, RUN/<name>_results.<format>, "
     "RUN/<name>_weights.npy or RUN/<name>_maps.<format>)",                                       NULL  },
    {"force",     NULL, NULL,     "replace FILE even if it is another kind of file",              NULL  },
    FLAG_LAST,
};

static const struct flags_spec export_spec = {
    .command = "export",
    .usage = "muster export [RUN|FILE...] --format pt|npz|safetensors [--out FILE]\n"
             "muster export [RUN...] --results pt|npz|csv [--out FILE]\n"
             "muster export [RUN...] --snapshots npy [--out FILE]\n"
             "muster export [RUN...] --maps pt|npz [--out FILE]",
    .intro = "With --format it writes the model of a run for other programs: tensors under "
             "PyTorch's names, as a state dict (pt) or as arrays. FILE is a checkpoint or another "
             "file of weights. "
             "With --results it writes the evaluations: losses, accuracies, "
             "epochs and counts of every node, distances between nodes, the edges of the graph. "
             "RUN is a run directory, or a folder with several; then every run in it that has been "
             "evaluated is exported. With --snapshots it writes the weights along the run "
             "instead, and with --maps the maps of robots. Without RUN it uses runs/latest, the "
             "newest one.",
    .examples = "muster export runs/<run> --format pt\n"
                "muster export runs/<run> --results npz\n"
                "muster export runs/<experiment> --results pt\n"
                "muster export runs/<run> --snapshots npy\n"
                "muster export runs/<run> --maps npz",
    .flags = export_flags,
    .positional_max = -1,
};

#define ZIP_BEGINNING "PK\003\004"
#define NPY_BEGINNING "\x93NUMPY"

/* A format of one of the flags. */
struct format {
    const char *flag, *name;
    const char *suffix; /* of the file's name */
    enum status (*write)(const struct evaluation_series *r, const char *path); /* of series */
    const char *beginning;                                             /* of such a file, or NULL */
    enum status (*save)(const struct tensor_set *s, const char *path); /* of the model */
};

/* Those of --format are tensor_formats. */
static const struct format formats[] = {
    {"results",   "pt",  "results", evaluation_series_write_pt,  ZIP_BEGINNING, NULL},
    {"results",   "npz", "results", evaluation_series_write_npz, ZIP_BEGINNING, NULL},
    {"results",   "csv", "results", evaluation_series_write_csv, "evaluation,", NULL},
    {"snapshots", "npy", "weights", NULL,                        NPY_BEGINNING, NULL},
    {"maps",      "pt",  "maps",    evaluation_series_write_pt,  ZIP_BEGINNING, NULL},
    {"maps",      "npz", "maps",    NULL,                        ZIP_BEGINNING, NULL},
};

enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

/* What is exported; an error unless one is given. */
static enum status find_flag(const struct flags *f, const char **flag)
{
    static const char *const all[] = {"format", "results", "snapshots", "maps"};

    *flag = NULL;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (!flags_has(f, all[i]))
            continue;
        if (*flag != NULL)
            return FAIL(STATUS_BAD_INPUT, "--%s conflicts with --%s; give one of them", all[i],
                        *flag);
        *flag = all[i];
    }
    if (*flag == NULL)
        return FAIL(STATUS_BAD_INPUT,
                    "muster export needs --format pt, npz or safetensors, --results pt, npz or "
                    "csv, --snapshots npy, or --maps pt or npz");
    return STATUS_OK;
}

/* The model as a file of this kind; false: there is none of this name. */
static bool find_model_format(const char *name, struct format *format)
{
    for (const struct tensor_format *t = tensor_formats; t->name != NULL; t++)
        if (strcmp(name, t->name) == 0) {
            *format = (struct format){.flag = "format",
                                      .name = t->name,
                                      .suffix = "model",
                                      .beginning = t->beginning,
                                      .save = t->save};
            return true;
        }
    return false;
}

static enum status find_format(const struct flags *f, struct format *format)
{
    const char *flag = NULL;

    TRY(find_flag(f, &flag));
    const char *name = flags_value(f, flag);
    if (strcmp(flag, "format") == 0 && find_model_format(name, format))
        return STATUS_OK;
    for (int i = 0; i < FORMAT_COUNT; i++)
        if (strcmp(flag, formats[i].flag) == 0 && strcmp(name, formats[i].name) == 0) {
            *format = formats[i];
            return STATUS_OK;
        }
    return FAIL(STATUS_BAD_INPUT, "--%s: '%s' is not %s", flag, name,
                strcmp(flag, "snapshots") == 0 ? "npy"
                : strcmp(flag, "maps") == 0    ? "pt or npz"
                : strcmp(flag, "format") == 0  ? "safetensors, pt or npz"
                                               : "pt, npz or csv");
}

/* "a/best.safetensors" becomes "a/best_model.pt"; mem_free */
static char *path_next_to(const char *file, const struct format *format)
{
    const char *slash = strrchr(file, '/'), *dot = strrchr(file, '.');
    const bool has_ending = dot != NULL && dot > (slash == NULL ? file : slash + 1);
    const size_t length = has_ending ? (size_t)(dot - file) : strlen(file);

    return text_format("%.*s_%s.%s", (int)length, file, format->suffix, format->name);
}

/* RUN/<its folder's name>_results.<format>; mem_free */
static char *default_path(const char *run, const struct format *format)
{
    const char *slash = strrchr(run, '/');

    if (!file_is_folder(run))
        return path_next_to(run, format);
    return text_format("%s/%s_%s.%s", run, slash == NULL ? run : slash + 1, format->suffix,
                       format->name);
}

static enum status export_results(const char *run, const struct format *format, const char *path)
{
    struct evaluation_series r;

    TRY(evaluation_series_read(&r, run));
    char *line = text_format("%s: %lld evaluations of %lld node%s\n", path,
                             (long long)r.evaluations, (long long)r.nodes, r.nodes == 1 ? "" : "s");
    const enum status s = format->write(&r, path);
    if (s == STATUS_OK)
        command_print(line);
    mem_free(line);
    evaluation_series_release(&r);
    return s;
}

/* `from` is a run or a file of weights. */
static enum status export_model(const char *from, const struct format *format, const char *path)
{
    struct tensor_set tensors;
    char *file = NULL;

    if (file_is_folder(from))
        TRY(saved_model_find(from, &file));
    enum status s = model_file_tensors(file == NULL ? from : file, &tensors);
    mem_free(file);
    TRY(s);
    char *line = text_format("%s: %lld tensors\n", path, (long long)tensors.count);
    s = format->save(&tensors, path);
    if (s == STATUS_OK)
        command_print(line);
    mem_free(line);
    tensor_set_release(&tensors);
    return s;
}

static enum status export_snapshots(const char *run, const char *path)
{
    struct snapshot_file f;

    TRY(snapshot_file_open(&f, run));
    char *line = text_format("%s: %lld snapshots of %lld values\n", path, (long long)f.count,
                             (long long)f.state_count);
    const enum status s = snapshot_file_write_npy(&f, path);
    if (s == STATUS_OK)
        command_print(line);
    mem_free(line);
    snapshot_file_release(&f);
    return s;
}

/* The line about a file of maps; mem_free */
static char *maps_line(const char *path, int64_t evaluations, int64_t robots)
{
    return text_format("%s: %lld evaluations with %lld map%s\n", path, (long long)evaluations,
                       (long long)robots, robots == 1 ? "" : "s");
}

static enum status export_maps_npz(const char *run, const char *path)
{
    struct map_file f;

    TRY(map_file_open(&f, run));
    char *line = maps_line(path, f.count, f.mesh.robots);
    const enum status s = map_file_write_npz(&f, run, path);
    if (s == STATUS_OK)
        command_print(line);
    mem_free(line);
    map_file_release(&f);
    return s;
}

static enum status export_maps(const char *run, const struct format *format, const char *path)
{
    struct evaluation_series r;

    if (format->write == NULL)
        return export_maps_npz(run, path);
    TRY(evaluation_series_of_maps(&r, run));
    char *line = maps_line(path, r.evaluations, r.nodes);
    const enum status s = format->write(&r, path);
    if (s == STATUS_OK)
        command_print(line);
    mem_free(line);
    evaluation_series_release(&r);
    return s;
}

static enum status write_format(const char *run, const struct format *format, const char *path)
{
    if (format->save != NULL)
        return export_model(run, format, path);
    if (strcmp(format->flag, "maps") == 0)
        return export_maps(run, format, path);
    return format->write != NULL ? export_results(run, format, path) : export_snapshots(run, path);
}

static enum status export_one(const char *run, const struct format *format, const char *out)
{
    char *path = out != NULL ? mem_text(out) : default_path(run, format);
    const enum status s = write_format(run, format, path);

    mem_free(path);
    return s;
}

/* Of several runs those that have nothing to export yet are told, and do not keep the others; what
 * is broken or cannot be written is an error. */
static enum status export_all(const struct rundir_list *runs, const struct format *format,
                              const char *out)
{
    int64_t left_out = 0;

    for (int64_t i = 0; i < runs->count; i++) {
        const enum status s = export_one(runs->paths[i], format, out);

        if (s != STATUS_BAD_INPUT || runs->count == 1) {
            TRY(s);
            continue;
        }
        log_warning("%s", status_message());
        left_out++;
    }
    if (left_out > 0 && left_out == runs->count)
        return FAIL(STATUS_BAD_INPUT, "none of these %lld runs has anything to export",
                    (long long)left_out);
    return STATUS_OK;
}

static enum status export_runs(const struct flags *f, const struct rundir_list *runs)
{
    struct format format = {0};
    const char *out = flags_value(f, "out");

    TRY(find_format(f, &format));
    if (out != NULL && runs->count > 1)
        return FAIL(STATUS_BAD_INPUT, "--out: one file cannot hold %lld runs; leave out --out",
                    (long long)runs->count);
    TRY(command_check_replaced(f, "out", format.beginning));
    return export_all(runs, &format, out);
}

static enum status add_latest(const struct flags *f, struct rundir_list *runs)
{
    char *folder = NULL;

    TRY(command_run_folder(f, NULL, &folder));
    const enum status s = rundir_list_add(runs, folder);
    mem_free(folder);
    return s;
}

/* Weights may also be given as a file. */
static enum status add_given(const struct flags *f, struct rundir_list *runs, const char *path)
{
    if (!flags_has(f, "format") || !file_exists(path) || file_is_folder(path))
        return rundir_list_add(runs, path);
    rundir_list_add_file(runs, path);
    return STATUS_OK;
}

static enum status export_parsed(const struct flags *f)
{
    struct rundir_list runs = {0};
    enum status s = STATUS_OK;

    if (f->positional_count == 0)
        s = add_latest(f, &runs);
    for (int i = 0; i < f->positional_count && s == STATUS_OK; i++)
        s = add_given(f, &runs, f->positional[i]);
    if (s == STATUS_OK)
        s = export_runs(f, &runs);
    rundir_list_release(&runs);
    return s;
}

static enum status export_run(int argc, char **argv)
{
    return command_run(&export_spec, argc, argv, export_parsed);
}

const struct command export_command = {
    .name = "export",
    .summary = "export evaluations, weights or maps of runs to PyTorch, NumPy or CSV files",
    .flags = &export_spec,
    .run = export_run,
};
