/*
 * evaluate.c - `muster evaluate RUN|MODEL|DIR...`: loss and accuracy of trained models; of several,
 * in a table.
 *
 * Here: the command, which models, and what becomes of those that fail. Not here: one model
 * (evaluate_model.c, evaluate_show.c), the table (evaluate_table.c).
 */
#include "cli/evaluate.h"

#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/signals.h"
#include "cli/list.h"
#include "record/model_search.h"

static const struct flag evaluate_flags[] = {
    {"split",       NULL,                "LIST",
     "train, validation, test, a list of these, or all (default test; of several models "
     "train,test)",                                                                                            "What"},
    {"classes",     NULL,                NULL,        "precision, recall, F1 and support of every class",      NULL  },
    {"confusion",   NULL,                NULL,        "the confusion matrix: rows are true classes",           NULL  },
    {"map",         NULL,                "FILE",
     "write the map of a density network, every 8th pixel of the plan, as .npy or .png",                       NULL  },
    {"data-dir",    "data.dir",          "DIR",       NULL,                                                    "How" },
    {"dataset",     "data.name",         "NAME",
     "evaluate on this data set instead of the one it was trained on",                                         NULL  },
    {"model",       "model.name",        "NAME|FILE", "the network, for a model file without a run directory",
     NULL                                                                                                            },
    {"init-prefix", "train.init_prefix", "TEXT",
     "prefix that is removed from the names of tensors in a model file",                                       NULL  },
    {"input-size",  "data.input_size",   "N",         NULL,                                                    NULL  },
    {"normalize",   "data.normalize",    "HOW",       NULL,                                                    NULL  },
    {"batch-size",  "train.batch_size",  "N",         "samples per batch",                                     NULL  },
    {"threads",     "train.threads",     "N",         NULL,                                                    NULL  },
    {"csv",         NULL,                "[=FILE]",   "print the table as CSV, or write it to FILE",           NULL  },
    {"json",        NULL,                NULL,        "print one JSON object",                                 NULL  },
    {"quiet",       NULL,                NULL,        "print warnings and errors only",                        NULL  },
    FLAG_LAST,
};

static const struct flags_spec evaluate_spec = {
    .command = "evaluate",
    .usage = "muster evaluate [RUN|MODEL|DIR...] [flags]",
    .intro =
        "Measures trained models on a data set. RUN is a run directory, MODEL a file of weights: "
        "a final model, a checkpoint, or a .safetensors, .pt or .npz file of another program. "
        "Without either it uses runs/latest, the newest run or "
        "experiment. "
        "Several "
        "models are compared in a table: loss and accuracy on the training and test samples, their "
        "gap, and the training time. DIR is a folder: every run and model below it is measured, "
        "but not checkpoints/ and symbolic links. A model that fails is reported, and the others "
        "are measured.",
    .examples = "muster evaluate runs/<run> --classes --confusion\n"
                "muster evaluate runs --csv=models.csv\n"
                "muster evaluate runs/a runs/b --split test\n"
                "muster evaluate runs/<run>/<name>/checkpoints/best.safetensors",
    .flags = evaluate_flags,
    .tables = run_config_tables,
    .registries = run_config_registries,
    .positional_max = -1,
};

static bool choose_part(bool parts[3], const char *word, size_t length)
{
    bool known = false;

    for (int p = PART_TRAIN; p <= PART_TEST; p++) {
        const char *name = problem_part_name((enum problem_part)p);
        if (strlen(name) == length && strncmp(name, word, length) == 0)
            parts[p] = known = true;
    }
    return known;
}

static enum status read_parts(bool parts[3], const char *list)
{
    if (strcmp(list, "all") == 0) {
        parts[PART_TRAIN] = parts[PART_VALIDATION] = parts[PART_TEST] = true;
        return STATUS_OK;
    }
    if (list[0] == '\0')
        return FAIL(STATUS_BAD_INPUT,
                    "--split: name at least one of train, validation, test or all");
    for (const char *word = list; *word != '\0';) {
        const size_t length = strcspn(word, ",");
        if (!choose_part(parts, word, length))
            return FAIL(STATUS_BAD_INPUT, "--split: '%.*s' is not train, validation, test or all",
                        (int)length, word);
        word += length + (word[length] == ',');
    }
    return STATUS_OK;
}

