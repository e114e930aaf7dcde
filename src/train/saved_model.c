/*
 * saved_model.c - finds the model that a user means and the run config it belongs to.
 */
#include "train/saved_model.h"

#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "conf/yaml.h"
#include "data/dataset.h"
#include "record/checkpoint_files.h"
#include "record/rundir.h"
#include "train/config_paths.h"
#include "train/model_file.h"

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text);
    const size_t m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

bool saved_model_exists(const char *run)
{
    struct rundir_names checkpoints = {0};

    checkpoint_files_list(run, &checkpoints);
    const bool found = checkpoints.count > 0 || file_exists_in(run, "model.safetensors");
    rundir_names_release(&checkpoints);
    return found;
}

enum status saved_model_find(const char *run, char **file)
{
    char *model = file_join(run, "model.safetensors");
    struct rundir_names checkpoints = {0};

    *file = NULL;
    checkpoint_files_list(run, &checkpoints);
    if (file_exists(model)) {
        *file = mem_text(model);
    } else if (checkpoints.count > 0) {
        log_warning("%s has no model.safetensors yet: using its last checkpoint", run);
        *file = mem_text(checkpoints.items[0]);
    }
    mem_free(model);
    rundir_names_release(&checkpoints);
    if (*file == NULL)
        return FAIL(STATUS_BAD_INPUT, "%s has neither a model nor a checkpoint", run);
    return STATUS_OK;
}

static enum status load_effective(const char *top_dir, struct node **root)
{
    char *path = file_join(top_dir, "effective.yaml");
    const enum status s = yaml_load(path, root);

    mem_free(path);
    return s;
}

/* Looks for effective.yaml next to a model file and in the two folders above. */
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

/* A model file does not say where the data are; the run that it lies in does. */
static enum status find_data(const char *file, struct node *root)
{
    struct node *effective = NULL;

    TRY(effective_above(file, &effective));
    const struct node *dir = effective == NULL ? NULL : node_find_path(effective, "data.dir");
    if (!node_is_null(dir) && node_find(root, "data") != NULL &&
        node_find_path(root, "data.dir") == NULL)
        node_put_path(root, "data.dir", node_copy(dir));
    if (effective != NULL)
        config_paths_find_folders(root, effective);
    node_free(effective);
    return STATUS_OK;
}

/* The settings that a model file was trained with: its own first, then the folders above, then the
 * flags. */
static enum status config_of_file(const char *file, const struct node *over, struct node **root)
{
    char *yaml = NULL;
    char *isa = NULL;

    if (ends_with(file, ".safetensors"))
        TRY(checkpoint_texts(file, &yaml, &isa));
    mem_free(isa);
    if (yaml != NULL) {
        const enum status s = yaml_parse(yaml, strlen(yaml), file, root);
        mem_free(yaml);
        return s == STATUS_OK ? find_data(file, *root) : s;
    }
    TRY(effective_above(file, root));
    if (*root != NULL)
        return STATUS_OK;
    if (node_find(over, "model") == NULL || node_find(over, "data") == NULL)
        return FAIL(STATUS_BAD_INPUT,
                    "%s: unknown network and data set: neither the file nor an effective.yaml near "
                    "it names them; give --model and --dataset",
                    file);
    *root = node_new(NODE_MAP, file, 0, 0);
    return STATUS_OK;
}

/* Files of PyTorch and NumPy have many endings, but one beginning. */
static bool is_archive(const char *path)
{
    static const char beginning[] = "PK\003\004";
    char bytes[sizeof beginning - 1];

    return file_is_regular(path) && file_size(path) >= (int64_t)sizeof bytes &&
           file_read_part(path, 0, bytes, sizeof bytes) == STATUS_OK &&
           memcmp(bytes, beginning, sizeof bytes) == 0;
}

static enum status locate_model(struct saved_model *saved, const char *path,
                                const struct node *over, struct node **root)
{
    char *run = NULL;
    char *top_dir = NULL;

    if (ends_with(path, ".safetensors") || is_archive(path)) {
        saved->file = mem_text(path);
        return config_of_file(path, over, root);
    }
    if (file_exists(path) && !file_is_folder(path))
        return FAIL(STATUS_BAD_INPUT,
                    "%s: is neither a run nor a model: name the folder of a run, or a file of "
                    "weights (.safetensors, .pt or .npz)",
                    path);
    TRY(rundir_find(path, &run, &top_dir));
    enum status s = saved_model_find(run, &saved->file);
    if (s == STATUS_OK)
        s = load_effective(top_dir, root);
    mem_free(run);
    mem_free(top_dir);
    return s;
}

