/*
 * event_tags.c - see event_tags.h.
 */
#include "record/event_tags.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "record/recorder.h"

static bool is_metric(const char *name, enum metric_id id)
{
    return strcmp(name, metric_name(id)) == 0;
}

static bool has_metric(const struct metric_row *row, enum metric_id id)
{
    for (int i = 0; i < row->count; i++)
        if (is_metric(row->metrics[i].name, id))
            return true;
    return false;
}

static void add_scalar(struct event_scalars *s, const char *folder, const char *tag, double value)
{
    CHECK(s->count < EVENT_SCALARS_MAX);
    (void)snprintf(s->items[s->count].tag, EVENT_TAG_MAX, "%s%s", folder, tag);
    s->items[s->count++].value = value;
}

/* --- Muster's --- */

/* TensorBoard groups its charts by the folder of a tag: "train_loss" becomes "train/loss". */
static void muster_tag(char tag[EVENT_TAG_MAX], const char *name)
{
    static const char *const folders[] = {"train", "validation", "test"};

    (void)snprintf(tag, EVENT_TAG_MAX, "%s", name);
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        const size_t length = strlen(folders[i]);

        if (strncmp(name, folders[i], length) == 0 && name[length] == '_')
            tag[length] = '/';
    }
}

static void add_under_own_name(struct event_scalars *s, const struct metric_row *row, int i)
{
    char tag[EVENT_TAG_MAX], folder[32] = "";

    if (row->is_one_of_many)
        (void)snprintf(folder, sizeof folder, "worker_%d/", row->header.worker);
    muster_tag(tag, row->metrics[i].name);
    add_scalar(s, folder, tag, row->metrics[i].value);
}

/* --- S004's --- */

static const char *s004_tag(const char *name, bool has_validation)
{
    const enum metric_id loss = has_validation ? METRIC_VALIDATION_LOSS : METRIC_TEST_LOSS;
    const enum metric_id accuracy =
        has_validation ? METRIC_VALIDATION_ACCURACY : METRIC_TEST_ACCURACY;

    return is_metric(name, loss) ? "Loss/Val" : is_metric(name, accuracy) ? "Accuracy/Val" : NULL;
}

static bool is_training(const char *name)
{
    return is_metric(name, METRIC_BATCH_LOSS) || is_metric(name, METRIC_TRAIN_LOSS) ||
           is_metric(name, METRIC_TRAIN_ACCURACY) || is_metric(name, METRIC_BATCH_ACCURACY);
}

static void add_training(struct event_scalars *s, const struct metric_row *row, bool has_classes)
{
    const struct counters *c = &row->header.counters;

    if (!(c->epoch_samples > 0) ||
        !(has_metric(row, METRIC_BATCH_LOSS) || has_metric(row, METRIC_TRAIN_LOSS)))
        return;
    add_scalar(s, "", "Loss/train", c->epoch_loss / c->epoch_samples);
    if (has_classes)
        add_scalar(s, "", "Accuracy/train", 100 * c->epoch_correct / c->epoch_samples);
}

static void s004_of_row(struct event_scalars *s, const struct metric_row *row, bool has_classes)
{
    const bool has_validation = has_metric(row, METRIC_VALIDATION_LOSS);

    add_training(s, row, has_classes);
    for (int i = 0; i < row->count; i++) {
        const struct metric *m = &row->metrics[i];
        const char *tag = s004_tag(m->name, has_validation);

        if (tag != NULL)
            add_scalar(s, "", tag, strcmp(tag, "Accuracy/Val") == 0 ? 100 * m->value : m->value);
        else if (!is_training(m->name))
            add_under_own_name(s, row, i);
    }
}

/* --- both --- */

void event_tags_of_row(struct event_scalars *s, const struct metric_row *row,
                       const struct event_style *style)
{
    s->count = 0;
    if (style->tags == EVENT_TAGS_S004 && !row->is_one_of_many) {
        s004_of_row(s, row, style->has_classes);
        return;
    }
    for (int i = 0; i < row->count; i++)
        add_under_own_name(s, row, i);
}

void event_tags_of_metric(char tag[EVENT_TAG_MAX], const char *name, bool has_validation,
                          const struct event_style *style)
{
    const char *own = style->tags == EVENT_TAGS_S004 ? s004_tag(name, has_validation) : NULL;

    if (own != NULL)
        (void)snprintf(tag, EVENT_TAG_MAX, "%s", own);
    else
        muster_tag(tag, name);
}
