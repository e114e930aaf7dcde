/*
 * run_events.c - see run_events.h.
 *
 * Here: what is written. Not here: how (record/tensorboard.h).
 */
#include "train/loop/run_events.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "record/confusion.h"
#include "record/histogram.h"
#include "record/pictures.h"
#include "record/tensorboard.h"

enum { SHOWN_IMAGES = 32 };

static struct tensorboard *events_of(const struct loop *l)
{
    return l->leader->recorder.events;
}

/* A run that had ended before has all this already. */
static bool was_recorded(const struct loop *l)
{
    return l->was_finished && !l->is_before_record && !l->has_snapshots;
}

/* --- texts --- */

static bool needs_quotes(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_=.,:/+@%";

    return word[0] == '\0' || word[strspn(word, plain)] != '\0';
}

/* As a shell reads it. */
static void add_word(struct text *out, const char *word)
{
    if (!needs_quotes(word)) {
        text_add(out, word);
        return;
    }
    text_add(out, "'");
    for (; *word != '\0'; word++)
        text_add_n(out, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
    text_add(out, "'");
}

static enum status write_command(struct loop *l)
{
    struct text out = {0};

    text_add(&out, "~~~~\nmuster");
    for (int i = 0; i < l->setup->argc; i++) {
        text_add(&out, " ");
        add_word(&out, l->setup->argv[i]);
    }
    text_add(&out, "\n~~~~\n");
    const enum status s = tensorboard_text(events_of(l), "command", l->round, text_get(&out));
    text_release(&out);
    return s;
}

static enum status write_configuration(struct loop *l, const struct node *config)
{
    struct text out = {0};

    text_add(&out, "~~~~\n");
    node_write(config, &out);
    text_add(&out, "~~~~\n");
    const enum status s = tensorboard_text(events_of(l), "configuration", l->round, text_get(&out));
    text_release(&out);
    return s;
}

/* --- the settings that runs are compared by --- */

/* "optimizer.name" is shown as "optimizer". */
static void add_setting(struct node *flat, const char *section, const char *key,
                        const struct node *value)
{
    char *path = strcmp(key, "name") == 0 ? mem_text(section) : text_format("%s.%s", section, key);

    if (!node_is_null(value) && value->kind == NODE_SCALAR && strcmp(path, "data.dir") != 0 &&
        strcmp(path, "data.download") != 0)
        node_put(flat, path, node_copy(value));
    mem_free(path);
}

static void add_section(struct node *flat, const struct node *config, const char *name)
{
    const struct node *section = node_find(config, name);

    for (int64_t i = 0; section != NULL && i < section->count; i++)
        add_setting(flat, name, section->keys[i], section->children[i]);
}

/* What decides the result, as one flat map. */
static struct node *compared_settings(const struct node *config)
{
    static const char *const sections[] = {"algorithm", "optimizer", "model",
                                           "data",      "partition", "graph",
                                           "schedule",  "problem",   "delays"};
    static const char *const keys[] = {"batch_size", "epochs", "max_steps", "budget", "clip_norm"};
    struct node *flat = node_new(NODE_MAP, "settings", 0, 0);
    const struct node *train = node_find(config, "train");

    node_put(flat, "seed", node_copy(node_find(config, "seed")));
    add_setting(flat, "transport", "workers", node_find_path(config, "transport.workers"));
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        add_setting(flat, "train", keys[i], node_find(train, keys[i]));
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        add_section(flat, config, sections[i]);
    return flat;
}

/* The tags of the last evaluation, by which runs are judged. */
struct judging_tags {
    char tags[4][EVENT_TAG_MAX];
    const char *list[5]; /* ends with NULL */
};

static void make_judging_tags(const struct loop *l, struct judging_tags *t)
{
    const int64_t *counts = l->build->evaluator->part_counts;
    const bool has_validation = counts[PART_VALIDATION] > 0;
    const enum metric_id metrics[2][2] = {
        {METRIC_TEST_ACCURACY,       METRIC_TEST_LOSS      },
        {METRIC_VALIDATION_ACCURACY, METRIC_VALIDATION_LOSS}
    };
    int count = 0;

    *t = (struct judging_tags){0};
    for (int p = 0; p < 2; p++)
        for (int m = build_has_classes(l->build) ? 0 : 1; m < 2; m++) {
            if (counts[p == 0 ? PART_TEST : PART_VALIDATION] == 0)
                continue;
            event_tags_of_metric(t->tags[count], metric_name(metrics[p][m]), has_validation,
                                 &l->leader->recorder.style);
            t->list[count] = t->tags[count];
            count++;
        }
}

static enum status write_settings(struct loop *l, const struct node *config)
{
    struct node *flat = compared_settings(config);
    struct judging_tags tags;

    make_judging_tags(l, &tags);
    const enum status s = tensorboard_start_session(events_of(l), flat, tags.list);
    node_free(flat);
    return s;
}

/* --- pictures --- */

static enum status write_images(struct loop *l)
{
    struct problem_images images;
    struct png_picture grid;

    if (l->setup->from != NULL || !problem_images(l->build->plan, SHOWN_IMAGES, &images))
        return STATUS_OK;
    pictures_grid(&(struct picture_images){images.count, images.height, images.width,
                                           (int)images.channels, images.pixels},
                  &grid);
    const enum status s = tensorboard_image(events_of(l), "training_images", 0, &grid);
    png_picture_release(&grid);
    return s;
}

static enum status write_confusion(struct loop *l)
{
    struct confusion c;
    struct png_picture heat_map;

    if (!build_has_classes(l->build) || !file_exists_in(l->setup->run_dir, "confusion.json"))
        return STATUS_OK;
    TRY(confusion_read(l->setup->run_dir, &c));
    pictures_confusion(&c, &heat_map);
    const enum status s = tensorboard_image(events_of(l), "confusion_matrix", c.round, &heat_map);
    png_picture_release(&heat_map);
    confusion_release(&c);
    return s;
}

/* --- histograms --- */

static enum status write_histograms(struct loop *l, const char *folder, int64_t round,
                                    const float *values)
{
    const struct tensor_layout *layout = &l->build->layout;

    for (int i = 0; i < layout->tensor_count; i++) {
        const struct tensor *t = &layout->tensors[i];
        struct histogram h;

        if (t->kind == TENSOR_BUFFER)
            continue;
        histogram_init(&h, values + t->offset, t->count);
        if (h.bins == 0)
            continue;
        char *tag = text_format("%s/%s", folder, t->name);
        const enum status s = tensorboard_histogram(events_of(l), tag, round, &h);
        mem_free(tag);
        TRY(s);
    }
    return STATUS_OK;
}

/*
 * The gradient of the run model on one mini-batch that is the same at every evaluation: the first
 * of worker 0. All that it needs is its own, so that training does not notice. False: it has no
 * samples.
 */
static enum status gradient_of(const struct loop *l, const float *state, float *gradient,
                               bool *has_samples)
{
    const struct tensor_layout *layout = &l->build->layout;
    float *copy = MEM_NEW_N(float, layout->state_count);
    int64_t *batches_tracked = MEM_NEW_N(int64_t, layout->tracked_count);
    struct problem *p = problem_new(l->build->plan, 0, batches_tracked);
    struct batch_result result;
    enum status s = STATUS_OK;

    memcpy(copy, state, (size_t)layout->state_count * sizeof *copy);
    problem_seek(p, 0, 0);
    problem_draw(p);
    *has_samples = p->batch_size > 0;
    if (*has_samples)
        s = problem_gradient(p, copy, gradient, &result);
    problem_free(p);
    mem_free(batches_tracked);
    mem_free(copy);
    return s;
}

enum status run_events_histograms(struct loop *l, int64_t round, const float *state)
{
    if (!l->build->config->output.histograms || was_recorded(l))
        return STATUS_OK;
    TRY(write_histograms(l, "weights", round, state));

    float *gradient = MEM_NEW_N(float, l->build->layout.param_count);
    bool has_samples = false;
    enum status s = gradient_of(l, state, gradient, &has_samples);

    if (s == STATUS_OK && has_samples)
        s = write_histograms(l, "gradients", round, gradient);
    mem_free(gradient);
    return s;
}

/* --- start and end --- */

enum status run_events_start(struct loop *l)
{
    struct node *config = NULL;

    l->leader->recorder.style = (struct event_style){
        .tags = (enum event_tag_set)l->build->config->output.tags,
        .has_classes = build_has_classes(l->build),
    };
    if (was_recorded(l))
        return STATUS_OK;
    config = run_config_dump(l->build->config);
    enum status s = write_settings(l, config);
    if (s == STATUS_OK)
        s = write_configuration(l, config);
    node_free(config);
    TRY(s);
    TRY(write_command(l));
    return write_images(l);
}

enum status run_events_end(struct loop *l, enum status how)
{
    if (how == STATUS_INTERRUPTED)
        return STATUS_OK;
    if (how == STATUS_OK && !was_recorded(l))
        TRY(write_confusion(l));
    return tensorboard_end_session(events_of(l), how == STATUS_OK);
}