/* --- the models --- */

/* A model that could not be evaluated, and why; owned. */
struct failure {
    char *path, *reason;
};

/* The command at work. */
struct evaluate_job {
    const struct flags *flags;
    struct evaluate_request request;
    struct model_paths paths;
    struct evaluate_table table; /* of several models */
    struct text text;            /* each model for itself, or all as JSON */
    struct json json;            /* writes to `text` */
    struct failure *failures;    /* [failed] */
    int64_t failed;
    enum status first_failure;
};

static bool is_json(const struct evaluate_job *w)
{
    return flags_has(w->flags, "json");
}

/* Without arguments it is the newest run. */
static enum status find_models(struct evaluate_job *w)
{
    const struct flags *f = w->flags;
    char *latest = NULL;

    for (int i = 0; i < f->positional_count; i++)
        model_search_add(&w->paths, f->positional[i]);
    if (f->positional_count > 0)
        return STATUS_OK;
    TRY(command_run_folder(f, NULL, &latest));
    model_search_add(&w->paths, latest);
    mem_free(latest);
    return STATUS_OK;
}

static enum status evaluate_one(struct evaluate_job *w, const char *path)
{
    const struct evaluate_request *r = &w->request;
    struct evaluated_model m;

    TRY(evaluate_model_open(&m, path, r));
    const enum status s = r->map == NULL ? STATUS_OK : evaluate_map_write(&m, r->map);
    if (s != STATUS_OK) {
        evaluate_model_release(&m);
        return s;
    }
    if (is_json(w))
        evaluate_show_json(&m, path, &w->json);
    else if (!r->is_table || r->classes || r->confusion)
        evaluate_show_text(&m, r, &w->text);
    if (r->is_table)
        evaluate_table_add(&w->table, &m, path);
    evaluate_model_release(&m);
    return STATUS_OK;
}

/* Of several, one that cannot be evaluated is reported, and the others are. */
static enum status note_failure(struct evaluate_job *w, const char *path, enum status s)
{
    if (!w->request.is_table)
        return s;
    log_say(LOG_ERROR, "%s", status_message());
    if (w->failed == 0)
        w->first_failure = s;
    w->failed++;
    w->failures = mem_grow(w->failures, w->failed, sizeof *w->failures);
    w->failures[w->failed - 1] = (struct failure){mem_text(path), mem_text(status_message())};
    return STATUS_OK;
}

static void show_progress(const struct evaluate_job *w, int64_t i)
{
    const bool is_last = i == w->paths.count;
    char *line = is_last ? text_format("looked at %lld models", (long long)i)
                         : text_format("evaluating %lld of %lld: %s", (long long)i + 1,
                                       (long long)w->paths.count, w->paths.items[i]);

    if (w->paths.count > 1)
        log_progress(line, is_last);
    mem_free(line);
}

static enum status evaluate_all(struct evaluate_job *w)
{
    for (int64_t i = 0; i < w->paths.count; i++) {
        const char *path = w->paths.items[i];

        show_progress(w, i);
        enum status s = signals_stop_requested() ? STATUS_INTERRUPTED : evaluate_one(w, path);
        if (s == STATUS_INTERRUPTED)
            return FAIL(s, "stopped by %s after %lld of %lld models", signals_stop_name(),
                        (long long)i, (long long)w->paths.count);
        if (s != STATUS_OK)
            TRY(note_failure(w, path, s));
    }
    show_progress(w, w->paths.count);
    return w->failed == 0 ? STATUS_OK
                          : FAIL(w->first_failure, "%lld of %lld could not be evaluated",
                                 (long long)w->failed, (long long)w->paths.count);
}

/* --- the result --- */

