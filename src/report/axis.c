/*
 * axis.c - finds ticks and labels them.
 */
#include "report/axis.h"

#include <math.h>

#include "base/mem.h"

enum { PIXELS_PER_TICK = 70, PIXELS_PER_TICK_UPRIGHT = 40 };

void axis_extend(struct axis_range *r, double value)
{
    if (!isfinite(value) || (r->is_log && value <= 0))
        return;
    r->low = fmin(r->low, value);
    r->high = fmax(r->high, value);
}

/* --- ticks --- */

/* 1, 2 or 5 times a power of ten, at least `step`. */
static double round_step(double step)
{
    const double power = pow(10, floor(log10(step)));
    const double part = step / power;

    if (part <= 1.0000001)
        return power;
    if (part <= 2.0000001)
        return 2 * power;
    return part <= 5.0000001 ? 5 * power : 10 * power;
}

/* Times are counted in minutes above one. */
static double round_step_in(const struct axis_range *r, double step)
{
    static const double of_time[] = {60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 36000};

    if (r->unit == AXIS_SECONDS && step > 30)
        for (int i = 0; i < (int)(sizeof of_time / sizeof of_time[0]); i++)
            if (step <= of_time[i])
                return of_time[i];
    step = round_step(step);
    return r->is_whole ? fmax(step, 1) : step;
}

static void set_linear_ticks(struct axis *a, const struct axis_range *r, int wanted)
{
    const double step = round_step_in(r, (r->high - r->low) / wanted);
    double first = r->is_exact ? ceil(r->low / step - 1e-9) : floor(r->low / step + 1e-9);
    const double last = r->is_exact ? floor(r->high / step + 1e-9) : ceil(r->high / step - 1e-9);

    a->low = r->is_exact ? r->low : first * step;
    a->high = r->is_exact ? r->high : last * step;
    for (; first <= last && a->tick_count < AXIS_TICKS_MAX; first++)
        a->ticks[a->tick_count++] = first == 0 ? 0 : first * step;
}

/* Powers of ten; between few of them also 2 and 5. */
static void set_log_ticks(struct axis *a, const struct axis_range *r, int wanted)
{
    static const double parts[] = {1, 2, 5};
    const double first = floor(log10(r->low) + 1e-9), last = ceil(log10(r->high) - 1e-9);
    const int decades = (int)(last - first), stride = 1 + decades / (wanted + 1);
    const int per_decade = decades * 3 <= 2 * wanted ? 3 : 1;

    a->low = r->low;
    a->high = r->high;
    for (int d = 0; d <= decades; d += stride) {
        for (int p = 0; p < per_decade; p++) {
            const double tick = parts[p] * pow(10, first + d);

            if (tick < a->low * 0.999999 || tick > a->high * 1.000001)
                continue;
            if (a->tick_count < AXIS_TICKS_MAX)
                a->ticks[a->tick_count++] = tick;
        }
    }
}

/* A range that has an extent, whatever was found. */
static struct axis_range usable_range(const struct axis_range *given)
{
    struct axis_range r = *given;

    if (!isfinite(r.low) || !isfinite(r.high) || r.low > r.high || (r.is_log && r.low <= 0)) {
        r.low = r.is_log ? 1 : 0;
        r.high = r.is_log ? 10 : 1;
    }
    if (r.from_zero && !r.is_log) {
        r.low = fmin(r.low, 0);
        r.high = fmax(r.high, 0);
    }
    /* Beyond these a difference would overflow. */
    r.low = fmax(r.low, -1e300);
    r.high = fmin(r.high, 1e300);
    if (r.is_log && r.high < r.low * 2) {
        r.low /= 2;
        r.high *= 2;
    } else if (!r.is_log && r.high - r.low <= 1e-12 * fmax(fabs(r.low), fabs(r.high))) {
        const double half = r.low == 0 ? 0.5 : 0.1 * fabs(r.low);

        r.low -= r.from_zero && r.low >= 0 ? 0 : half;
        r.high += half;
    }
    return r;
}

void axis_init(struct axis *a, const struct axis_range *given)
{
    const struct axis_range r = usable_range(given);
    const double length = fabs(r.to - r.from);
    const bool is_upright = r.to < r.from;
    int wanted = r.ticks_wanted;

    if (wanted == 0)
        wanted = (int)(length / (is_upright ? PIXELS_PER_TICK_UPRIGHT : PIXELS_PER_TICK));
    wanted = wanted < 2 ? 2 : wanted > AXIS_TICKS_MAX - 4 ? AXIS_TICKS_MAX - 4 : wanted;
    *a = (struct axis){.is_log = r.is_log, .unit = r.unit, .from = r.from, .to = r.to};
    (r.is_log ? set_log_ticks : set_linear_ticks)(a, &r, wanted);
}

bool axis_has(const struct axis *a, double value)
{
    return isfinite(value) && (!a->is_log || value > 0);
}

double axis_at(const struct axis *a, double value)
{
    double part = 0;

    if (isnan(value) || (a->is_log && value <= 0))
        return a->from;
    if (a->is_log)
        part = (log10(value) - log10(a->low)) / (log10(a->high) - log10(a->low));
    else
        part = (value - a->low) / (a->high - a->low);
    return a->from + fmin(fmax(part, 0), 1) * (a->to - a->from);
}

/* --- labels --- */

/* Digits after the point that distinguish numbers with this difference. */
static int digits_for(double step)
{
    int digits = 0;

    while (digits < 6 && fabs(step - round(step)) > 1e-6 * step) {
        step *= 10;
        digits++;
    }
    return digits;
}

