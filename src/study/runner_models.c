/*
 * runner_models.c - the final models of all workers of a run, in a file for torch.load next to the
 * runs (output.models):
 *
 *     {0: {"seq.0.weight": tensor, ...}, 1: {...}, ...}
 *
 * That is what S001 writes: a state_dict for each node. For its two networks the names are those of
 * its code, so that load_state_dict of these classes reads them; for others they are those of
 * model.safetensors. Workers that all have the same model are one.
 */
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "format/torch_file.h"
#include "study/resume_decision.h"
#include "study/runner_internal.h"
#include "train/saved_model.h"
#include "train/worker_models.h"

/* mem_free; NULL: none is asked for */
static char *models_path(const struct runner *w, int64_t run)
{
    const struct study_output *o = &w->study->output;

    if (!o->write || !output_wants_models(o, w->study->runs[run].entry) ||
        w->decisions[run] == RESUME_PART)
        return NULL;
    return runner_pt_path(w, run, "models");
}

/* --- names --- */

/* Positions of the layers with weights in the networks of S001's code, which are one nn.Sequential;
 * -1: another network. The first layer of its FourierNet is a module of its own. */
static int s001_position(const char *model, int layer)
{
    static const int of_images[] = {0, 4, 6};

    if (strcmp(model, "fourier_density") == 0)
        return 2 * layer;
    return strcmp(model, "mnist_conv") == 0 && layer < 3 ? of_images[layer] : -1;
}

/* Every layer of those has a weight and a bias; mem_free */
static char *tensor_name(const struct saved_model *m, int i)
{
    const char *own = m->build->layout.tensors[i].name;
    const int position = m->config.layers != NULL ? -1 : s001_position(m->config.model_name, i / 2);

    if (position < 0)
        return mem_text(own);
    return text_format("seq.%d.%s%s", position,
                       i < 2 && strcmp(m->config.model_name, "fourier_density") == 0 ? "linear."
                                                                                     : "",
                       i % 2 == 0 ? "weight" : "bias");
}

/* --- the file --- */

static enum status add_model(struct torch_file *f, const struct saved_model *m, int worker,
                             const float *state)
{
    const struct tensor_layout *l = &m->build->layout;
    float *canonical = MEM_NEW_N(float, l->state_count);
    struct torch_storage storage;

    tensor_layout_to_canonical(l, canonical, state, l->state_count);
    const enum status s = torch_file_storage(f, TORCH_F32, l->state_count, canonical, &storage);
    mem_free(canonical);
    TRY(s);
    torch_file_int(f, worker);
    torch_file_begin_dict(f);
    for (int i = 0; i < l->tensor_count; i++) {
        const struct tensor *t = &l->tensors[i];
        char *name = tensor_name(m, i);

        torch_file_text(f, name);
        torch_file_tensor(f, &storage, t->offset, t->rank, t->dims);
        mem_free(name);
    }
    torch_file_end_dict(f);
    return STATUS_OK;
}

static enum status add_workers(struct torch_file *f, const struct saved_model *m,
                               const char *checkpoint)
{
    const struct build *b = m->build;
    float *state = MEM_NEW_N(float, b->layout.state_count);
    enum status s = STATUS_OK;

    for (int i = 0; i < b->workers && s == STATUS_OK; i++) {
        s = worker_models_load(b, checkpoint, i, state);
        if (s == STATUS_OK)
            s = add_model(f, m, i, state);
    }
    mem_free(state);
    return s;
}

static enum status add_models(struct torch_file *f, const struct saved_model *m, const char *folder)
{
    char *checkpoint = NULL;

    torch_file_begin_dict(f);
    if (m->build->workers > 1 && algo_models_differ(m->build->algo)) {
        TRY(worker_models_find(m->build, folder, &checkpoint));
        const enum status s = add_workers(f, m, checkpoint);
        mem_free(checkpoint);
        TRY(s);
    } else {
        TRY(add_model(f, m, 0, m->state));
    }
    torch_file_end_dict(f);
    return STATUS_OK;
}

static enum status write_file(const char *folder, const char *path)
{
    struct node *over = node_new(NODE_MAP, folder, 0, 0);
    struct saved_model m;
    struct torch_file f;
    enum status s = saved_model_open(&m, folder, over);

    node_free(over);
    TRY(s);
    s = torch_file_open(&f, path);
    if (s == STATUS_OK)
        s = torch_file_close(&f, add_models(&f, &m, folder));
    saved_model_close(&m);
    return s;
}

/* A run that has lost its checkpoint has no such file: that is no reason to stop the others. */
static enum status write_models(const char *folder, const char *path)
{
    const enum status s = write_file(folder, path);

    if (s != STATUS_BAD_INPUT)
        return s;
    log_warning("%s; so there is no %s", status_message(), path);
    return STATUS_OK;
}

enum status runner_write_models(const struct runner *w, int64_t run)
{
    char *path = models_path(w, run);
    enum status s = STATUS_OK;

    if (path != NULL && !file_exists(path)) {
        char *folder = runner_folder_of(w, run);
        s = write_models(folder, path);
        mem_free(folder);
    }
    mem_free(path);
    return s;
}

enum status runner_remove_models(const struct runner *w, int64_t run)
{
    char *path = models_path(w, run);
    const enum status s = path != NULL ? file_remove(path) : STATUS_OK;

    mem_free(path);
    return s;
}
