/*
 * resume.c - what a resumed run keeps, what it may change, and the checkpoint it goes on from.
 */
#include "train/resume.h"

#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "conf/yaml.h"
#include "metrics/rows.h"
#include "optim/schedule.h"
#include "train/rounds.h"

static const char *const may_change[] = {
    "train.epochs",         "train.max_steps",       "train.threads",
    "train.evaluate_every", "train.evaluate_rounds", "train.log_every",
    "train.save_every",     "train.trace",           "data.dir",
    "transport.name",       "transport.server",      NULL,
};

bool resume_may_change(const char *path)
{
    bool found = false;

    for (int i = 0; may_change[i] != NULL; i++)
        found = found || text_same_name(path, may_change[i]);
    return found;
}

bool resume_spans_run(const struct experiment *e)
{
    const struct algo_ops *algo = (const struct algo_ops *)e->algorithm.entry;

    return schedule_spans_run(&e->schedule) || algo_spans_run(algo, e->algorithm.options);
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
                return node_fail(section->children[j],
                                 "a resumed run keeps its settings; only --epochs, --max-steps, "
                                 "--threads, --data-dir, --transport, --server, --trace, "
                                 "--evaluate-rounds and the --...-every flags may change");
    }
    return STATUS_OK;
}

/* The experiment without what may change, and without its name, as text; mem_free. */
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

static enum status check_experiment(const struct build *b, const char *yaml, const char *path)
{
    struct node *mine = experiment_dump(b->experiment);
    struct node *its = NULL;
    enum status s = yaml_parse(yaml, strlen(yaml), path, &its);

    if (s == STATUS_OK && its->kind == NODE_MAP) {
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

static enum status look_at(const struct build *b, struct loop_place *place, const char *path)
{
    char *yaml = NULL;
    char *isa = NULL;
    enum status s = checkpoint_texts(path, &yaml, &isa);

    if (s == STATUS_OK && yaml != NULL)
        s = check_experiment(b, yaml, path);
    if (s == STATUS_OK && isa != NULL && strcmp(isa, kernel_get()->isa) != 0)
        log_warning(
            "this run computed with %s so far and goes on with %s: the bits will differ from "
            "those of an unbroken run (MUSTER_ISA=%s keeps them)",
            isa, kernel_get()->isa, isa);
    if (s == STATUS_OK)
        s = checkpoint_place(path, place);
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
    const int64_t every = b->experiment->train.save_every;
    const struct pace pace = rounds_pace(b, 0);

    return every > 0 && done > 0 && rounds_epochs(&pace, done - 1) >= every;
}

enum status resume_check_loss(const struct build *b, const char *run_dir, const char *experiment)
{
    char *path = checkpoint_path(run_dir);
    char *rows = file_join(run_dir, "metrics.jsonl");
    int64_t done = 0;
    enum status s = STATUS_OK;

    if (!file_exists(path))
        s = rows_last_round(rows, &done);
    if (s == STATUS_OK && !file_exists(path) &&
        (file_exists_in(run_dir, "model.safetensors") || had_saved(b, done)))
        s = FAIL(STATUS_IO,
                 "%s is missing (deleted, or never written with --no-save), and the run had done "
                 "%lld rounds; to start anew: muster run %s/effective.yaml",
                 path, (long long)done, experiment);
    mem_free(path);
    mem_free(rows);
    return s;
}

enum status resume_find(const struct build *b, const char *run_dir, struct loop_place *place,
                        char **path)
{
    *path = checkpoint_path(run_dir);
    if (file_exists(*path)) {
        TRY(look_at(b, place, *path));
        log_info("resuming after round %lld", (long long)place->round);
        return STATUS_OK;
    }
    log_warning("%s does not exist: starting from the beginning", *path);
    mem_free(*path);
    *path = NULL;
    return STATUS_OK;
}