/* With another data set, what the old one alone had - its options and its folder - is not for the
 * new one. */
static void drop_old_data(struct node *root, const struct node *over)
{
    struct node *data = node_find(root, "data");
    const struct node *name = node_find_path(over, "data.name");
    const struct node *old = node_find_path(root, "data.name");

    if (name == NULL || name->kind != NODE_SCALAR || data == NULL || data->kind != NODE_MAP ||
        (old != NULL && old->kind == NODE_SCALAR && text_same_name(old->text, name->text)))
        return;
    const struct entry *chosen = registry_find(&dataset_registry, name->text);
    for (int64_t i = data->count - 1; i >= 0; i--) {
        const char *key = data->keys[i];
        const bool is_common = fields_find(data_fields, key) != NULL && strcmp(key, "dir") != 0;

        if (!is_common && (chosen == NULL || fields_find(chosen->fields, key) == NULL))
            node_remove(data, key);
    }
}

/* How the weights were initialised does not matter any more. */
static void drop_initial_weights(struct node *root)
{
    struct node *train = node_find(root, "train");

    if (train == NULL || train->kind != NODE_MAP)
        return;
    node_remove(train, "init");
    node_remove(train, "init_prefix");
    node_remove(train, "init_crc");
}

static enum status build_network(struct saved_model *saved, struct node *root,
                                 const struct node *over)
{
    if (root->kind != NODE_MAP)
        return node_fail(root, "this is not an experiment");
    drop_old_data(root, over);
    node_overlay(root, over);
    drop_initial_weights(root);
    TRY(run_config_read(&saved->config, root));

    const int workers =
        saved->config.transport.workers > 1 ? (int)saved->config.transport.workers : 1;
    return build_new(&saved->config, &(struct build_size){.workers = workers, .host_workers = 1},
                     &saved->build);
}

static enum status open_located(struct saved_model *saved, struct node *root,
                                const struct node *over)
{
    TRY(build_network(saved, root, over));

    const struct tensor_layout *l = &saved->build->layout;
    saved->state = MEM_NEW_N(float, l->state_count);
    saved->batches_tracked = MEM_NEW_N(int64_t, l->tracked_count);
    const struct node *prefix = node_find_path(over, "train.init_prefix");
    const struct model_values values = {
        .layout = l, .state = saved->state, .batches_tracked = saved->batches_tracked};

    return model_file_load(&values,
                           &(struct model_file_request){
                               .path = saved->file,
                               .network = saved->build->plan->name,
                               .prefix = prefix == NULL || prefix->is_null ? NULL : prefix->text,
                           });
}

enum status saved_model_open(struct saved_model *saved, const char *path, const struct node *over)
{
    struct node *root = NULL;

    *saved = (struct saved_model){0};
    enum status s = locate_model(saved, path, over, &root);
    if (s == STATUS_OK)
        s = open_located(saved, root, over);
    node_free(root);
    if (s != STATUS_OK)
        saved_model_close(saved);
    return s;
}

enum status saved_model_open_network(struct saved_model *saved, const char *path,
                                     const struct node *over)
{
    struct node *root = NULL;
    char *run = NULL, *top_dir = NULL;

    *saved = (struct saved_model){0};
    TRY(rundir_find(path, &run, &top_dir));
    enum status s = load_effective(top_dir, &root);
    if (s == STATUS_OK)
        s = build_network(saved, root, over);
    node_free(root);
    mem_free(run);
    mem_free(top_dir);
    if (s != STATUS_OK)
        saved_model_close(saved);
    return s;
}

void saved_model_close(struct saved_model *saved)
{
    mem_free(saved->state);
    mem_free(saved->batches_tracked);
    build_free(saved->build);
    run_config_release(&saved->config);
    mem_free(saved->file);
    *saved = (struct saved_model){0};
}
