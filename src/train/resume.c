/*
 * resume.c - what a resumed run keeps, what it may change, and the checkpoint it resumes from.
 */
#include "train/resume.h"

#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "conf/yaml.h"
#include "optim/schedule.h"
#include "record/checkpoint_files.h"
#include "record/metrics_reader.h"
#include "train/budget.h"
#include "train/checkpoint_identity.h"
#include "train/config_paths.h"
#include "train/epochs.h"

/* Servers of an older program knew one way to end. Workers without a server knew the other, which
 * is the usual one today. */
void resume_fill_in_ends(struct node *root)
{
    const struct node *train = node_find(root, "train");
    const struct node *name = node_find_path(root, "algorithm.name");
    const struct node *staleness = node_find_path(root, "algorithm.staleness");

    if (train == NULL || train->kind != NODE_MAP || node_find(train, "ends") != NULL)
        return;
    if (name != NULL && name->kind == NODE_SCALAR && strcmp(name->text, "ps-async") == 0 &&
        (staleness == NULL || strcmp(staleness->text, "0") != 0))
        node_put_path(root, "train.ends", node_new_scalar("total", root->origin, 0, 0));
}

static const char *const may_change[] = {
    "train.epochs",
    "train.max_steps",
    "train.budget",
    "train.threads",
    "data.loaders",
    "data.ahead",
    "train.evaluate_every",
    "train.evaluate_rounds",
    "train.evaluate_train",
    "train.print_evaluations",
    "train.log_every",
    "train.save_every",
    "train.save_rounds",
    "train.keep",
    "train.maps",
    "train.trace",
    "train.pairwise_distances",
    "data.dir",
    "data.download",
    "graph.source",
    "graph.positions_source",
    "transport.name",
    "transport.server",
    "output.style",
    "output.histograms",
    "output.tags",
    NULL,
};

bool resume_is_place(const char *path)
{
    return text_same_name(path, "train.init");
}

bool resume_may_change(const char *path)
{
    bool found = false;

    for (int i = 0; may_change[i] != NULL; i++)
        found = found || text_same_name(path, may_change[i]);
    return found;
}

bool resume_spans_run(const struct run_config *config)
{
    const struct algo_ops *algo = (const struct algo_ops *)config->algorithm.entry;
    struct amount budget;

    if (budget_read(config, &budget) == STATUS_OK && budget_is_open(&budget))
        return false; /* nothing that it computes can know the end */
    return schedule_spans_run(&config->schedule) || algo_spans_run(algo, config->algorithm.options);
}

static bool is_changeable(const char *section, const char *key)
{
    char *path = text_format("%s.%s", section, key);
    const bool found = resume_may_change(path);

    mem_free(path);
    return found;
}

enum status resume_check_changes(const struct node *over)
{
    for (int64_t i = 0; i < over->count; i++) {
        const struct node *section = over->children[i];

        if (section->kind != NODE_MAP)
            return node_fail(section, "a resumed run keeps its %s", over->keys[i]);
        for (int64_t j = 0; j < section->count; j++)
            if (!is_changeable(over->keys[i], section->keys[j]))
                return node_fail(
                    section->children[j],
                    "a resumed run keeps its settings; only --epochs, --max-steps, --budget, "
                    "--threads, --data-dir, --download, --transport, --server, --trace, "
                    "--histograms, "
                    "--tensorboard-tags, --pairwise-distances, --evaluate-rounds, "
                    "--evaluate-train, --print-evaluations, --keep, --maps and the --...-every "
                    "flags may change");
    }
    return STATUS_OK;
}

/* The run config without what may change, and without its name, as text; mem_free. */
static char *what_is_computed(struct node *root)
{
    struct text yaml = {0};

    node_remove(root, "name");
    for (int i = 0; may_change[i] != NULL; i++) {
        const char *dot = strchr(may_change[i], '.');
        char *section = mem_text_n(may_change[i], (size_t)(dot - may_change[i]));
        struct node *map = node_find(root, section);

        if (map != NULL && map->kind == NODE_MAP)
            node_remove(map, dot + 1);
        mem_free(section);
    }
    config_paths_drop_folders(root); /* the checksum says whether their content is the same */
    if (node_find_path(root, "train.init") != NULL)
        node_remove(node_find(root, "train"), "init");
    node_write(root, &yaml);
    return text_take(&yaml);
}

/* Values that the text leaves out, because an older program knew no other, are filled in. */
static enum status read_its_config(const char *yaml, const char *path, struct node **its)
{
    struct run_config config;
    struct node *root = NULL;

    TRY(yaml_parse(yaml, strlen(yaml), path, &root));
    resume_fill_in_ends(root);
    const enum status s = run_config_read(&config, root);
    node_free(root);
    TRY(s);
    *its = run_config_dump(&config);
    run_config_release(&config);
    return STATUS_OK;
}

