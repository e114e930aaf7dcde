/*
 * partition.c - how many samples of each class every worker has.
 */
#include <inttypes.h>
#include <math.h>

#include "base/mem.h"
#include "report/axis.h"
#include "report/figures/list.h"
#include "report/heat_map.h"

enum { COUNTS_ROWS_MAX = 64, COUNTS_COLUMNS_MAX = 20, NUMBERS_MAX = 20000 };

static int64_t largest_count(const struct partition_counts *p)
{
    int64_t largest = 0;

    for (int64_t i = 0; i < p->workers * p->classes; i++)
        largest = p->counts[i] > largest ? p->counts[i] : largest;
    return largest;
}

static void draw_map(const struct partition_counts *p, int64_t largest, struct figure *f)
{
    const bool has_room = p->workers <= COUNTS_ROWS_MAX && p->classes <= COUNTS_COLUMNS_MAX;
    double *shades = MEM_NEW_N(double, p->workers * p->classes);
    struct text high = {0};

    axis_add_short(&high, (double)largest, AXIS_NUMBER);
    text_add(&high, " samples");
    for (int64_t i = 0; i < p->workers * p->classes; i++)
        shades[i] = (double)p->counts[i] / (double)largest;
    heat_map_draw(
        &(struct heat_map){
            .title = f->title,
            .rows = p->workers,
            .columns = p->classes,
            .shades = shades,
            .counts = has_room ? p->counts : NULL,
            .column_names = p->class_names,
            .row_title = "worker",
            .column_title = "class",
            .low = "0",
            .high = text_get(&high),
        },
        &f->svg);
    text_release(&high);
    mem_free(shades);
}

/* A column per class; of very many, the samples of each worker alone. */
static void put_numbers(const struct partition_counts *p, struct figure *f)
{
    const int64_t classes = p->workers * p->classes <= NUMBERS_MAX ? p->classes : 0;

    f->numbers = text_table_new(p->workers + 1, classes + 2);
    text_table_put(&f->numbers, 0, 0, mem_text("worker"));
    text_table_put(&f->numbers, 0, 1, mem_text("samples"));
    for (int64_t c = 0; c < classes; c++)
        text_table_put(&f->numbers, 0, c + 2,
                       p->class_names == NULL ? text_format("class %" PRId64, c)
                                              : mem_text(p->class_names[c]));
    for (int64_t w = 0; w < p->workers; w++) {
        figure_put_int(f, w, 0, w);
        figure_put_int(f, w, 1, p->samples[w]);
        for (int64_t c = 0; c < classes; c++)
            figure_put_int(f, w, c + 2, p->counts[w * p->classes + c]);
    }
}

static char *make_caption(const struct partition_counts *p)
{
    int64_t fewest = p->samples[0], most = p->samples[0];

    for (int64_t w = 1; w < p->workers; w++) {
        fewest = p->samples[w] < fewest ? p->samples[w] : fewest;
        most = p->samples[w] > most ? p->samples[w] : most;
    }
    if (fewest == most)
        return text_format(
            "Samples of each class that a worker has. Every worker has %" PRId64 " samples.", most);
    return text_format("Samples of each class that a worker has. Workers have %" PRId64
                       " to %" PRId64 " samples.",
                       fewest, most);
}

static bool draw(const struct record *r, struct figure *f)
{
    const struct partition_counts *p = &r->partition;
    const int64_t largest = p->counts == NULL ? 0 : largest_count(p);

    if (p->workers < 2 || largest == 0)
        return false;
    draw_map(p, largest, f);
    put_numbers(p, f);
    f->caption = make_caption(p);
    return true;
}

const struct run_figure partition_figure = {
    .name = "partition",
    .title = "Partition of the training data",
    .draw = draw,
};
