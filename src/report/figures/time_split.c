/*
 * time_split.c - where the time of each worker went: a bar per worker, stacked.
 *
 * Up to BARS_MAX workers each has a bar with its number. More are sorted by the time that they
 * computed; a thin bar is then the mean of neighbours in that order.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "report/activity.h"
#include "report/axis.h"
#include "report/figures/list.h"

#define WIDTH 720.0
#define LEFT  64.0
#define RIGHT 24.0
#define TOP   34.0

enum { BARS_MAX = 60, THIN_BARS_MAX = 200 };

struct split {
    double seconds[ACTIVITIES_OF_WORKERS];
};

struct bars {
    struct split *items; /* [count] */
    int64_t count, workers;
    double pitch, thickness;
};

static struct split split_of(const struct record_worker *w)
{
    const struct counters *c = &w->counters;

    return (struct split){
        {
         [ACTIVITY_COMPUTING] = c->computing,
         [ACTIVITY_WAITING] = c->waiting,
         [ACTIVITY_TRANSFERRING] = c->transferring,
         [ACTIVITY_SLEEPING] = c->sleeping,
         }
    };
}

static double total_of(const struct split *p)
{
    double total = 0;

    for (int a = 0; a < ACTIVITIES_OF_WORKERS; a++)
        total += p->seconds[a];
    return total;
}

static int compare_computing(const void *a, const void *b)
{
    const double x = ((const struct split *)a)->seconds[ACTIVITY_COMPUTING];
    const double y = ((const struct split *)b)->seconds[ACTIVITY_COMPUTING];

    return (x < y) - (x > y);
}

/* Neighbours become their mean, until there are at most THIN_BARS_MAX. */
static void merge(struct bars *b)
{
    const int64_t count = b->workers < THIN_BARS_MAX ? b->workers : THIN_BARS_MAX;

    qsort(b->items, (size_t)b->workers, sizeof *b->items, compare_computing);
    for (int64_t i = 0; i < count; i++) {
        const int64_t begin = i * b->workers / count, end = (i + 1) * b->workers / count;
        struct split mean = {0};

        for (int64_t w = begin; w < end; w++)
            for (int a = 0; a < ACTIVITIES_OF_WORKERS; a++)
                mean.seconds[a] += b->items[w].seconds[a] / (double)(end - begin);
        b->items[i] = mean; /* i <= begin */
    }
    b->count = count;
}

/* What is not a time counts as none. */
static struct split drawable(struct split p)
{
    for (int a = 0; a < ACTIVITIES_OF_WORKERS; a++)
        p.seconds[a] = isfinite(p.seconds[a]) ? fmax(p.seconds[a], 0) : 0;
    return p;
}

static struct bars make_bars(const struct record_workers *w)
{
    struct bars b = {.items = MEM_NEW_N(struct split, w->count), .count = w->count};

    b.workers = w->count;
    for (int64_t i = 0; i < w->count; i++)
        b.items[i] = drawable(split_of(&w->items[i]));
    if (b.workers > BARS_MAX)
        merge(&b);
    b.pitch = b.workers > BARS_MAX ? floor(fmin(6, 480.0 / (double)b.count))
              : b.count > 20       ? 14
                                   : 24;
    b.thickness = b.workers > BARS_MAX ? b.pitch : b.pitch - (b.count > 20 ? 3 : 7);
    return b;
}

static void add_tooltip(struct text *out, const struct split *p)
{
    const double total = total_of(p);

    for (int a = 0; a < ACTIVITIES_OF_WORKERS; a++) {
        text_addf(out, "%s%s ", a == 0 ? "" : ", ", activity_entries[a].name);
        axis_add_short(out, p->seconds[a], AXIS_SECONDS);
        if (total > 0)
            text_addf(out, " (%.0f %%)", 100 * p->seconds[a] / total);
    }
}

static void draw_bar(const struct bars *b, int64_t i, const struct axis *x, struct svg *s)
{
    const double top = TOP + (double)i * b->pitch + (b->pitch - b->thickness) / 2;
    struct text tooltip = {0};
    double before = 0;

    add_tooltip(&tooltip, &b->items[i]);
    for (int a = 0; a < ACTIVITIES_OF_WORKERS; a++) {
        const double seconds = b->items[i].seconds[a];
        const double from = axis_at(x, before), to = axis_at(x, before + seconds);

        if (seconds <= 0)
            continue;
        svg_rect_about(s, (struct svg_box){from, top, to - from, b->thickness},
                       &(struct svg_look){.fill = activity_entries[a].colour}, text_get(&tooltip));
        before += seconds;
    }
    text_release(&tooltip);
}