struct unit_scale {
    double factor;
    const char *suffix;
};

static struct unit_scale scale_of_seconds(double value)
{
    if (value >= 7200)
        return (struct unit_scale){3600, " h"};
    if (value >= 120)
        return (struct unit_scale){60, " min"};
    if (value >= 1 || value == 0)
        return (struct unit_scale){1, " s"};
    if (value >= 1e-3)
        return (struct unit_scale){1e-3, " ms"};
    return (struct unit_scale){1e-6, " \xc2\xb5s"};
}

static struct unit_scale scale_of_number(double value, bool is_bytes)
{
    static const struct unit_scale numbers[] = {
        {1e12, "T"},
        {1e9,  "G"},
        {1e6,  "M"},
        {1e3,  "k"}
    };
    static const struct unit_scale bytes[] = {
        {1e12, " TB"},
        {1e9,  " GB"},
        {1e6,  " MB"},
        {1e3,  " kB"}
    };
    const double least = is_bytes ? 1e3 : 1e4;

    for (int i = 0; i < 4 && value >= least; i++)
        if (value >= numbers[i].factor)
            return is_bytes ? bytes[i] : numbers[i];
    return (struct unit_scale){1, is_bytes ? " B" : ""};
}

/* For values up to this one. */
static struct unit_scale scale_of(double value, enum axis_unit unit)
{
    switch (unit) {
    case AXIS_PERCENT:
        return (struct unit_scale){0.01, " %"};
    case AXIS_SECONDS:
        return scale_of_seconds(value);
    case AXIS_NUMBER:
        return scale_of_number(value, false);
    case AXIS_BYTES:
        return scale_of_number(value, true);
    }
    return (struct unit_scale){1, ""};
}

void axis_add_label(const struct axis *a, double value, struct text *out)
{
    const double largest = a->is_log ? value : fmax(fabs(a->low), fabs(a->high));
    const struct unit_scale scale = scale_of(largest, a->unit);
    const double step = a->tick_count > 1 ? a->ticks[1] - a->ticks[0] : value;
    const double shown = value / scale.factor;

    if (value == 0)
        text_add(out, "0");
    else if (fabs(shown) >= 1e6 || largest / scale.factor < 1e-3)
        text_addf(out, "%.3g%s", shown, scale.suffix);
    else if (a->is_log)
        text_addf(out, "%.4g%s", shown, scale.suffix);
    else
        text_addf(out, "%.*f%s", digits_for(step / scale.factor), shown, scale.suffix);
}

void axis_add_short(struct text *out, double value, enum axis_unit unit)
{
    const struct unit_scale scale = scale_of(fabs(value), unit);

    const double shown = value / scale.factor;

    if (isfinite(value) && fabs(shown) >= 100 && fabs(shown) < 1e6)
        text_addf(out, "%.0f%s", shown, scale.suffix);
    else if (isfinite(value))
        text_addf(out, "%.3g%s", shown, scale.suffix);
    else
        text_add(out, isnan(value) ? "-" : value > 0 ? "infinite" : "-infinite");
}

/* --- drawing --- */

static const struct svg_look grid = {.stroke = SVG_LINE, .stroke_width = 1};

void axis_draw_below(const struct axis *x, struct svg *s, struct svg_box plot, const char *title)
{
    const double bottom = plot.y + plot.height;

    svg_group(s, &grid);
    for (int i = 0; i < x->tick_count; i++) {
        const double at = axis_at(x, x->ticks[i]);

        svg_line(s, (struct svg_point){at, plot.y}, (struct svg_point){at, bottom}, NULL);
    }
    svg_group_end(s);
    for (int i = 0; i < x->tick_count; i++) {
        struct text label = {0};

        axis_add_label(x, x->ticks[i], &label);
        svg_text(s,
                 &(struct svg_label){.x = axis_at(x, x->ticks[i]),
                                     .y = bottom + 16,
                                     .size = SVG_SMALL,
                                     .anchor = SVG_MIDDLE,
                                     .colour = SVG_FAINT},
                 text_get(&label));
        text_release(&label);
    }
    if (title != NULL)
        svg_text(s,
                 &(struct svg_label){.x = plot.x + plot.width / 2,
                                     .y = bottom + 34,
                                     .anchor = SVG_MIDDLE,
                                     .colour = SVG_INK},
                 title);
}

void axis_draw_left(const struct axis *y, struct svg *s, struct svg_box plot, const char *title)
{
    svg_group(s, &grid);
    for (int i = 0; i < y->tick_count; i++) {
        const double at = axis_at(y, y->ticks[i]);

        svg_line(s, (struct svg_point){plot.x, at}, (struct svg_point){plot.x + plot.width, at},
                 NULL);
    }
    svg_group_end(s);
    for (int i = 0; i < y->tick_count; i++) {
        struct text label = {0};

        axis_add_label(y, y->ticks[i], &label);
        svg_text(s,
                 &(struct svg_label){.x = plot.x - 7,
                                     .y = axis_at(y, y->ticks[i]) + 4,
                                     .size = SVG_SMALL,
                                     .anchor = SVG_END,
                                     .colour = SVG_FAINT},
                 text_get(&label));
        text_release(&label);
    }
    if (title != NULL)
        svg_text(s, &(struct svg_label){.x = plot.x, .y = plot.y - 12, .colour = SVG_INK}, title);
}
