/*
 * evaluate_table.c - several models in one table: training and test side by side.
 */
#include <math.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text_table.h"
#include "cli/evaluate.h"

static char *copy_of(const char *text)
{
    return text == NULL ? NULL : mem_text(text);
}

void evaluate_table_add(struct evaluate_table *t, const struct evaluated_model *m, const char *path)
{
    struct evaluate_row row = {
        .name = mem_text(path),
        .file = mem_text(m->saved.file),
        .model = mem_text(m->saved.build->plan->name),
        .dataset = copy_of(m->saved.build->plan->data_name),
        .gap = evaluate_model_gap(m),
        .seconds = m->seconds,
    };

    for (int p = PART_TRAIN; p <= PART_TEST; p++) {
        row.loss[p] = evaluate_model_value(m, (enum problem_part)p, "loss");
        row.accuracy[p] = evaluate_model_value(m, (enum problem_part)p, "accuracy");
    }
    t->count++;
    t->rows = mem_grow(t->rows, t->count, sizeof *t->rows);
    t->rows[t->count - 1] = row;
}

void evaluate_table_release(struct evaluate_table *t)
{
    for (int64_t i = 0; i < t->count; i++) {
        mem_free(t->rows[i].name);
        mem_free(t->rows[i].file);
        mem_free(t->rows[i].model);
        mem_free(t->rows[i].dataset);
    }
    mem_free(t->rows);
    *t = (struct evaluate_table){0};
}

/* --- for people --- */

static char *loss_text(double loss)
{
    struct text out = {0};

    if (isnan(loss))
        return mem_text("-");
    text_add_fixed(&out, loss, 4);
    return text_take(&out);
}

static char *percent_text(double share)
{
    return isnan(share) ? mem_text("-") : text_format("%.2f", 100.0 * share);
}

static char *duration_text(double seconds)
{
    char took[32];

    if (isnan(seconds))
        return mem_text("-");
    clock_duration(took, sizeof took, seconds);
    return mem_text(took);
}

/* Whether any row has a loss of the part. */
static bool has_part(const struct evaluate_table *t, enum problem_part part)
{
    for (int64_t i = 0; i < t->count; i++)
        if (!isnan(t->rows[i].loss[part]))
            return true;
    return false;
}

/* Puts the columns of a part, if there is anything in them, and answers the next column. */
static int64_t put_part(struct text_table *g, int64_t column, const struct evaluate_table *t,
                        enum problem_part part)
{
    if (!has_part(t, part))
        return column;
    text_table_put(g, 0, column, text_format("%s loss", problem_part_name(part)));
    text_table_put(g, 0, column + 1, text_format("%s %%", problem_part_name(part)));
    for (int64_t i = 0; i < t->count; i++) {
        text_table_put(g, i + 1, column, loss_text(t->rows[i].loss[part]));
        text_table_put(g, i + 1, column + 1, percent_text(t->rows[i].accuracy[part]));
    }
    return column + 2;
}

static void put_names(struct text_table *g, const struct evaluate_table *t)
{
    static const char *const headings[] = {"run", "model", "data"};

    for (int c = 0; c < 3; c++) {
        text_table_put(g, 0, c, mem_text(headings[c]));
        g->is_left[c] = true;
    }
    for (int64_t i = 0; i < t->count; i++) {
        const struct evaluate_row *r = &t->rows[i];

        text_table_put(g, i + 1, 0, mem_text(r->name));
        text_table_put(g, i + 1, 1, mem_text(r->model));
        text_table_put(g, i + 1, 2, mem_text(r->dataset == NULL ? "-" : r->dataset));
    }
}

void evaluate_table_text(const struct evaluate_table *t, struct text *out)
{
    const bool has_gap = has_part(t, PART_TRAIN) && has_part(t, PART_TEST);
    const int64_t columns =
        3 + 2 * (has_part(t, PART_TRAIN) + has_part(t, PART_VALIDATION) + has_part(t, PART_TEST)) +
        has_gap + 1;
    struct text_table g = text_table_new(t->count + 1, columns);
    int64_t column = 3;

    put_names(&g, t);
    for (int p = PART_TRAIN; p <= PART_TEST; p++)
        column = put_part(&g, column, t, (enum problem_part)p);
    if (has_gap)
        text_table_put(&g, 0, column, mem_text("gap"));
    for (int64_t i = 0; i < t->count && has_gap; i++)
        text_table_put(&g, i + 1, column, percent_text(t->rows[i].gap));
    text_table_put(&g, 0, columns - 1, mem_text("training time"));
    for (int64_t i = 0; i < t->count; i++)
        text_table_put(&g, i + 1, columns - 1, duration_text(t->rows[i].seconds));
    text_table_write(&g, out);
    text_table_free(&g);
    if (has_gap)
        text_add(out, "gap: accuracy on the training samples less that on the test samples, in "
                      "percentage points\n");
}

/* --- as CSV --- */

static void add_number(struct text *out, double value)
{
    text_add(out, ",");
    if (!isnan(value))
        text_add_double(out, value);
}

static void add_text(struct text *out, const char *value)
{
    text_add(out, ",");
    text_add_csv(out, value == NULL ? "" : value);
}

void evaluate_table_csv(const struct evaluate_table *t, struct text *out)
{
    text_add(out, "name,model_file,model,dataset,train_loss,train_accuracy,validation_loss,"
                  "validation_accuracy,test_loss,test_accuracy,accuracy_gap,train_seconds\n");
    for (int64_t i = 0; i < t->count; i++) {
        const struct evaluate_row *r = &t->rows[i];

        text_add_csv(out, r->name);
        add_text(out, r->file);
        add_text(out, r->model);
        add_text(out, r->dataset);
        for (int p = PART_TRAIN; p <= PART_TEST; p++) {
            add_number(out, r->loss[p]);
            add_number(out, r->accuracy[p]);
        }
        add_number(out, r->gap);
        add_number(out, r->seconds);
        text_add(out, "\n");
    }
}
