/*
 * landscape.c - `muster landscape RUN...`: the loss around the paths of runs.
 */
#include "cli/landscape.h"

#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/signals.h"
#include "cli/list.h"
#include "report/landscape_page.h"
#include "report/landscape_table.h"
#include "study/landscape_options.h"
#include "study/sharpness.h"
#include "train/run_config.h"

static const struct flag landscape_flags[] = {
    {"directions", NULL,       "HOW",
     "pca (of all snapshots, the default), random, or filter (random, scaled filter by filter)",             "What"},
    {"grid",       NULL,       "N",   "points along each side of the grid, or on each line (default 25)",    NULL  },
    {"samples",    NULL,       "N",   "test samples to measure the loss on, in blocks of 64 (default: all)",
     NULL                                                                                                          },
    {"seed",       NULL,       "N",   "seed of random directions (default 1)",                               NULL  },
    {"sharpness",  NULL,       NULL,
     "also how sharp the minima are: largest eigenvalue of the Hessian, rise of the loss",                   NULL  },
    {"between",    NULL,       NULL,
     "the loss on the lines between final models: of several runs, or of one run's nodes",                   NULL  },
    {"each",       NULL,       NULL,  "a landscape of each run, in its own folder",                          NULL  },
    {"data-dir",   "data.dir", "DIR", NULL,                                                                  "How" },
    {"again",      NULL,       NULL,  "measure again, even if the losses are in the folder already",         NULL  },
    {"out",        NULL,       "DIR", "folder for the files (default: that of the run or study)",            NULL  },
    {"json",       NULL,       NULL,  "print one JSON object; with --each, a list of them",                  NULL  },
    {"quiet",      NULL,       NULL,  "print warnings and errors only",                                      NULL  },
    FLAG_LAST,
};

static const struct flags_spec landscape_spec = {
    .command = "landscape",
    .usage = "muster landscape [RUN...] [flags]",
    .intro =
        "Measures the test loss on a grid in a plane of weights, and along the paths of runs "
        "that were trained with --saves-per-epoch. By default the plane is that of most "
        "variance (PCA) of all snapshots of all runs together. Writes landscape.html, a page "
        "with a surface, contours and paths, and the numbers as landscape.npy, "
        "landscape_path.npy and landscape.json, which are reused. A table compares the runs: what "
        "differs, accuracy and loss, and with --sharpness how sharp their minima are, which needs "
        "no snapshots. RUN is a run directory, or a folder with several. With --between it "
        "measures the loss on the lines between their final models instead, or between the models "
        "of the workers if there is one run; --grid is the number of points. BatchNorm's "
        "statistics are measured again at every point. "
        "Without RUN it uses runs/latest, the newest one.",
    .examples = "muster landscape runs/<run> --grid 50 --samples 1000\n"
                "muster landscape runs/<run> runs/<run> --out both\n"
                "muster landscape runs/<experiment> --each",
    .flags = landscape_flags,
    .tables = run_config_tables,
    .positional_max = -1,
};

/* --- flags --- */

static enum status read_int(const struct flags *f, const char *name, int64_t low, int64_t high,
                            int64_t *value)
{
    const char *text = flags_value(f, name);

    if (text == NULL)
        return STATUS_OK;
    if (!text_to_int(text, value) || *value < low || *value > high)
        return FAIL(STATUS_BAD_INPUT,
                    "--%s: '%s' is not a whole number from %" PRId64 " to %" PRId64, name, text,
                    low, high);
    return STATUS_OK;
}

static enum status read_directions(const struct flags *f, struct landscape_request *q)
{
    const char *text = flags_value(f, "directions");

    for (int i = 0; text != NULL && landscape_direction_names[i] != NULL; i++)
        if (strcmp(text, landscape_direction_names[i]) == 0) {
            q->directions = (enum landscape_directions)i;
            return STATUS_OK;
        }
    return text == NULL
               ? STATUS_OK
               : FAIL(STATUS_BAD_INPUT, "--directions: '%s' is not pca, random or filter", text);
}

static enum status read_flags(const struct flags *f, struct landscape_request *q)
{
    int64_t seed = 1;

    q->grid = LANDSCAPE_GRID_DEFAULT;
    q->measures_again = flags_has(f, "again");
    TRY(read_directions(f, q));
    TRY(read_int(f, "grid", 2, LANDSCAPE_GRID_MAX, &q->grid));
    TRY(read_int(f, "samples", 1, INT64_MAX / 2, &q->samples));
    TRY(read_int(f, "seed", 0, INT64_MAX, &seed));
    q->seed = (uint64_t)seed;
    return STATUS_OK;
}

/* --- the command --- */