/* Without gaps and tooltips; a path per activity. */
static void draw_thin_bars(const struct bars *b, const struct axis *x, struct svg *s)
{
    for (int a = 0; a < ACTIVITIES_OF_WORKERS; a++) {
        struct text path = {0};

        for (int64_t i = 0; i < b->count; i++) {
            double before = 0;

            for (int k = 0; k < a; k++)
                before += b->items[i].seconds[k];
            const double from = axis_at(x, before);
            const double to = axis_at(x, before + b->items[i].seconds[a]);
            svg_path_to(&path, 'M', (struct svg_point){from, TOP + ((double)i + 0.5) * b->pitch});
            svg_path_by(&path, 'h', to - from);
        }
        svg_path(s, text_get(&path),
                 &(struct svg_look){.stroke = activity_entries[a].colour,
                                    .stroke_width = b->pitch,
                                    .is_crisp = true});
        text_release(&path);
    }
}

static void draw_numbers(const struct bars *b, struct svg *s)
{
    for (int64_t i = 0; i < b->count; i++) {
        char *number = text_format("%" PRId64, i);

        svg_text(s,
                 &(struct svg_label){.x = LEFT - 8,
                                     .y = TOP + ((double)i + 0.5) * b->pitch + 4,
                                     .size = SVG_SMALL,
                                     .anchor = SVG_END,
                                     .colour = SVG_FAINT},
                 number);
        mem_free(number);
    }
}

static void draw_bars(const struct bars *b, double longest, struct figure *f)
{
    const struct svg_box plot = {LEFT, TOP, WIDTH - LEFT - RIGHT, b->pitch * (double)b->count};
    const struct axis_range range = {
        .unit = AXIS_SECONDS,
        .high = longest,
        .from = plot.x,
        .to = plot.x + plot.width,
    };
    const struct legend legend = {
        activity_entries, ACTIVITIES_OF_WORKERS, LEFT, 6, WIDTH - LEFT,
    };
    const bool has_numbers = b->workers <= BARS_MAX;
    struct axis x;
    struct svg s;

    axis_init(&x, &range);
    svg_open(&s, &f->svg, &(struct svg_frame){WIDTH, TOP + plot.height + 44, f->title, SVG_LIGHT});
    legend_draw(&legend, &s);
    axis_draw_below(&x, &s, plot, "time of training");
    svg_text(&s,
             &(struct svg_label){
                 .x = 16, .y = TOP + plot.height / 2, .anchor = SVG_MIDDLE, .rotation = -90},
             has_numbers ? "worker" : "workers, sorted");
    if (has_numbers)
        draw_numbers(b, &s);
    else
        draw_thin_bars(b, &x, &s);
    for (int64_t i = 0; i < b->count && has_numbers; i++)
        draw_bar(b, i, &x, &s);
    svg_close(&s);
}

static void put_numbers(const struct record_workers *w, struct figure *f)
{
    static const char *const titles[] = {"worker",           "computing_seconds",
                                         "waiting_seconds",  "transferring_seconds",
                                         "sleeping_seconds", NULL};

    figure_start_numbers(f, titles, w->count);
    for (int64_t i = 0; i < w->count; i++) {
        const struct split split = split_of(&w->items[i]);

        figure_put_int(f, i, 0, i);
        for (int a = 0; a < ACTIVITIES_OF_WORKERS; a++)
            figure_put_number(f, i, 1 + a, split.seconds[a]);
    }
}

static char *make_caption(const struct bars *b, const struct split *sum)
{
    struct text caption = {0};

    text_add(&caption, "What each worker spent its time on. ");
    if (b->workers > BARS_MAX)
        text_addf(&caption, "The %" PRId64 " workers are sorted by the time that they computed. ",
                  b->workers);
    text_add(&caption, "Of all time:");
    for (int a = 0; a < ACTIVITIES_OF_WORKERS; a++)
        text_addf(&caption, "%s %.0f %% %s", a == 0 ? "" : ",",
                  100 * sum->seconds[a] / total_of(sum), activity_entries[a].name);
    text_add(&caption, ".");
    return text_take(&caption);
}

static bool draw(const struct record *r, struct figure *f)
{
    struct bars b = make_bars(&r->workers);
    struct split sum = {0};
    double longest = 0;

    for (int64_t i = 0; i < b.count; i++) {
        longest = fmax(longest, total_of(&b.items[i]));
        for (int a = 0; a < ACTIVITIES_OF_WORKERS; a++)
            sum.seconds[a] += b.items[i].seconds[a];
    }
    if (longest > 0) {
        draw_bars(&b, longest, f);
        put_numbers(&r->workers, f);
        f->caption = make_caption(&b, &sum);
    }
    mem_free(b.items);
    return longest > 0;
}

const struct run_figure time_split_figure = {
    .name = "time_split",
    .title = "Where the time went",
    .draw = draw,
};
