/*
 * landscape_show.c - what `muster landscape` prints about a landscape.
 */
#include <inttypes.h>
#include <math.h>

#include "base/mem.h"
#include "base/text_table.h"
#include "cli/landscape.h"

void landscape_show_summary(const struct landscape *l, struct text *out)
{
    const int64_t least = landscape_minimum(l);

    text_addf(out, "loss on %s\n", l->data);
    if (isnan(l->explained[0]))
        text_addf(out, "plane: two random directions (%s) through the last snapshot\n",
                  l->directions);
    else
        text_addf(out,
                  "plane: PCA of %" PRId64 " snapshots, explains %.2f %% of the variance "
                  "(%.2f %% and %.2f %%)\n",
                  l->point_count, 100 * (l->explained[0] + l->explained[1]), 100 * l->explained[0],
                  100 * l->explained[1]);
    text_addf(out, "grid: %" PRId64 " x %" PRId64, l->grid, l->grid);
    if (least >= 0) {
        text_add(out, ", lowest loss ");
        text_add_fixed(out, l->losses[least], 4);
        text_addf(out, " at (%.4g, %.4g)", l->x[least % l->grid], l->y[least / l->grid]);
    }
    text_add(out, "\n");
    if (l->recalibrated > 0)
        text_addf(out, "BatchNorm's statistics are measured again at every point (%d batches)\n",
                  l->recalibrated);
}

static void put_point(struct text_table *t, int64_t row, const char *name,
                      const struct landscape_point *p)
{
    text_table_put(t, row, 0, mem_text(name));
    text_table_put(t, row, 1, text_format("%" PRId64, p->time.round));
    text_table_put(t, row, 2, text_format("%.4g", p->time.epoch));
    text_table_put(t, row, 3, text_fixed(p->loss, 4));
    text_table_put(t, row, 4, text_fixed(p->plane_loss, 4));
    text_table_put(t, row, 5, text_format("%.4g", p->distance));
}

void landscape_show_path(const struct landscape *l, struct text *out)
{
    static const char *const heads[] = {"run",  "round",         "epoch",
                                        "loss", "loss in plane", "distance"};
    enum { COLUMNS = sizeof heads / sizeof heads[0] };
    struct text_table t = text_table_new(l->point_count + 1, COLUMNS);

    t.is_left[0] = true;
    for (int i = 0; i < COLUMNS; i++)
        text_table_put(&t, 0, i, mem_text(heads[i]));
    for (int64_t r = 0; r < l->run_count; r++)
        for (int64_t i = l->runs[r].first; i < l->runs[r].first + l->runs[r].count; i++)
            put_point(&t, i + 1, l->runs[r].name, &l->points[i]);
    text_table_write(&t, out);
    text_table_free(&t);
}

void landscape_show_table(const struct table *t, struct text *out)
{
    table_text(t, out);
    if (t->note != NULL) {
        text_add(out, "\n");
        fields_help_paragraph(t->note, out);
    }
}