/* A row per run. */
static enum status make_table(const struct landscape_request *q,
                              const struct sharpness_list *sharpness, struct table *t)
{
    struct subject s;
    enum status status =
        subject_open(&s, q->runs->paths, (int)q->runs->count, &(struct subject_choice){0});

    if (status == STATUS_OK) {
        char **all = landscape_run_names(q->runs);
        const char **names = MEM_NEW_N(const char *, s.results.run_count);

        for (int64_t i = 0; i < q->runs->count; i++)
            for (int64_t k = 0; k < s.results.run_count; k++)
                if (text_equal(s.runs[k].dir, q->runs->paths[i]))
                    names[k] = all[i];
        landscape_table_runs(&s, names, sharpness, t);
        for (int64_t i = 0; i < q->runs->count; i++)
            mem_free(all[i]);
        mem_free(all);
        mem_free(names);
    }
    subject_release(&s);
    return status;
}

/* With --json an object is printed, or added to a list that is printed later. */
static void add_json(const struct landscape *l, const struct sharpness_list *sharpness,
                     struct json *j)
{
    const bool is_element = j->depth > 0;

    if (l != NULL) {
        landscape_to_json(l, j, NULL);
    } else if (is_element) {
        json_open_map(j, NULL);
        sharpness_list_to_json(sharpness, j, "sharpness");
        json_close_map(j);
    } else {
        sharpness_list_to_json(sharpness, j, NULL);
    }
}

static void print_json(const struct landscape *l, const struct sharpness_list *sharpness,
                       struct json *list)
{
    struct text out = {0};
    struct json j;

    if (list != NULL) {
        add_json(l, sharpness, list);
        return;
    }
    json_init(&j, &out);
    add_json(l, sharpness, &j);
    text_add(&out, "\n");
    command_print(text_get(&out));
    text_release(&out);
}

/* Sharpness alone, of runs without snapshots, has no landscape and no page. */
static void print_text(const struct landscape *l, const struct table *t, const char *page)
{
    struct text out = {0};

    if (l != NULL) {
        landscape_show_summary(l, &out);
        text_add(&out, "\n");
    }
    landscape_show_table(t, &out);
    if (l != NULL) {
        text_add(&out, "\n");
        landscape_show_path(l, &out);
        text_addf(&out, "\n%s\n", page);
    }
    command_print(text_get(&out));
    text_release(&out);
}

static enum status measure_plane(const struct landscape_request *q, struct landscape *l)
{
    bool reused = false;

    TRY(landscape_make(q, l, &reused));
    if (reused)
        log_info("the losses in %s are used; --again measures again", q->folder);
    return STATUS_OK;
}

/* Whether a plane is drawn: of sharpness alone, where every run has snapshots or a flag is about
 * the plane. */
static bool draws_plane(const struct flags *f, const struct rundir_list *runs)
{
    bool has_all = true;

    for (int64_t i = 0; i < runs->count; i++)
        has_all = has_all && snapshot_file_exists(runs->paths[i]);
    return has_all || !flags_has(f, "sharpness") || flags_has(f, "grid") ||
           flags_has(f, "directions") || flags_has(f, "out");
}

static enum status measure_sharpness(const struct landscape_request *q, struct sharpness_list *list)
{
    TRY(sharpness_measure(q, list));
    if (list->reused > 0)
        log_info("the sharpness of %" PRId64 " of %" PRId64
                 " runs was measured before; --again measures again",
                 list->reused, list->count);
    return STATUS_OK;
}

/* l is NULL without a plane. */
static enum status write_and_print(const struct flags *f, const struct landscape_request *q,
                                   struct landscape *l, const struct sharpness_list *sharpness,
                                   struct json *list)
{
    struct table t = {0};
    char *page = l == NULL ? NULL : file_join(q->folder, "landscape.html");
    enum status s = make_table(q, sharpness, &t);

    if (l != NULL)
        l->sharpness = sharpness;
    if (s == STATUS_OK && l != NULL)
        s = landscape_page_write(l, &t, page);
    if (s == STATUS_OK && flags_has(f, "json"))
        print_json(l, sharpness, list);
    else if (s == STATUS_OK)
        print_text(l, &t, page);
    table_release(&t);
    mem_free(page);
    return s;
}

/* The plane first: where there can be none, nothing else is measured. `list` is where objects of
 * --each --json are added, else NULL. */
static enum status make_and_print(const struct flags *f, const struct landscape_request *q,
                                  struct json *list)
{
    struct landscape l = {0};
    struct sharpness_list sharpness = {0};
    const bool has_plane = draws_plane(f, q->runs), has_sharpness = flags_has(f, "sharpness");
    enum status s = has_plane ? measure_plane(q, &l) : STATUS_OK;

    if (s == STATUS_OK && has_sharpness)
        s = measure_sharpness(q, &sharpness);
    if (s == STATUS_OK)
        s = write_and_print(f, q, has_plane ? &l : NULL, has_sharpness ? &sharpness : NULL, list);
    landscape_release(&l);
    sharpness_list_release(&sharpness);
    return s;
}

/* One process at a time writes the files of a folder; NULL: only those of the runs. */
static enum status make_locked(const struct flags *f, const struct landscape_request *q,
                               struct json *list)
{
    struct lock lock = {0};

