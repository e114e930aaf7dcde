/*
 * csv_data.c - your own table: a CSV file with a sample in each row, and a column with its class or
 * columns with numbers to predict.
 *
 * Not here: the format (format/csv.h), what columns are for (csv_columns.c), rows (csv_rows.c).
 */
#include <string.h>

#include "base/file_map.h"
#include "base/mem.h"
#include "data/class_names.h"
#include "data/csv_rows.h"
#include "data/list.h"
#include "data/test_split.h"

struct csv_options {
    char *path, *label, *targets, *ignore, *test;
    int header, separator;
    double test_fraction;
    int64_t seed;
};

static const char *const header_names[] = {"auto", "yes", "no", NULL};
static const char *const separator_names[] = {"auto", "comma", "semicolon", "tab", NULL};
static const char separators[] = {0, ',', ';', '\t'};

static const struct field csv_fields[] = {
    FIELD_PATH(struct csv_options, path, NULL, "the file"),
    FIELD_TEXT(struct csv_options, label, NULL,
               "column of the class, by name or number from 1 (without it: the last column)"),
    FIELD_TEXT(struct csv_options, targets, NULL,
               "columns to predict as numbers, with commas, instead of a class"),
    FIELD_TEXT(struct csv_options, ignore, NULL, "columns that are not used, with commas"),
    FIELD_CHOICE(struct csv_options, header, "auto", header_names,
                 "whether the first row has the names of the columns"),
    FIELD_CHOICE(struct csv_options, separator, "auto", separator_names, "what is between cells"),
    FIELD_PATH(struct csv_options, test, NULL, "file of the test part, with the same columns"),
    FIELD_REAL(struct csv_options, test_fraction, 0.1, 0.001, 0.9,
               "part of each class, or of all rows, that tests, without a file of tests"),
    FIELD_INT(struct csv_options, seed, 1, 0, 9007199254740991,
              "seed by which rows that test are chosen"),
    FIELD_LAST,
};

/* --- files --- */

/* One file under way. */
struct table {
    struct file_map map;
    struct csv csv;
    struct csv_columns columns;
    struct csv_rows rows;
};

static void table_release(struct table *t)
{
    csv_rows_release(&t->rows);
    csv_columns_release(&t->columns);
    csv_close(&t->csv);
    file_map_close(&t->map);
}

static enum status table_read(struct table *t, const char *path, const struct csv_options *o)
{
    const struct csv_column_request request = {
        .label = o->label,
        .targets = o->targets,
        .ignored = o->ignore,
        .header = (enum csv_header)o->header,
    };

    TRY(file_map_open(&t->map, path));
    TRY(csv_open(&t->csv, path, t->map.data, t->map.bytes, separators[o->separator]));
    TRY(csv_columns_init(&t->columns, &t->csv, &request));
    return csv_rows_read(&t->rows, &t->csv, &t->columns);
}

/* --- the second file --- */

static enum status check_same_columns(const struct csv *a, const struct csv *b)
{
    if (a->columns != b->columns)
        return FAIL(STATUS_BAD_INPUT, "%s: has %lld columns; %s has %lld", b->name,
                    (long long)b->columns, a->name, (long long)a->columns);
    for (int64_t i = 0; a->header != NULL && b->header != NULL && i < a->columns; i++)
        if (strcmp(a->header[i], b->header[i]) != 0)
            return FAIL(STATUS_BAD_INPUT, "%s: column %lld is \"%s\"; in %s it is \"%s\"", b->name,
                        (long long)i + 1, b->header[i], a->name, a->header[i]);
    return STATUS_OK;
}

/* --- samples --- */

static enum status set_labels(struct samples *part, const struct table *t,
                              const struct class_names *names)
{
    part->labels = MEM_NEW_N(int32_t, part->count);
    for (int64_t i = 0; i < part->count; i++) {
        part->labels[i] = class_names_find(names, t->rows.words[i]);
        if (part->labels[i] < 0)
            return FAIL(STATUS_BAD_INPUT,
                        "%s:%lld: class \"%s\" is not among those of the training part",
                        t->csv.name, (long long)t->rows.lines[i], t->rows.words[i]);
    }
    return STATUS_OK;
}

/* Takes over the numbers of the table. */
static enum status set_part(struct samples *part, struct table *t, const struct class_names *names)
{
    part->count = t->rows.count;
    part->values = t->rows.values;
    part->targets = t->rows.targets;
    t->rows.values = t->rows.targets = NULL;
    return t->rows.words == NULL ? STATUS_OK : set_labels(part, t, names);
}

static void describe(struct dataset *d, const struct table *t)
{
    struct class_names names = {0};

    d->height = d->width = 1;
    d->channels = t->columns.inputs;
    d->target_size = t->columns.targets;
    if (t->rows.words == NULL)
        return;
    class_names_init(&names, t->rows.words, t->rows.count);
    d->classes = names.count;
    d->own_names = names.names;
    d->class_names = (const char *const *)d->own_names;
}

static enum status load_tables(struct dataset *d, const struct csv_options *o, struct table *train,
                               struct table *test)
{
    TRY(table_read(train, o->path, o));
    describe(d, train);

    const struct class_names names = {.names = d->own_names, .count = d->classes};

    if (train->rows.words != NULL && d->classes < 2)
        return FAIL(STATUS_BAD_INPUT,
                    "%s: all rows have class \"%s\"; name the column of the class by data.label, "
                    "or that of a number to predict by data.targets",
                    o->path, d->own_names[0]);
    TRY(set_part(&d->train, train, &names));
    if (o->test == NULL)
        return test_split(d, o->test_fraction, (uint64_t)o->seed);
    TRY(table_read(test, o->test, o));
    TRY(check_same_columns(&train->csv, &test->csv));
    return set_part(&d->test, test, &names);
}

static enum status csv_load(struct dataset *d, const struct dataset_request *request)
{
    const struct csv_options *o = request->options;
    struct table tables[2] = {0};

    if (o->path == NULL)
        return FAIL(STATUS_BAD_INPUT, "data.path: is missing; use --dataset csv:FILE");
    if (request->data_dir != NULL)
        return FAIL(STATUS_BAD_INPUT, "data.dir: data set csv is a file; use --dataset csv:FILE");
    d->path = mem_text(o->path);
    const enum status s = load_tables(d, o, &tables[0], &tables[1]);
    table_release(&tables[0]);
    table_release(&tables[1]);
    return s;
}

const struct dataset_ops csv_data = {
    .entry = {.name = "csv",
              .also = "table tsv",
              .argument = "path",
              .summary = "your own table: a CSV file, a sample in each row",
              .fields = csv_fields,
              .options_size = sizeof(struct csv_options)},
    .hint = "csv:FILE",
    .height = 1,
    .width = 1,
    .normalize = "channel",
    .load = csv_load,
};
