/*
 * options_map.c - chooses two options, sorts their values, and fills the cells.
 */
#include "report/options_map.h"

#include <math.h>

#include "base/mem.h"
#include "record/paired_cases.h"
#include "record/results_table.h"
#include "report/heat_map.h"

enum {
    VALUES_MAX = 40,
    FILLED_MIN = 3, /* one cell of so many has run at least: ranges rarely give a value twice */
};

/* The weakest cell is visible, too. */
static const double SHADE_MIN = 0.1;

/* --- an option and its values --- */

struct option {
    const char *key;     /* borrowed, as the values are */
    const char **values; /* owned; different ones */
    int64_t count;
};

static bool is_known(const struct option *o, const char *value)
{
    for (int64_t i = 0; i < o->count; i++)
        if (text_equal(o->values[i], value))
            return true;
    return false;
}

/* Numbers by their size, other values as they come. */
static bool comes_before(const char *a, const char *b)
{
    double x, y;

    return text_to_double(a, &x) && text_to_double(b, &y) && x < y;
}

static void add_value(struct option *o, const char *value)
{
    int64_t at = o->count;

    if (value == NULL || is_known(o, value))
        return;
    o->values = mem_grow(o->values, o->count + 1, sizeof *o->values);
    for (; at > 0 && comes_before(value, o->values[at - 1]); at--)
        o->values[at] = o->values[at - 1];
    o->values[at] = value;
    o->count++;
}

/* --- which cases and which options --- */

struct options_map {
    const struct results *results;
    const struct results_case *best;
    int number;
    struct option *options; /* all that the cases have; owned, as their values are */
    int64_t option_count;
    struct option rows, columns;       /* two of them */
    const struct results_case **cells; /* [rows][columns]; NULL: not run */
};

/* Whether the case has a number, and the values of the best one but for the two options. */
static bool is_shown(const struct options_map *m, const struct results_case *c)
{
    bool shown = !isnan(c->numbers[m->number].mean) && text_equal(c->run, m->best->run);

    for (int64_t i = 0; shown && i < c->values.count; i++) {
        const struct results_value *v = &c->values.items[i];

        if (!text_equal(v->key, m->rows.key) && !text_equal(v->key, m->columns.key))
            shown = text_equal(v->text, results_find_value(&m->best->values, v->key));
    }
    return shown;
}

/* The values that an option has among all cases of the best one's entry. */
static struct option find_values(const struct options_map *m, const char *key)
{
    struct option o = {.key = key};

    for (int64_t i = 0; i < m->results->case_count; i++) {
        const struct results_case *c = &m->results->cases[i];

        if (!isnan(c->numbers[m->number].mean) && text_equal(c->run, m->best->run))
            add_value(&o, results_find_value(&c->values, key));
    }
    return o;
}

/* The first one with the most values, other than `except`. */
static int64_t most_values(const struct options_map *m, int64_t except)
{
    int64_t most = -1;

    for (int64_t i = 0; i < m->option_count; i++)
        if (i != except && (most < 0 || m->options[i].count > m->options[most].count))
            most = i;
    return most;
}

/* Rows and columns are in the order of the study; false: fewer than two options vary. */
static bool choose_options(struct options_map *m)
{
    struct results_keys keys = results_find_keys(m->results);

    m->options = MEM_NEW_N(struct option, keys.count);
    for (int64_t i = 0; i < keys.count; i++)
        m->options[m->option_count++] = find_values(m, keys.names[i]);
    mem_free(keys.names);

    const int64_t first = most_values(m, -1), second = most_values(m, first);

    if (second < 0 || m->options[second].count < 2)
        return false;
    m->rows = m->options[first < second ? first : second];
    m->columns = m->options[first < second ? second : first];
    return true;
}

static int64_t fill_cells(struct options_map *m)
{
    int64_t filled = 0;

    m->cells = MEM_NEW_N(const struct results_case *, m->rows.count * m->columns.count);
    for (int64_t i = 0; i < m->results->case_count; i++) {
        const struct results_case *c = &m->results->cases[i];

        if (!is_shown(m, c))
            continue;
        for (int64_t k = 0; k < m->rows.count * m->columns.count; k++)
            if (text_equal(results_find_value(&c->values, m->rows.key),
                           m->rows.values[k / m->columns.count]) &&
                text_equal(results_find_value(&c->values, m->columns.key),
                           m->columns.values[k % m->columns.count])) {
                m->cells[k] = c;
                filled++;
            }
    }
    return filled;
}

static bool find_best(struct options_map *m)
{
    struct paired_cases p;

    paired_cases_init(&p, m->results);
    m->number = p.number;
    for (int64_t i = 0; i < p.count; i++)
        if (p.items[i].is_best)
            m->best = &m->results->cases[p.items[i].index];
    paired_cases_release(&p);
    return m->best != NULL;
}

static bool prepare(struct options_map *m)
{
    if (!find_best(m) || !choose_options(m) || m->rows.count > VALUES_MAX ||
        m->columns.count > VALUES_MAX)
        return false;
    return fill_cells(m) * FILLED_MIN >= m->rows.count * m->columns.count;
}

