/*
 * supervised_preparation.c - how a plan of `supervised` reads and augments its samples.
 */
#include "base/mem.h"
#include "base/team.h"
#include "problem/batch_ahead.h"
#include "problem/supervised_plan.h"

enum { PADDING = 4 };                       /* pixels, as usual for CIFAR */
enum { SHORT_SIDE = 256, OF_CENTER = 224 }; /* of evaluation: torchvision's */

/* Samples of different sizes are cut from the middle, after their shorter side is resized. */
static struct augment evaluation_rule(const struct gather *g)
{
    const struct sample_source *source = g->dataset->train.source;
    const int64_t shorter = g->height < g->width ? g->height : g->width;

    if (source != NULL && source->height == g->height && source->width == g->width)
        return augment_center(g->width, g->height, 0);
    return augment_center(g->width, g->height, shorter * SHORT_SIDE / OF_CENTER);
}

static struct augment training_rule(const struct gather *g, const struct data_options *o)
{
    struct augment a = evaluation_rule(g);

    if (o->crop == CROP_PAD)
        a = augment_padded(g->width, g->height, PADDING);
    if (o->crop == CROP_RESIZED)
        a = augment_resized(g->width, g->height);
    a.is_flipping = o->flip;
    return a;
}

static bool augments(const struct data_options *o)
{
    return o->crop != CROP_NONE || o->flip;
}

static enum status check_rule(const struct gather *g, const struct data_options *o)
{
    const char *key = o->crop != CROP_NONE ? "crop" : "flip";
    const struct dataset *d = g->dataset;
    const bool is_rgb = d->channels == 3 && d->train.values == NULL && d->height > 1;
    const bool is_same = d->height == g->height && d->width == g->width;

    if (!augments(o))
        return STATUS_OK;
    if (!is_rgb)
        return FAIL(STATUS_BAD_INPUT, "data.%s: data set %s has no colour images", key,
                    d->ops->entry.name);
    if (d->train.source == NULL && !is_same)
        return FAIL(STATUS_BAD_INPUT,
                    "data.%s: conflicts with data.input_size, because images of data set %s cannot "
                    "be both augmented and resized",
                    key, d->ops->entry.name);
    return STATUS_OK;
}

enum status supervised_plan_preparation(struct supervised_plan *p, const struct data_options *o)
{
    struct gather *g = &p->gather;
    int64_t limit = -1;

    TRY(check_rule(g, o));
    const enum status s = broken_samples_parse(o->broken, &limit);
    if (s != STATUS_OK)
        return FAIL(s, "data.broken: %s", status_message());
    g->preparation = (struct preparation){
        .dataset = g->dataset,
        .height = g->height,
        .width = g->width,
        .augments = augments(o),
        .evaluation = evaluation_rule(g),
        .training = training_rule(g, o),
        .broken = limit >= 0 ? broken_samples_new(limit) : NULL,
    };
    p->base.broken = g->preparation.broken;
    p->loaders = o->loaders < 0 ? team_cores() : (int)o->loaders;
    p->ahead = p->loaders == 0 ? 0 : o->ahead;
    return STATUS_OK;
}

static bool needs_loader(const struct supervised_plan *p)
{
    return preparation_is_needed(&p->gather.preparation, &p->dataset->train, true);
}

void supervised_plan_start_loader(struct supervised_plan *p)
{
    if (needs_loader(p))
        p->loader = loader_new(&p->gather.preparation, p->loaders);
}

double supervised_memory_ahead(const struct problem_plan *p, struct problem_batch batch)
{
    const struct supervised_plan *own = (const struct supervised_plan *)p;

    if (!needs_loader(own))
        return 0;
    return (double)p->workers *
           (double)batch_ahead_bytes(&own->gather.preparation, batch.size, own->ahead);
}
