/*
 * data_partition.c - `muster data partition`: which worker gets how many samples of which label.
 *
 * Not here: the dealing (data/partition.h).
 */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/data.h"
#include "data/dataset.h"
#include "data/partition.h"
#include "data/validation_split.h"
#include "train/run_config.h"

#define USUAL "split" /* the partition where none is named */

enum { WORKERS_MAX = 100000, NAME_WIDTH = 16, COLUMN_MIN = 7 };

static const struct flag partition_flags[] = {
    {"partition",      "partition.name",      "NAME",
     "shared, split, labels, labels_unscaled, hetero, sorted, strided, dirichlet (split)",               "What"  },
    {"workers",        NULL,                  "N",    "number of workers (2)",                           NULL    },
    {"seed",           "seed",                "N",    NULL,                                              NULL    },
    {"dataset",        "data.name",           "NAME", "the data set (fashion_mnist)",                    "Data"  },
    {"data-dir",       "data.dir",            "DIR",  NULL,                                              NULL    },
    {"train-fraction", "data.train_fraction", "X",    NULL,                                              NULL    },
    {"classes",        "data.classes",        "N",
     "imagenet32, imagenet64: use only the images of the first N classes (0: all)",                      NULL    },
    {"validation",     "data.validation",     "X",    NULL,                                              NULL    },
    {"folds",          "data.folds",          "K",    NULL,                                              NULL    },
    {"fold",           "data.fold",           "N",    NULL,                                              NULL    },
    {"fold-by",        "data.fold_by",        "HOW",  NULL,                                              NULL    },
    {"save",           NULL,                  "FILE", "also write the samples of every worker to FILE",  "Output"},
    {"force",          NULL,                  NULL,   "replace FILE even if it is another kind of file", NULL    },
    {"json",           NULL,                  NULL,   "print one JSON object",                           NULL    },
    FLAG_LAST,
};

static const struct flag_table partition_tables[] = {
    {"",           run_config_fields},
    {"data",            data_fields},
    {0},
};

static const struct registry *const partition_registries[] = {&dataset_registry,
                                                              &partition_registry, NULL};

static const struct flags_spec partition_spec = {
    .command = "data partition",
    .usage = "muster data partition [flags]",
    .intro = "Divides the training set among workers as a run would. Prints how many samples of "
             "each label each worker gets, and the hash that such a run records. Options of the "
             "partition are flags too: --dirichlet.alpha 0.1.",
    .examples = "muster data partition --partition labels --workers 5\n"
                "muster data partition --partition dirichlet --dirichlet.alpha 0.1 --workers 10\n"
                "muster data partition --partition hetero --workers 3 --dataset figures --json",
    .flags = partition_flags,
    .tables = partition_tables,
    .registries = partition_registries,
};

/* What is shown: the partition, and how many samples of each label each worker has. */
struct table {
    const struct dataset *dataset;
    const struct partition *partition;
    int64_t rows;    /* classes, or 0 */
    int64_t *counts; /* [rows][workers] */
};

static int64_t *count_labels(const struct partition *p, const int32_t *labels, int64_t classes)
{
    int64_t *counts = MEM_NEW_N(int64_t, classes * p->workers);

    for (int w = 0; classes > 0 && w < p->workers; w++) {
        for (int64_t i = 0; i < p->counts[w]; i++)
            counts[labels[p->items[w][i]] * (int64_t)p->workers + w]++;
    }
    return counts;
}

static int64_t total_of(const int64_t *counts, int workers)
{
    int64_t total = 0;

    for (int w = 0; w < workers; w++)
        total += counts[w];
    return total;
}

/* --- as text --- */

static int digits_of(int64_t number)
{
    int digits = 1;

    for (; number >= 10; number /= 10)
        digits++;
    return digits;
}

/* Columns of workers first .. end-1; after the last of them the total. */
struct columns {
    int first, end, width;
};

static void add_counts(struct text *out, const struct table *t, const int64_t *counts,
                       struct columns c)
{
    for (int w = c.first; w < c.end; w++)
        text_addf(out, "%*" PRId64, c.width, counts[w]);
    if (c.end == t->partition->workers)
        text_addf(out, "%*" PRId64, c.width + 1, total_of(counts, t->partition->workers));
    text_add(out, "\n");
}