/* --- the drawing --- */

struct scale {
    double worst, best; /* as qualities: more is better */
};

static double quality_of(const struct options_map *m, int64_t cell)
{
    const struct results_case *c = m->cells[cell];

    return c == NULL ? (double)NAN : paired_cases_quality(m->number, c->numbers[m->number].mean);
}

static struct scale find_scale(const struct options_map *m)
{
    struct scale s = {(double)NAN, (double)NAN};

    for (int64_t i = 0; i < m->rows.count * m->columns.count; i++) {
        s.worst = fmin(s.worst, quality_of(m, i)); /* of a number and NaN, the number */
        s.best = fmax(s.best, quality_of(m, i));
    }
    return s;
}

static char *value_text(const struct options_map *m, double value)
{
    struct text out = {0};

    results_table_value(&out, m->number, value);
    return text_take(&out);
}

static void draw_map(const struct options_map *m, const char *const *labels, const double *shades,
                     struct figure *f)
{
    const struct scale s = find_scale(m);
    char *worst = value_text(m, fabs(s.worst)), *best = value_text(m, fabs(s.best));
    int64_t marked = 0;

    while (m->cells[marked] != m->best)
        marked++;
    heat_map_draw(
        &(struct heat_map){
            .title = f->title,
            .rows = m->rows.count,
            .columns = m->columns.count,
            .shades = shades,
            .labels = labels,
            .has_mark = true,
            .marked = marked,
            .row_names = (const char *const *)m->rows.values,
            .column_names = (const char *const *)m->columns.values,
            .row_title = m->rows.key,
            .column_title = m->columns.key,
            .low = worst,
            .high = best,
        },
        &f->svg);
    mem_free(worst);
    mem_free(best);
}

static void draw_cells(const struct options_map *m, struct figure *f)
{
    const int64_t count = m->rows.count * m->columns.count;
    const struct scale s = find_scale(m);
    const double width = s.best > s.worst ? s.best - s.worst : 1;
    double *shades = MEM_NEW_N(double, count);
    char **labels = MEM_NEW_N(char *, count);

    for (int64_t i = 0; i < count; i++) {
        shades[i] = SHADE_MIN + (1 - SHADE_MIN) * (quality_of(m, i) - s.worst) / width;
        if (m->cells[i] != NULL)
            labels[i] = value_text(m, m->cells[i]->numbers[m->number].mean);
    }
    draw_map(m, (const char *const *)labels, shades, f);
    for (int64_t i = 0; i < count; i++)
        mem_free(labels[i]);
    mem_free(labels);
    mem_free(shades);
}

static void put_numbers(const struct options_map *m, struct figure *f)
{
    const char *titles[] = {m->rows.key, m->columns.key, result_numbers[m->number].key, NULL};
    int64_t filled = 0, row = 0;

    for (int64_t i = 0; i < m->rows.count * m->columns.count; i++)
        filled += m->cells[i] != NULL ? 1 : 0;
    figure_start_numbers(f, titles, filled);
    for (int64_t i = 0; i < m->rows.count * m->columns.count; i++) {
        if (m->cells[i] == NULL)
            continue;
        figure_put_text(f, row, 0, m->rows.values[i / m->columns.count]);
        figure_put_text(f, row, 1, m->columns.values[i % m->columns.count]);
        figure_put_number(f, row++, 2, m->cells[i]->numbers[m->number].mean);
    }
}

/* --- the caption --- */

/* The values of the best case that vary and are not in the map. */
static void add_others(const struct options_map *m, struct text *out)
{
    bool has_others = false;

    for (int64_t i = 0; i < m->option_count; i++) {
        const struct option *o = &m->options[i];
        const char *value = results_find_value(&m->best->values, o->key);

        if (o->count < 2 || value == NULL || o->key == m->rows.key || o->key == m->columns.key)
            continue;
        text_addf(out, "%s%s=%s",
                  has_others ? ", " : " All others are as in the best case: ", o->key, value);
        has_others = true;
    }
    text_add(out, has_others ? "." : "");
}

static char *make_caption(const struct options_map *m)
{
    char *heading = results_table_heading(m->results, m->number);
    struct text out = {0};

    text_addf(&out,
              "Mean %s by %s and %s; a strong colour is good, and the frame is the best case.",
              heading, m->rows.key, m->columns.key);
    mem_free(heading);
    add_others(m, &out);
    if (m->results->stages.count > 0)
        text_add(&out, " Cases that the search stopped early have trained less.");
    return text_take(&out);
}

bool options_map_figure(const struct subject *s, struct figure *f)
{
    struct options_map m = {.results = &s->results};
    const bool drawn = prepare(&m);

    if (drawn) {
        *f = (struct figure){.name = "options", .title = "Two options"};
        draw_cells(&m, f);
        put_numbers(&m, f);
        f->caption = make_caption(&m);
    }
    for (int64_t i = 0; i < m.option_count; i++)
        mem_free(m.options[i].values);
    mem_free(m.options);
    mem_free(m.cells);
    return drawn;
}
