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
#include "record/metrics_reader.h"
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
    "train.threads",
    "train.evaluate_every",
    "train.evaluate_rounds",
    "train.log_every",
    "train.save_every",
    "train.trace",
    "train.pairwise_distances",
    "data.dir",
    "graph.source",
    "graph.positions_source",
    "transport.name",
    "transport.server",
    NULL,
};

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
                    "a resumed run keeps its settings; only --epochs, --max-steps, "
                    "--threads, --data-dir, --transport, --server, --trace, "
                    "--pairwise-distances, --evaluate-rounds and the --...-every flags may change");
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
            s = FAIL(STATUS_BAD_INPUT, "%s belongs to another experiment than this run", path);
        mem_free(mine_text);
        mem_free(its_text);
    }
    node_free(mine);
    node_free(its);
    return s;
}

static enum status check_checkpoint(const struct build *b, struct run_totals *totals,
                                    const char *path)
{
    char *yaml = NULL;
    char *isa = NULL;
    enum status s = checkpoint_texts(path, &yaml, &isa);

    if (s == STATUS_OK && yaml != NULL)
        s = check_config(b, yaml, path);
    if (s == STATUS_OK && isa != NULL && strcmp(isa, kernel_get()->isa) != 0)
        log_warning(
            "this run computed with %s so far and goes on with %s: the bits will differ from "
            "those of an unbroken run (MUSTER_ISA=%s keeps them)",
            isa, kernel_get()->isa, isa);
    if (s == STATUS_OK)
        s = checkpoint_check(b, path, totals);
    mem_free(yaml);
    mem_free(isa);
    return s;
}

static char *checkpoint_path(const char *run_dir)
{
    return file_join(run_dir, "checkpoints/last.safetensors");
}

/* Whether a run of so many rounds must have written a checkpoint before its last one. */
static bool had_saved(const struct build *b, int64_t done)
{
    const int64_t every = b->config->train.save_every;
    const struct epoch_length length = epochs_length(b, 0);

    return every > 0 && done > 0 && epochs_ended(&length, done - 1) >= every;
}

enum status resume_check_loss(const struct build *b, const char *run_dir, const char *top_dir)
{
    char *path = checkpoint_path(run_dir);
    char *rows = file_join(run_dir, "metrics.jsonl");
    int64_t done = 0;
    enum status s = STATUS_OK;

    if (!file_exists(path))
        s = metrics_reader_last_round(rows, &done);
    if (s == STATUS_OK && !file_exists(path) &&
        (file_exists_in(run_dir, "model.safetensors") || had_saved(b, done)))
        s = FAIL(STATUS_IO,
                 "%s is missing (deleted, or never written with --no-save), and the run had done "
                 "%lld rounds; to start anew: muster run %s/effective.yaml",
                 path, (long long)done, top_dir);
    mem_free(path);
    mem_free(rows);
    return s;
}

enum status resume_find(const struct build *b, const char *run_dir, struct run_totals *totals,
                        char **path)
{
    *path = checkpoint_path(run_dir);
    if (file_exists(*path)) {
        TRY(check_checkpoint(b, totals, *path));
        log_info("resuming after round %lld", (long long)totals->round);
        return STATUS_OK;
    }
    log_warning("%s does not exist: starting from the beginning", *path);
    mem_free(*path);
    *path = NULL;
    return STATUS_OK;
}