    if (q->folder != NULL) {
        TRY(file_make_folders(q->folder));
        TRY(lock_take(&lock, q->folder));
    }
    const enum status s =
        flags_has(f, "between") ? landscape_between_print(f, q) : make_and_print(f, q, list);
    lock_release(&lock);
    return s;
}

/* The folder of the run, or the one that the user named for all of them; mem_free. */
static enum status choose_folder(const struct flags *f, const struct rundir_list *runs,
                                 char **folder)
{
    const char *out = flags_value(f, "out");

    if (out == NULL && runs->count > 1 && f->positional_count > 1)
        return FAIL(STATUS_BAD_INPUT,
                    "--out: missing; name the folder for the landscape of several runs");
    *folder = mem_text(out != NULL ? out : runs->count == 1 ? runs->paths[0] : f->positional[0]);
    return STATUS_OK;
}

/* All runs in one plane. */
static enum status landscape_together(const struct flags *f, const struct rundir_list *runs,
                                      struct landscape_request *q)
{
    struct rundir_list chosen = landscape_runs_choose(f, runs);
    char *folder = NULL;
    enum status s = draws_plane(f, &chosen) ? choose_folder(f, runs, &folder) : STATUS_OK;

    q->runs = &chosen;
    q->folder = folder;
    if (s == STATUS_OK)
        s = make_locked(f, q, NULL);
    mem_free(folder);
    mem_free(chosen.paths);
    return s;
}

/* Each run in a plane of its own, in its own folder. One without snapshots is reported, and the
 * others are measured. */
static enum status measure_each(const struct flags *f, const struct rundir_list *runs,
                                struct landscape_request *q, struct json *list)
{
    int64_t skipped = 0;

    for (int64_t i = 0; i < runs->count; i++) {
        const struct rundir_list one = {.paths = &runs->paths[i], .count = 1};

        q->runs = &one;
        q->folder = runs->paths[i];
        const enum status s = make_locked(f, q, list);
        if (s != STATUS_BAD_INPUT || runs->count == 1) {
            TRY(s);
            continue;
        }
        log_warning("%s", status_message());
        skipped++;
    }
    if (skipped > 0 && skipped == runs->count)
        return FAIL(STATUS_BAD_INPUT, "none of these %" PRId64 " runs has a landscape", skipped);
    return STATUS_OK;
}

/* With --json it is one list. */
static enum status landscape_each(const struct flags *f, const struct rundir_list *runs,
                                  struct landscape_request *q)
{
    struct text out = {0};
    struct json list;

    if (!flags_has(f, "json"))
        return measure_each(f, runs, q, NULL);
    json_init(&list, &out);
    json_open_list(&list, NULL);
    const enum status s = measure_each(f, runs, q, &list);
    json_close_list(&list);
    text_add(&out, "\n");
    if (s == STATUS_OK)
        command_print(text_get(&out));
    text_release(&out);
    return s;
}

/* No flag is without effect. */
static enum status check_conflicts(const struct flags *f, const struct landscape_request *q)
{
    static const char *const conflicts[][2] = {
        {"between", "each"      },
        {"between", "directions"},
        {"between", "seed"      },
        {"between", "again"     },
        {"between", "sharpness" },
        {"each",    "out"       },
    };

    for (size_t i = 0; i < sizeof conflicts / sizeof conflicts[0]; i++)
        if (flags_has(f, conflicts[i][0]) && flags_has(f, conflicts[i][1]))
            return FAIL(STATUS_BAD_INPUT, "--%s conflicts with --%s", conflicts[i][0],
                        conflicts[i][1]);
    if (flags_has(f, "seed") && q->directions == DIRECTIONS_PCA && !flags_has(f, "sharpness"))
        return FAIL(STATUS_BAD_INPUT,
                    "--seed: is only for --directions random or filter, and --sharpness");
    return STATUS_OK;
}

static enum status landscape_of_runs(const struct flags *f, const struct rundir_list *runs,
                                     struct landscape_request *q)
{
    TRY(read_flags(f, q));
    TRY(check_conflicts(f, q));
    return flags_has(f, "each") ? landscape_each(f, runs, q) : landscape_together(f, runs, q);
}

static enum status landscape_parsed(const struct flags *f)
{
    struct node *over = command_settings(f, &landscape_spec);
    struct landscape_request q = {.over = over};
    struct rundir_list runs = {0};

    if (flags_has(f, "quiet"))
        log_set_level(LOG_WARNING);
    signals_catch(false);
    enum status s = landscape_runs_find(f, &runs);
    if (s == STATUS_OK)
        s = landscape_of_runs(f, &runs, &q);
    rundir_list_release(&runs);
    node_free(over);
    return s;
}

static enum status landscape_run(int argc, char **argv)
{
    return command_run(&landscape_spec, argc, argv, landscape_parsed);
}

const struct command landscape_command = {
    .name = "landscape",
    .summary = "draw the loss around the paths of runs",
    .flags = &landscape_spec,
    .run = landscape_run,
};