static void begin_json(struct evaluate_job *w)
{
    json_init(&w->json, &w->text);
    json_open_map(&w->json, NULL);
    json_open_list(&w->json, "models");
}

static void end_json(struct evaluate_job *w)
{
    struct json *j = &w->json;

    json_close_list(j);
    json_open_list(j, "failed");
    for (int64_t i = 0; i < w->failed; i++) {
        json_open_map(j, NULL);
        json_text(j, "name", w->failures[i].path);
        json_text(j, "reason", w->failures[i].reason);
        json_close_map(j);
    }
    json_close_list(j);
    json_close_map(j);
    text_add(&w->text, "\n");
}

static enum status print_csv(const struct evaluate_job *w, const char *path)
{
    struct text out = {0};

    evaluate_table_csv(&w->table, &out);
    const enum status s = command_print_or_write(text_get(&out), path);
    text_release(&out);
    return s;
}

/* What was measured before a failure is still worth printing. */
static enum status print_results(struct evaluate_job *w)
{
    const char *csv = flags_value(w->flags, "csv");
    const bool has_csv = csv != NULL;

    if (!is_json(w) && w->table.count > 0 && !(has_csv && csv[0] == '\0'))
        evaluate_table_text(&w->table, &w->text);
    command_print(text_get(&w->text));
    return has_csv ? print_csv(w, csv) : STATUS_OK;
}

static void release_job(struct evaluate_job *w)
{
    for (int64_t i = 0; i < w->failed; i++) {
        mem_free(w->failures[i].path);
        mem_free(w->failures[i].reason);
    }
    mem_free(w->failures);
    text_release(&w->text);
    evaluate_table_release(&w->table);
    model_paths_release(&w->paths);
}

/* --- the command --- */

/* The message stays that of the evaluation. */
static enum status evaluate_and_print(struct evaluate_job *w)
{
    struct status_slot mine = {0};

    if (is_json(w))
        begin_json(w);
    const enum status s = evaluate_all(w);
    if (s != STATUS_OK && !w->request.is_table)
        return s;
    if (is_json(w))
        end_json(w);
    struct status_slot *const usual = status_slot_use(&mine);
    const enum status printed = print_results(w);
    (void)status_slot_use(usual);
    return s == STATUS_OK && printed != STATUS_OK ? FAIL(printed, "%s", mine.text) : s;
}

static enum status evaluate_job_run(struct evaluate_job *w)
{
    const struct flags *f = w->flags;
    const char *split = flags_value(f, "split");

    TRY(command_check_file(f, "csv"));
    TRY(command_check_file(f, "map"));
    TRY(evaluate_map_check(flags_value(f, "map")));
    TRY(find_models(w));
    w->request.is_table = w->paths.count > 1 || flags_has(f, "csv");
    if (w->request.map != NULL && w->paths.count > 1)
        return FAIL(STATUS_BAD_INPUT, "--map: give one model, not %lld", (long long)w->paths.count);
    TRY(read_parts(w->request.parts, split != NULL         ? split
                                     : w->request.is_table ? "train,test"
                                                           : "test"));
    if (w->request.is_table)
        signals_catch(false);
    return evaluate_and_print(w);
}

static enum status evaluate_parsed(const struct flags *f)
{
    struct node *over = command_settings(f, &evaluate_spec);
    struct evaluate_job w = {
        .flags = f,
        .request = {.classes = flags_has(f, "classes"),
                    .confusion = flags_has(f, "confusion"),
                    .map = flags_value(f, "map"),
                    .over = over},
    };

    if (flags_has(f, "quiet"))
        log_set_level(LOG_WARNING);
    const enum status s = evaluate_job_run(&w);
    release_job(&w);
    node_free(over);
    return s;
}

static enum status evaluate_run(int argc, char **argv)
{
    return command_run(&evaluate_spec, argc, argv, evaluate_parsed);
}

const struct command evaluate_command = {
    .name = "evaluate",
    .summary = "measure trained models: loss, accuracy, report per class, tables",
    .flags = &evaluate_spec,
    .run = evaluate_run,
};