static void add_block(struct text *out, const struct table *t, struct columns c)
{
    const int workers = t->partition->workers;

    text_addf(out, "\n%5s %-*s", "LABEL", NAME_WIDTH, "");
    for (int w = c.first; w < c.end; w++)
        text_addf(out, "%*s%d", c.width - digits_of(w), "w", w);
    if (c.end == workers)
        text_addf(out, "%*s", c.width + 1, "total");
    text_add(out, "\n");
    for (int64_t k = 0; k < t->rows; k++) {
        const char *name = t->dataset->class_names != NULL ? t->dataset->class_names[k] : "";

        text_addf(out, "%5" PRId64 " %-*.*s", k, NAME_WIDTH, NAME_WIDTH, name);
        add_counts(out, t, t->counts + k * workers, c);
    }
    text_addf(out, "%5s %-*s", "total", NAME_WIDTH, "");
    add_counts(out, t, t->partition->counts, c);
}

/* More workers than fit side by side follow in further blocks. */
static void add_table(struct text *out, const struct table *t)
{
    const struct partition *p = t->partition;
    const int digits = digits_of(total_of(p->counts, p->workers)) + 1;
    struct columns c = {.width = digits < COLUMN_MIN ? COLUMN_MIN : digits};
    const int64_t room = data_terminal_width() - 6 - NAME_WIDTH - c.width - 1;
    const int fit = room < c.width ? 1 : (int)(room / c.width);

    for (c.first = 0; c.first < p->workers; c.first = c.end) {
        c.end = p->workers - c.first > fit ? c.first + fit : p->workers;
        add_block(out, t, c);
    }
}

static void add_remarks(struct text *out, const struct table *t)
{
    const struct partition *p = t->partition;
    const int64_t left = p->sample_count - total_of(p->counts, p->workers);

    text_add(out, "\n");
    if (p->own_order)
        text_add(out, "every worker has all samples, in its own order\n");
    if (p->redeal)
        text_add(out, "partitioned again in each epoch; this is epoch 0\n");
    if (left > 0)
        text_addf(out, "left out so that all have the same length: %" PRId64 "\n", left);
    if (p->moved > 0)
        text_addf(out, "moved so that every worker has enough: %" PRId64 "\n", p->moved);
    text_addf(out, "hash %016" PRIx64 "\n", partition_hash(p));
}

static void show_text(struct text *out, const struct table *t)
{
    const struct partition *p = t->partition;

    text_addf(out, "%s: %s\n", p->entry->name, p->entry->summary);
    text_addf(out, "%" PRId64 " training samples of %s to %d worker%s, seed %" PRIu64 "\n",
              p->sample_count, t->dataset->ops->entry.name, p->workers, p->workers == 1 ? "" : "s",
              p->seed);
    add_table(out, t);
    add_remarks(out, t);
}

/* --- as JSON --- */

static void json_counts(struct json *j, const char *key, const int64_t *counts, int workers)
{
    json_open_list(j, key);
    for (int w = 0; w < workers; w++)
        json_int(j, NULL, counts[w]);
    json_close_list(j);
}

static void show_json(struct text *out, const struct table *t)
{
    const struct partition *p = t->partition;
    char *hash = text_format("%016" PRIx64, partition_hash(p));
    struct json j;

    json_init(&j, out);
    json_open_map(&j, NULL);
    json_text(&j, "partition", p->entry->name);
    json_text(&j, "dataset", t->dataset->ops->entry.name);
    json_int(&j, "seed", (int64_t)p->seed);
    json_int(&j, "workers", p->workers);
    json_int(&j, "samples", p->sample_count);
    json_bool(&j, "own_order", p->own_order);
    json_bool(&j, "redeal", p->redeal);
    json_int(&j, "moved", p->moved);
    json_text(&j, "hash", hash);
    json_counts(&j, "counts", p->counts, p->workers);
    json_open_list(&j, "labels");
    for (int64_t k = 0; k < t->rows; k++)
        json_counts(&j, NULL, t->counts + k * p->workers, p->workers);
    json_close_list(&j);
    json_close_map(&j);
    text_add(out, "\n");
    mem_free(hash);
}

/* --- from flags to a partition --- */

