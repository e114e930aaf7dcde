/*
 * evaluate.c - finds the model that a user means and the experiment it belongs to.
 */
#include "train/evaluate.h"

#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "conf/yaml.h"
#include "metrics/rundir.h"
#include "train/checkpoint.h"

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text);
    const size_t m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

/* The final model of a run; of one that was killed, its last checkpoint. */
static enum status find_model(const char *run, char **file)
{
    char *model = file_join(run, "model.safetensors");
    char *last = file_join(run, "checkpoints/last.safetensors");

    if (file_exists(model)) {
        *file = mem_text(model);
    } else if (file_exists(last)) {
        log_warning("%s has no model.safetensors yet: taking its last checkpoint", run);
        *file = mem_text(last);
    }
    mem_free(model);
    mem_free(last);
    if (*file == NULL)
        return FAIL(STATUS_BAD_INPUT, "%s has neither a model nor a checkpoint", run);
    return STATUS_OK;
}

static enum status load_effective(const char *experiment, struct node **root)
{
    char *path = file_join(experiment, "effective.yaml");
    const enum status s = yaml_load(path, root);

    mem_free(path);
    return s;
}

/* Looks for effective.yaml beside a model file and in the two folders above. */
static enum status effective_above(const char *file, struct node **root)
{
    const char *slash = strrchr(file, '/');
    char *folder = slash == NULL ? mem_text(".") : mem_text_n(file, (size_t)(slash - file + 1));
    enum status s = STATUS_OK;

    for (int up = 0; s == STATUS_OK && *root == NULL && up < 3; up++) {
        char *path = file_join(folder, "effective.yaml");
        if (file_exists(path))
            s = yaml_load(path, root);
        mem_free(path);
        char *above = file_join(folder, "..");
        mem_free(folder);
        folder = above;
    }
    mem_free(folder);
    return s;
}

/* What a model file was trained as: its own word first, then the folders above, then the flags. */
static enum status experiment_of_file(const char *file, const struct node *over, struct node **root)
{
    char *yaml = NULL;
    char *isa = NULL;

    TRY(checkpoint_texts(file, &yaml, &isa));
    mem_free(isa);
    if (yaml != NULL) {
        const enum status s = yaml_parse(yaml, strlen(yaml), file, root);
        mem_free(yaml);
        return s;
    }
    TRY(effective_above(file, root));
    if (*root != NULL)
        return STATUS_OK;
    if (node_find(over, "model") == NULL || node_find(over, "data") == NULL)
        return FAIL(STATUS_BAD_INPUT,
                    "%s: neither the file nor an effective.yaml near it says what it was trained "
                    "as; give --model and --dataset",
                    file);
    *root = node_new(NODE_MAP, file, 0, 0);
    return STATUS_OK;
}

static enum status locate(struct evaluator *e, const char *path, const struct node *over,
                          struct node **root)
{
    char *run = NULL;
    char *experiment = NULL;

    if (ends_with(path, ".safetensors")) {
        e->file = mem_text(path);
        return experiment_of_file(path, over, root);
    }
    TRY(rundir_find(path, &run, &experiment));
    enum status s = find_model(run, &e->file);
    if (s == STATUS_OK)
        s = load_effective(experiment, root);
    mem_free(run);
    mem_free(experiment);
    return s;
}

static enum status open_located(struct evaluator *e, struct node *root, const struct node *over)
{
    if (root->kind != NODE_MAP)
        return node_fail(root, "this is not an experiment");
    node_overlay(root, over);
    TRY(experiment_read(&e->experiment, root));

    const int workers =
        e->experiment.transport.workers > 1 ? (int)e->experiment.transport.workers : 1;
    TRY(build_new(&e->experiment, &(struct build_size){.workers = workers, .neighbours = 1},
                  &e->build));
    const struct model *m = e->build->model;
    e->state = MEM_NEW_N(float, m->state_count);
    e->counters = MEM_NEW_N(int64_t, m->counter_count);
    return model_load(
        &(struct model_values){.model = m, .state = e->state, .counters = e->counters}, e->file);
}

enum status evaluator_open(struct evaluator *e, const char *path, const struct node *over)
{
    struct node *root = NULL;

    *e = (struct evaluator){0};
    enum status s = locate(e, path, over, &root);
    if (s == STATUS_OK)
        s = open_located(e, root, over);
    node_free(root);
    if (s != STATUS_OK)
        evaluator_close(e);
    return s;
}

void evaluator_close(struct evaluator *e)
{
    mem_free(e->state);
    mem_free(e->counters);
    build_free(e->build);
    experiment_release(&e->experiment);
    mem_free(e->file);
    *e = (struct evaluator){0};
}
