/*
 * dataset.c - a data set's life: loaded by its entry of the registry, checked, freed.
 *
 * Not here: where its files are (dataset_folder.c), how they are read (mnist.c, cifar.c), and how
 * samples become batches (gather.c).
 */
#include "data/dataset.h"

#include "base/check.h"
#include "base/log.h"
#include "base/mem.h"
#include "data/dataset_mean.h"
#include "data/image_index.h"

static void samples_release(struct samples *s)
{
    mem_free(s->bytes);
    mem_free(s->values);
    mem_free(s->labels);
    mem_free(s->targets);
    mem_free(s->groups);
    sample_files_release(&s->files);
    sample_source_free(s->source);
    *s = (struct samples){0};
}

bool dataset_is_named_by_user(const struct dataset_ops *ops)
{
    return ops->folders == NULL && !ops->is_generated;
}

void dataset_cycle_labels(struct samples *s, int64_t count, int64_t classes)
{
    s->count = count;
    s->labels = MEM_NEW_N(int32_t, count);
    for (int64_t i = 0; i < count; i++)
        s->labels[i] = (int32_t)(i % classes);
}

/* What dataset.h promises of every part, whichever file filled it. */
static void check_samples(const struct samples *s, const struct dataset *d, bool outline)
{
    const int inputs = (s->bytes != NULL) + (s->values != NULL) + (s->source != NULL);

    CHECK(s->count > 0);
    CHECK(inputs == 1 || (outline && inputs == 0));
    CHECK((s->labels == NULL) != (s->targets == NULL));
    CHECK((s->labels != NULL) == (d->classes > 0));
}

static void drop_inputs(struct samples *s)
{
    mem_free(s->bytes);
    mem_free(s->values);
    s->bytes = NULL;
    s->values = NULL;
}

/* Training also works on the wrong files, so nothing else would show the mistake. */
static void warn_if_doubtful(const struct dataset *d)
{
    struct text doubt = {0};

    dataset_mean_doubt(d, &doubt);
    if (doubt.length > 0)
        log_warning("%s: %s", d->path, text_get(&doubt));
    text_release(&doubt);
}

enum status dataset_load(const struct choice *chosen, const struct dataset_request *request,
                         struct dataset **dataset)
{
    /* An entry is the first member of its dataset_ops. */
    const struct dataset_ops *ops = (const struct dataset_ops *)(const void *)chosen->entry;
    struct dataset_request with_options = *request;
    struct dataset *d = MEM_NEW(struct dataset);
    enum status s;

    *dataset = NULL;
    d->ops = ops;
    with_options.options = chosen->options;
    s = ops->load(d, &with_options);
    if (s != STATUS_OK) {
        dataset_free(d);
        return s;
    }
    CHECK(d->height > 0 && d->width > 0 && d->channels > 0);
    CHECK(d->classes > 0 || d->target_size > 0);
    check_samples(&d->train, d, request->outline);
    check_samples(&d->test, d, request->outline);
    CHECK((d->train.groups != NULL) == (d->groups > 0));
    CHECK(d->window == 0 || d->paths != NULL);
    CHECK(!d->is_density || (d->classes == 0 && d->target_size == 1));
    CHECK(d->map.count == d->map_height * d->map_width);
    if (d->map.count > 0)
        check_samples(&d->map, d, request->outline);
    if (request->outline) {
        drop_inputs(&d->train);
        drop_inputs(&d->test);
        drop_inputs(&d->map);
    } else {
        warn_if_doubtful(d);
    }
    *dataset = d;
    return STATUS_OK;
}

void dataset_free(struct dataset *d)
{
    if (d == NULL)
        return;
    mem_free(d->path);
    for (int64_t g = 0; d->paths != NULL && g < d->groups; g++) {
        mem_free(d->paths[g].first_row);
        mem_free(d->paths[g].places);
        mem_free(d->paths[g].ends);
    }
    mem_free(d->paths);
    samples_release(&d->train);
    samples_release(&d->test);
    samples_release(&d->map);
    for (int64_t k = 0; d->own_names != NULL && k < d->classes; k++)
        mem_free(d->own_names[k]);
    mem_free(d->own_names);
    for (int k = 0; d->image_indices != NULL && k < 2; k++)
        image_index_release(&d->image_indices[k]);
    mem_free(d->image_indices);
    mem_free(d);
}