static enum status read_workers(const struct flags *f, int *workers)
{
    const char *given = flags_value(f, "workers");
    int64_t value = 2;

    if (given != NULL && (!text_to_int(given, &value) || value < 1 || value > WORKERS_MAX))
        return FAIL(STATUS_BAD_INPUT, "--workers: \"%s\" is not a whole number in [1, %d]", given,
                    WORKERS_MAX);
    *workers = (int)value;
    return STATUS_OK;
}

static enum status show_partition(const struct flags *f, const struct dataset *d,
                                  const struct partition *p, struct text *out)
{
    const char *path = flags_value(f, "save");

    if (path != NULL)
        TRY(partition_save(p, path));

    struct table t = {
        .dataset = d,
        .partition = p,
        .rows = d->classes,
        .counts = count_labels(p, d->train.labels, d->classes),
    };

    (flags_has(f, "json") ? show_json : show_text)(out, &t);
    mem_free(t.counts);
    return STATUS_OK;
}

static enum status deal_split(const struct flags *f, const struct choice *chosen,
                              const struct dataset *d, const struct partition_request *q,
                              struct text *out)
{
    struct partition p;

    TRY(partition_make(chosen, q, &p));
    const enum status s = show_partition(f, d, &p, out);
    partition_release(&p);
    return s;
}

static enum status deal_dataset(const struct flags *f, const struct choice *chosen,
                                const struct run_config *e, const struct dataset *d,
                                struct text *out)
{
    struct partition_request q = {
        .labels = d->train.labels,
        .classes = d->classes,
        .groups = d->train.groups,
        .group_count = d->groups,
        .seed = (uint64_t)e->top.seed,
    };
    const struct split_request request = problem_setting_split(&e->data, d, q.seed);
    struct validation_split split;

    TRY(read_workers(f, &q.workers));
    TRY(problem_setting_files(&e->data, d, &q.files));
    TRY(validation_split_init(&split, &request));
    q.samples = split.train;
    q.count = split.train_count;
    const enum status s = deal_split(f, chosen, d, &q, out);
    validation_split_release(&split);
    return s;
}

static enum status deal_chosen(const struct flags *f, const struct choice *chosen,
                               const struct run_config *e, struct text *out)
{
    const struct dataset_request request = {
        .data_dir = e->data.dir,
        .seed = (uint64_t)e->top.seed,
        .options = e->dataset.options,
    };
    struct dataset *d = NULL;
    int workers;

    TRY(read_workers(f, &workers)); /* before data is loaded */
    TRY(command_check_replaced(f, "save", "muster partition"));
    TRY(dataset_load(&e->dataset, &request, &d));
    const enum status s = deal_dataset(f, chosen, e, d, out);
    dataset_free(d);
    return s;
}

static enum status deal_experiment(const struct flags *f, const struct choice *chosen,
                                   struct node *root, struct text *out)
{
    struct run_config e;

    TRY(run_config_read(&e, root));
    const enum status s = deal_chosen(f, chosen, &e, out);
    run_config_release(&e);
    return s;
}

/* Flags like --dirichlet.alpha are for what is chosen, by name or by default. */
static enum status check_entries(const struct flags *f)
{
    for (int i = 0; partition_registries[i] != NULL; i++) {
        const struct registry *r = partition_registries[i];
        const struct node *section = node_find(f->tree, r->section);
        const struct node *name = section == NULL ? NULL : node_find(section, "name");
        const char *usual = r == &partition_registry ? USUAL : run_config_fallback(r);

        TRY(flags_check_entries(f, r, name == NULL ? usual : name->text));
    }
    return STATUS_OK;
}

static enum status deal(const struct flags *f, struct text *out)
{
    const struct choice_place place = {.fallback = USUAL};
    struct node *root;
    struct choice chosen = {0};

    TRY(check_entries(f));
    root = command_settings(f, &partition_spec);
    enum status s = choice_read(&chosen, &partition_registry,
                                node_find(root, partition_registry.section), &place);

    node_remove(root, partition_registry.section);
    if (s == STATUS_OK)
        s = deal_experiment(f, &chosen, root, out);
    choice_release(&chosen);
    node_free(root);
    return s;
}

enum status data_partition(int argc, char **argv)
{
    return command_run_printing(&partition_spec, argc, argv, deal);
}
