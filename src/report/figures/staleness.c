/*
 * staleness.c - how many updates lay between a gradient's model and its arrival at the server, as a
 * histogram over all workers.
 */
#include <inttypes.h>
#include <math.h>

#include "base/mem.h"
#include "report/axis.h"
#include "report/figures/list.h"

#define WIDTH  640.0
#define HEIGHT 300.0

static const struct svg_box plot = {64, 34, WIDTH - 64 - 20, HEIGHT - 34 - 48};

struct histogram {
    int64_t bins[STALENESS_BINS], total, largest, max;
    double mean;
};

static struct histogram sum_workers(const struct record_workers *w)
{
    struct histogram h = {0};
    double sum = 0;

    for (int64_t i = 0; i < w->count; i++) {
        const struct record_staleness *s = &w->items[i].staleness;
        int64_t own = 0;

        for (int b = 0; w->items[i].has_staleness && b < STALENESS_BINS; b++) {
            const int64_t gradients = s->bins[b] > 0 ? s->bins[b] : 0;

            h.bins[b] += gradients;
            own += gradients;
            h.largest = h.bins[b] > h.largest ? h.bins[b] : h.largest;
        }
        h.total += own;
        h.max = own > 0 && s->max > h.max ? s->max : h.max;
        sum += own > 0 && isfinite(s->mean) ? s->mean * (double)own : 0;
    }
    h.mean = h.total > 0 ? sum / (double)h.total : 0;
    return h;
}

static char *bin_name(int bin)
{
    return text_format("%d%s", bin, bin == STALENESS_BINS - 1 ? "+" : "");
}

static void draw_bin(const struct histogram *h, int bin, const struct axis *y, struct svg *s)
{
    const double pitch = plot.width / STALENESS_BINS, left = plot.x + bin * pitch;
    const double top = axis_at(y, (double)h->bins[bin]);
    char *name = bin_name(bin);
    char *tooltip = text_format("staleness %s: %" PRId64 " gradients (%.1f %%)", name, h->bins[bin],
                                100 * (double)h->bins[bin] / (double)h->total);

    if (h->bins[bin] > 0)
        svg_rect_about(s, (struct svg_box){left + 3, top, pitch - 6, plot.y + plot.height - top},
                       &(struct svg_look){.fill = SVG_FILL_0}, tooltip);
    svg_text(s,
             &(struct svg_label){.x = left + pitch / 2,
                                 .y = plot.y + plot.height + 16,
                                 .size = SVG_SMALL,
                                 .anchor = SVG_MIDDLE,
                                 .colour = SVG_FAINT},
             name);
    mem_free(tooltip);
    mem_free(name);
}

/* A line at the mean, with its value where the line leaves room. */
static void draw_mean(const struct histogram *h, struct svg *s)
{
    const double pitch = plot.width / STALENESS_BINS;
    const double x = plot.x + pitch * fmin(h->mean + 0.5, STALENESS_BINS);
    const bool is_right = h->mean < STALENESS_BINS / 2;
    char *label = text_format("mean %.3g", h->mean);

    svg_line(s, (struct svg_point){x, plot.y - 6}, (struct svg_point){x, plot.y + plot.height},
             &(struct svg_look){.stroke = SVG_WARN, .stroke_width = 1.5, .dash = "4 3"});
    svg_text(s,
             &(struct svg_label){.x = x + (is_right ? 6 : -6),
                                 .y = plot.y + 2,
                                 .anchor = is_right ? SVG_START : SVG_END,
                                 .colour = SVG_WARN},
             label);
    mem_free(label);
}

static void draw_histogram(const struct histogram *h, struct figure *f)
{
    const struct axis_range range = {
        .high = (double)h->largest,
        .from = plot.y + plot.height,
        .to = plot.y + 12,
        .is_whole = true,
    };
    struct axis y;
    struct svg s;

    axis_init(&y, &range);
    svg_open(&s, &f->svg, &(struct svg_frame){WIDTH, HEIGHT, f->title, SVG_LIGHT});
    axis_draw_left(&y, &s, plot, "gradients");
    for (int bin = 0; bin < STALENESS_BINS; bin++)
        draw_bin(h, bin, &y, &s);
    svg_text(&s,
             &(struct svg_label){.x = plot.x + plot.width / 2,
                                 .y = plot.y + plot.height + 36,
                                 .anchor = SVG_MIDDLE},
             "staleness (updates of the model in between)");
    draw_mean(h, &s);
    svg_close(&s);
}

static void put_numbers(const struct histogram *h, struct figure *f)
{
    static const char *const titles[] = {"staleness", "gradients", NULL};

    figure_start_numbers(f, titles, STALENESS_BINS);
    for (int bin = 0; bin < STALENESS_BINS; bin++) {
        char *name = bin_name(bin);

        figure_put_text(f, bin, 0, name);
        figure_put_int(f, bin, 1, h->bins[bin]);
        mem_free(name);
    }
}

static bool draw(const struct record *r, struct figure *f)
{
    const struct histogram h = sum_workers(&r->workers);

    if (h.total == 0 || h.max == 0)
        return false;
    draw_histogram(&h, f);
    put_numbers(&h, f);
    f->caption = text_format(
        "How many updates the server made between sending a model and receiving the gradient "
        "computed with it. %" PRId64 " gradients of all workers, mean %.3g, at most %" PRId64 ".",
        h.total, h.mean, h.max);
    return true;
}

const struct run_figure staleness_figure = {
    .name = "staleness",
    .title = "Staleness of gradients",
    .draw = draw,
};
