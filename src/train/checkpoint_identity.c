/*
 * checkpoint_identity.c - the texts by which a checkpoint says its version, its counters, the
 * layout of its weights, its data, and how many tensors it has.
 */
#include "train/checkpoint_identity.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "record/counters.h"

/* Names in messages, and the order of what a worker's state holds, are part of the version. */
static const char CHECKPOINT_VERSION[] = "3";

static char *layout_text(const struct tensor_layout *l)
{
    return text_format("%016llx", (unsigned long long)tensor_layout_id(l));
}

void identity_put(struct safetensors_writer *w, const struct tensor_layout *l)
{
    char *layout = layout_text(l);

    safetensors_writer_text(w, "version", CHECKPOINT_VERSION);
    safetensors_writer_text(w, "layout", layout);
    safetensors_writer_text(w, "counters", counters_saved_names());
    mem_free(layout);
}

/* When all tensors are there: a file that has fewer has lost some. */
void identity_put_count(struct safetensors_writer *w)
{
    char *count = text_format("%lld", (long long)safetensors_writer_count(w));

    safetensors_writer_text(w, "tensors", count);
    mem_free(count);
}

/* Files of earlier programs do not say how many tensors they have. */
static enum status check_count(const struct safetensors *file)
{
    const char *said = safetensors_text(file, "tensors");
    char *count = text_format("%d", file->count);
    const bool is_same = said == NULL || strcmp(said, count) == 0;

    mem_free(count);
    return is_same ? STATUS_OK
                   : FAIL(STATUS_BAD_INPUT, "%s: damaged: it has %d tensors instead of %s",
                          file->path, file->count, said);
}

/* A file of the first version does not say so. */
enum status identity_check_version(const struct safetensors *file)
{
    const char *version = safetensors_text(file, "version");

    if (!safetensors_is_own(file))
        return FAIL(STATUS_BAD_INPUT,
                    "%s: cannot resume: not a checkpoint of Muster, or its checksums were removed "
                    "(muster evaluate reads models of other programs)",
                    file->path);
    if (version == NULL)
        version = "1";
    if (strcmp(version, CHECKPOINT_VERSION) != 0)
        return FAIL(STATUS_BAD_INPUT,
                    "%s: cannot resume from a checkpoint of version %s; this program reads version "
                    "%s (resume with the Muster that wrote it, or remove the run "
                    "directory to train again)",
                    file->path, version, CHECKPOINT_VERSION);
    const char *names = safetensors_text(file, "counters");
    if (names == NULL || strcmp(names, counters_saved_names()) != 0)
        return FAIL(STATUS_BAD_INPUT, "%s: cannot resume: the checkpoint has other counters (%s)",
                    file->path, names == NULL ? "none" : names);
    return check_count(file);
}

/* Each worker's own floats are in the order in which kernels store them. */
enum status identity_check_layout(const struct safetensors *file, const struct problem_plan *p)
{
    const char *found = safetensors_text(file, "layout");
    char *wanted = layout_text(&p->layout);
    const bool is_same = found != NULL && strcmp(found, wanted) == 0;

    mem_free(wanted);
    return is_same ? STATUS_OK
                   : FAIL(STATUS_BAD_INPUT,
                          "%s: cannot resume: the checkpoint stores the weights of model %s in "
                          "another layout (%s)",
                          file->path, p->name, found == NULL ? "none" : found);
}

/* The folder of the data may be another one, what is in it may not. */
enum status identity_check_data(const struct safetensors *file, const struct build *b)
{
    const char *found = safetensors_text(file, "data");

    if (found != NULL && strcmp(found, b->data) == 0)
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT,
                "%s: cannot resume: the run was trained on other data (%s) than those found now "
                "(%s); use --data-dir to name their folder",
                file->path, found == NULL ? "unknown" : found, b->data);
}
