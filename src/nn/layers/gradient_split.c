/* gradient_split.c - weight gradients cut over threads; see gradient_split.h. */
#include "nn/layers/gradient_split.h"

#include <string.h>

static int64_t blocks_of(const struct gradient_split *s)
{
    return (s->k + s->block - 1) / s->block;
}

int64_t gradient_split_items(const struct gradient_split *s)
{
    return (s->columns + PANEL - 1) / PANEL * blocks_of(s);
}

/* Where an item begins in dw; the item after the last is the end of dw. */
static int64_t item_offset(const struct gradient_split *s, int64_t item)
{
    const int64_t first = item / blocks_of(s) * PANEL, k = item % blocks_of(s) * s->block;

    if (first >= s->columns)
        return s->k * s->columns;
    return first * s->k + k * panel_width(s->columns, first);
}

void gradient_split_clear(const struct gradient_split *s, int64_t begin, int64_t end)
{
    const int64_t first = item_offset(s, begin), last = item_offset(s, end);

    memset(s->dw + first, 0, (size_t)(last - first) * sizeof *s->dw);
}

/* The columns first .. last-1 of the left operand, cut inside its only run or between runs. */
static struct panel_rows cut_rows(const struct panel_rows *a, int64_t first, int64_t last)
{
    struct panel_rows cut = *a;

    if (a->runs == 1) {
        cut.data += first;
        cut.run = last - first;
    } else {
        cut.data += first / a->run * a->run_stride;
        cut.runs = (last - first) / a->run;
    }
    return cut;
}

void gradient_split_add(const struct gradient_split *s, const struct panel_rows *a, const float *dc,
                        struct item_range items)
{
    const int64_t blocks = blocks_of(s);
    void (*gradient)(float *, const struct panel_rows *, const float *, int64_t, int64_t, int64_t,
                     int64_t) = s->sets ? s->kernel->panel_gradient_set : s->kernel->panel_gradient;
    int64_t item = items.begin;

    while (item < items.end) {
        const int64_t panel = item / blocks, block = item % blocks;
        if (block == 0 && items.end - item >= blocks) {
            const int64_t panels = (items.end - item) / blocks;
            gradient(s->dw, a, dc, s->columns, s->columns, panel, panel + panels);
            item += panels * blocks;
            continue;
        }
        const int64_t stop = items.end < (panel + 1) * blocks ? items.end : (panel + 1) * blocks;
        const int64_t last = (stop - panel * blocks) * s->block;
        const struct panel_rows cut = cut_rows(a, block * s->block, last < s->k ? last : s->k);
        gradient(s->dw + item_offset(s, item), &cut, dc + panel * PANEL, s->columns,
                 panel_width(s->columns, panel * PANEL), 0, 1);
        item = stop;
    }
}
