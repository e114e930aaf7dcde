/*
 * confusion.c - what the model answers to the samples of each class.
 *
 * A cell is coloured by its share of its row: the diagonal is then the recall. Above CLASSES_MAX
 * classes a matrix shows nothing; the figure of the classes names the worst.
 */
#include <inttypes.h>

#include "base/mem.h"
#include "report/figures/list.h"
#include "report/heat_map.h"

enum { COUNTS_MAX = 20, CLASSES_MAX = 200, MATRIX_NUMBERS_MAX = 128 };

struct mistake {
    int64_t truth, answer, count;
};

/* Shares of the row; answers the number of samples. */
static int64_t fill_shades(const struct confusion *c, double *shades)
{
    int64_t samples = 0;

    for (int64_t row = 0; row < c->classes; row++) {
        int64_t sum = 0;

        for (int64_t k = 0; k < c->classes; k++)
            sum += c->matrix[row * c->classes + k];
        for (int64_t k = 0; k < c->classes && sum > 0; k++)
            shades[row * c->classes + k] = (double)c->matrix[row * c->classes + k] / (double)sum;
        samples += sum;
    }
    return samples;
}

static struct mistake most_frequent_mistake(const struct confusion *c)
{
    struct mistake most = {0};

    for (int64_t i = 0; i < c->classes * c->classes; i++) {
        const int64_t truth = i / c->classes, answer = i % c->classes;

        if (truth != answer && c->matrix[i] > most.count)
            most = (struct mistake){truth, answer, c->matrix[i]};
    }
    return most;
}

/* mem_free */
static char *class_name(const struct confusion *c, int64_t i)
{
    return c->class_names == NULL ? text_format("%" PRId64, i) : mem_text(c->class_names[i]);
}

static char *make_caption(const struct confusion *c, int64_t samples)
{
    const struct mistake most = most_frequent_mistake(c);
    char *truth = class_name(c, most.truth), *answer = class_name(c, most.answer);
    struct text caption = {0};

    text_addf(&caption,
              "Answers to the %" PRId64 " %s samples, by their true class, after round %" PRId64
              ". The colour is the share of the row.",
              samples, c->part[0] == '\0' ? "test" : c->part, c->round);
    if (most.count > 0)
        text_addf(&caption, " Most frequent mistake: %s classified as %s (%" PRId64 ").", truth,
                  answer, most.count);
    mem_free(truth);
    mem_free(answer);
    return text_take(&caption);
}

/* A row per cell that is not 0; a matrix reads well only while it is small. */
static void put_pairs(const struct confusion *c, struct figure *f)
{
    static const char *const titles[] = {"true_class", "answer", "samples", NULL};
    int64_t rows = 0, row = 0;

    for (int64_t i = 0; i < c->classes * c->classes; i++)
        rows += c->matrix[i] != 0;
    figure_start_numbers(f, titles, rows);
    for (int64_t i = 0; i < c->classes * c->classes; i++) {
        if (c->matrix[i] == 0)
            continue;
        text_table_put(&f->numbers, row + 1, 0, class_name(c, i / c->classes));
        text_table_put(&f->numbers, row + 1, 1, class_name(c, i % c->classes));
        figure_put_int(f, row++, 2, c->matrix[i]);
    }
}

static void put_matrix(const struct confusion *c, struct figure *f)
{
    f->numbers = text_table_new(c->classes + 1, c->classes + 1);
    text_table_put(&f->numbers, 0, 0, mem_text("true class"));
    for (int64_t i = 0; i < c->classes; i++) {
        text_table_put(&f->numbers, 0, i + 1, class_name(c, i));
        text_table_put(&f->numbers, i + 1, 0, class_name(c, i));
        for (int64_t k = 0; k < c->classes; k++)
            figure_put_int(f, i, k + 1, c->matrix[i * c->classes + k]);
    }
}

static void draw_map(const struct confusion *c, const double *shades, struct figure *f)
{
    heat_map_draw(
        &(struct heat_map){
            .title = f->title,
            .rows = c->classes,
            .columns = c->classes,
            .shades = shades,
            .counts = c->classes <= COUNTS_MAX ? c->matrix : NULL,
            .row_names = c->class_names,
            .column_names = c->class_names,
            .row_title = "true class",
            .column_title = "answer of the model",
            .low = "0 %",
            .high = "100 %",
        },
        &f->svg);
}

static bool draw(const struct record *r, struct figure *f)
{
    const struct confusion *c = &r->confusion;

    if (c->matrix == NULL || c->classes < 2 || c->classes > CLASSES_MAX)
        return false;
    double *shades = MEM_NEW_N(double, c->classes * c->classes);
    const int64_t samples = fill_shades(c, shades);
    if (samples > 0) {
        draw_map(c, shades, f);
        (c->classes <= MATRIX_NUMBERS_MAX ? put_matrix : put_pairs)(c, f);
        f->caption = make_caption(c, samples);
    }
    mem_free(shades);
    return samples > 0;
}

const struct run_figure confusion_figure = {
    .name = "confusion",
    .title = "Confusion matrix",
    .draw = draw,
};