static enum status check_config(const struct build *b, const char *yaml, const char *path)
{
    struct node *mine = run_config_dump(b->config);
    struct node *its = NULL;
    enum status s = read_its_config(yaml, path, &its);

    if (s == STATUS_OK) {
        char *mine_text = what_is_computed(mine);
        char *its_text = what_is_computed(its);

        if (strcmp(mine_text, its_text) != 0)
            s = FAIL(STATUS_BAD_INPUT, "%s belongs to another run", path);
        mem_free(mine_text);
        mem_free(its_text);
    }
    node_free(mine);
    node_free(its);
    return s;
}

/* Whether the file is of this run. That is not damage: an earlier one would be no better. */
static enum status check_settings(const struct build *b, const struct safetensors *file)
{
    const char *yaml = safetensors_text(file, "experiment");
    const char *isa = safetensors_text(file, "isa");

    if (yaml != NULL)
        TRY(check_config(b, yaml, file->path));
    TRY(identity_check_data(file, b));
    if (isa != NULL && strcmp(isa, kernel_get()->isa) != 0)
        log_warning("this run has used %s so far and now continues with %s: its bits will differ "
                    "from those of an uninterrupted run (MUSTER_ISA=%s keeps them)",
                    isa, kernel_get()->isa, isa);
    return STATUS_OK;
}

static enum status check_checkpoint(const struct build *b, const char *path,
                                    struct run_totals *totals, bool *is_of_this_run)
{
    struct safetensors file;
    enum status s;

    TRY(safetensors_load(&file, path));
    s = checkpoint_read_totals(&file, totals);
    if (s == STATUS_OK) {
        s = check_settings(b, &file);
        *is_of_this_run = s == STATUS_OK;
    }
    if (s == STATUS_OK)
        s = checkpoint_check(b, &file);
    safetensors_release(&file);
    return s;
}

/* Whether a run of so many rounds must have written a checkpoint before its last one. */
static bool had_saved(const struct build *b, int64_t done)
{
    const int64_t every = b->config->train.save_every, rounds = b->config->train.save_rounds;
    const struct epoch_length length = epochs_length(b, 0);

    if (rounds > 0)
        return done > rounds;
    return every > 0 && done > 0 && epochs_ended(&length, done - 1) >= every;
}

enum status resume_check_loss(const struct build *b, const char *run_dir, const char *top_dir)
{
    struct rundir_names checkpoints = {0};
    char *rows = file_join(run_dir, "metrics.jsonl");
    int64_t done = 0;
    enum status s = STATUS_OK;

    checkpoint_files_list(run_dir, &checkpoints);
    if (checkpoints.count == 0)
        s = metrics_reader_last_round(rows, &done);
    if (s == STATUS_OK && checkpoints.count == 0 &&
        (file_exists_in(run_dir, "model.safetensors") || had_saved(b, done)))
        s = FAIL(STATUS_IO,
                 "%s/checkpoints/last.safetensors is missing (deleted, or never written with "
                 "--no-save), and the run had done %lld rounds; to train again from scratch: "
                 "muster run %s/effective.yaml",
                 run_dir, (long long)done, top_dir);
    rundir_names_release(&checkpoints);
    mem_free(rows);
    return s;
}

/* --- the newest checkpoint that is not damaged --- */

/* Adds the message of a file that cannot be used. */
static void note_failure(struct text *failures)
{
    text_addf(failures, "%s%s", failures->length > 0 ? "; " : "", status_message());
}

static enum status find_usable(const struct build *b, const struct rundir_names *paths,
                               struct run_totals *totals, char **path)
{
    struct text failures = {0};
    bool is_of_this_run = true;
    enum status s = STATUS_OK;

    for (int64_t i = 0; i < paths->count && is_of_this_run && *path == NULL; i++) {
        s = check_checkpoint(b, paths->items[i], totals, &is_of_this_run);
        if (s == STATUS_OK)
            *path = mem_text(paths->items[i]);
        else
            note_failure(&failures);
    }
    if (*path == NULL && is_of_this_run && paths->count > 1)
        s = FAIL(s, "no checkpoint can be used: %s", text_get(&failures));
    else if (*path != NULL && failures.length > 0)
        log_warning("%s; resuming from round %lld instead (%s)", text_get(&failures),
                    (long long)totals->round, *path);
    text_release(&failures);
    return s;
}

enum status resume_find(const struct build *b, const char *run_dir, struct run_totals *totals,
                        char **path)
{
    struct rundir_names paths = {0};
    enum status s = STATUS_OK;

    *path = NULL;
    checkpoint_files_list(run_dir, &paths);
    if (paths.count > 0)
        s = find_usable(b, &paths, totals, path);
    else
        log_warning("%s/checkpoints/last.safetensors does not exist: starting from the beginning",
                    run_dir);
    if (*path != NULL)
        log_info("resuming after round %lld", (long long)totals->round);
    rundir_names_release(&paths);
    return s;
}
