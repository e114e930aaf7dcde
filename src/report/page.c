/*
 * page.c - puts the page together.
 */
#include "report/page.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "record/record.h"
#include "report/answer.h"
#include "report/assets.h"
#include "report/common_settings.h"
#include "report/curve_data.h"
#include "report/figure.h"
#include "report/html.h"
#include "report/options_map.h"
#include "report/run_facts.h"
#include "report/study_figures.h"
#include "report/worker_table.h"

/* Runs with pictures and settings of their own; of more, one of each case. */
enum { DETAILED_MAX = 40 };

/* --- head --- */

static void add_link(struct text *out, const char *name, const char *path, const char *title)
{
    if (path == NULL)
        return;
    text_addf(out, "<p><a id=\"%s\" href=\"", name);
    html_text(out, path);
    text_addf(out, "\">%s</a></p>\n", title);
}

static const struct asset *const scripts[] = {&asset_chart_script, &asset_page_script, NULL};

static void add_head(const struct subject *s, const struct page_links *links, struct text *out)
{
    html_head(out, s->title, scripts);
    text_add(out, "<p class=\"summary\">");
    struct text summary = {0};
    answer_summary(s, &summary);
    html_text(out, text_get(&summary));
    text_release(&summary);
    text_add(out, "</p>\n<p class=\"note\">");
    struct text setting = {0};
    common_settings(s, &setting);
    html_text(out, text_get(&setting));
    text_release(&setting);
    text_add(out, "</p>\n");
    add_link(out, "landscape", links->landscape, "Loss landscape");
    add_link(out, "robots", links->robots, "Robots and their maps along the run");
    text_add(out, "</header>\n<main>\n");
}

/* --- the answer --- */

static void add_table(struct text *out, const char *title, struct table *t)
{
    if (t->rows > 0) {
        if (title != NULL)
            text_addf(out, "<h3>%s</h3>\n", title);
        table_html(t, out);
    }
    table_release(t);
}

static void add_answer(const struct subject *s, struct text *out)
{
    struct table t;

    text_add(out, "<section id=\"answer\">\n<h2>Results</h2>\n");
    answer_cases(s, &t);
    add_table(out, NULL, &t);
    answer_comparisons(s, &t);
    add_table(out, "Comparison with the best case", &t);
    answer_published(s, &t);
    add_table(out, "Published results", &t);
    text_add(out, "</section>\n");
}

/* --- runs: their curves into the data, their pictures into the page --- */

struct run_parts {
    struct json *data;
    struct text *articles;
    struct curve_limits limits;
    int64_t detailed; /* so far */
    bool has_virtual_time;
};

static void add_figure(const struct figure *f, struct text *out)
{
    text_addf(out, "<figure class=\"plot\" data-name=\"%s\">\n<figcaption><b>", f->name);
    html_text(out, f->title);
    text_add(out, "</b> ");
    html_text(out, f->caption);
    text_add(out, "</figcaption>\n<div class=\"scroll\">");
    text_add_n(out, text_get(&f->svg), f->svg.length);
    text_add(out, "</div>\n");
    html_numbers(out, &f->numbers);
    text_add(out, "</figure>\n");
}

static void add_figures(const struct record *r, struct text *out)
{
    for (const struct run_figure *const *it = run_figure_all(); *it != NULL; it++) {
        struct figure f;

        if (run_figure_draw(*it, r, &f))
            add_figure(&f, out);
        figure_release(&f);
    }
}

/* "finished: test accuracy 89.31 %, 12.3 s of training" */
static void add_state(const struct subject *s, int64_t at, const struct record *r, struct text *out)
{
    const double *numbers = s->results.runs[at].numbers;

    text_add(out, "<p>");
    html_textf(out, "%s", record_state_names[r->state]);
    if (!isnan(numbers[RESULT_ACCURACY]))
        html_textf(out, ": test accuracy %.2f %%", 100 * numbers[RESULT_ACCURACY]);
    if (!isnan(numbers[RESULT_SECONDS]))
        html_textf(out, ", %.4g s of training", numbers[RESULT_SECONDS]);
    text_add(out, "</p>\n");
}

static void add_article(const struct subject *s, int64_t at, const struct record *r,
                        struct run_parts *p)
{
    struct text *out = p->articles;

    text_addf(out, "<article class=\"run\" id=\"run-%" PRId64 "\" data-run=\"%" PRId64 "\">\n<h3>",
              at, at);
    html_text(out, s->results.runs[at].name);
    text_add(out, "</h3>\n");
    struct table workers;

    add_state(s, at, r, out);
    add_figures(r, out);
    worker_table(&r->workers, &workers);
    add_table(out, "Workers", &workers);
    if (curve_data_has_workers(&r->metrics))
        text_addf(out, "<div class=\"worker-view\" data-run=\"%" PRId64 "\"></div>\n", at);
    run_facts_html(r, out);
    text_add(out, "</article>\n");
    p->detailed++;
}

static bool is_first_of_case(const struct subject *s, int64_t at)
{
    return at == 0 || s->runs[at].case_number != s->runs[at - 1].case_number;
}

static bool is_detailed(const struct subject *s, int64_t at, const struct run_parts *p)
{
    return p->detailed < DETAILED_MAX && s->results.runs[at].part_of == NULL &&
           (s->results.run_count <= DETAILED_MAX || is_first_of_case(s, at));
}

/* What tells it from the other runs of its case: "fold 2, seed 1". */
static void add_repetition(struct json *j, const struct results_run *run)
{
    char *fold = run->fold == NULL ? mem_text("") : text_format("fold %s", run->fold);
    char *seed = run->seed == NULL ? mem_text("") : text_format("seed %s", run->seed);
    char *both = text_format("%s%s%s", fold, fold[0] != '\0' && seed[0] != '\0' ? ", " : "", seed);

    json_text(j, "repetition", both);
    mem_free(fold);
    mem_free(seed);
    mem_free(both);
}

static void add_run(const struct subject *s, int64_t at, struct run_parts *p)
{
    const struct results_run *run = &s->results.runs[at];
    struct record r;
    struct json *j = p->data;

    json_open_map(j, NULL);
    json_text(j, "name", run->name);
    json_int(j, "case", s->runs[at].case_number);
    add_repetition(j, run);
    if (s->runs[at].dir == NULL || record_open(s->runs[at].dir, &r) != STATUS_OK) {
        json_text(j, "state", run->status);
        json_open_list(j, "tables");
        json_close_list(j);
    } else {
        damage_warn_record(s->damage, &r);
        json_text(j, "state", run->part_of != NULL ? run->status : record_state_names[r.state]);
        metric_table_cut(&r.metrics, run->as_of_round);
        curve_data_add(j, &r.metrics, &p->limits);
        p->has_virtual_time = p->has_virtual_time || strcmp(r.live.clock, "virtual") == 0;
        if (is_detailed(s, at, p))
            add_article(s, at, &r, p);
        record_release(&r);
    }
    json_close_map(j);
}

static void show_progress(int64_t done, int64_t all)
{
    char *line = text_format("report: %" PRId64 " of %" PRId64 " runs", done, all);

    if (all > DETAILED_MAX)
        log_progress(line, done == all);
    mem_free(line);
}

static void add_runs(const struct subject *s, struct run_parts *p)
{
    json_open_list(p->data, "runs");
    for (int64_t i = 0; i < s->results.run_count; i++) {
        add_run(s, i, p);
        show_progress(i + 1, s->results.run_count);
    }
    json_close_list(p->data);
}

static void add_cases(const struct subject *s, struct json *j)
{
    json_open_list(j, "cases");
    for (int64_t i = 0; i < s->results.case_count; i++) {
        const struct results_values *v = &s->results.cases[i].values;

        json_open_map(j, NULL);
        json_text(j, "name", s->cases[i].name);
        json_text(j, "algorithm", s->cases[i].algorithm);
        json_open_map(j, "settings");
        for (int64_t k = 0; k < v->count; k++)
            json_text(j, v->items[k].key, v->items[k].text);
        json_close_map(j);
        json_close_map(j);
    }
    json_close_list(j);
}

/* --- all --- */

static void add_data(const struct subject *s, struct text *data, struct text *articles)
{
    struct json j;
    struct run_parts p = {
        .data = &j,
        .articles = articles,
        .limits = curve_limits_for(s->results.run_count),
    };

    json_init(&j, data);
    json_open_map(&j, NULL);
    json_int(&j, "version", 1);
    json_text(&j, "title", s->title);
    add_cases(s, &j);
    add_runs(s, &p);
    json_bool(&j, "virtual_time", p.has_virtual_time);
    json_close_map(&j);
    if (p.detailed < s->results.run_count)
        text_addf(articles,
                  "<p class=\"note\">Details of %" PRId64 " of %" PRId64
                  " runs are shown. muster report RUN shows those of another.</p>\n",
                  p.detailed, s->results.run_count);
}

static void add_study_figures(const struct subject *s, struct text *out)
{
    bool (*const all[])(const struct subject *, struct figure *) = {study_scaling_figure,
                                                                    options_map_figure};
    struct text figures = {0};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct figure f = {0};

        if (all[i](s, &f))
            add_figure(&f, &figures);
        figure_release(&f);
    }
    if (figures.length > 0)
        text_addf(out, "<section id=\"study-figures\">\n%s</section>\n", text_get(&figures));
    text_release(&figures);
}

void page_write(const struct subject *s, const struct page_links *links, struct text *out)
{
    struct text data = {0}, articles = {0};

    add_data(s, &data, &articles);
    add_head(s, links, out);
    add_answer(s, out);
    text_add(out, "<section id=\"curves\">\n<h2>Curves</h2>\n<div id=\"curves-view\"></div>\n"
                  "</section>\n");
    add_study_figures(s, out);
    text_add(out, "<section id=\"runs\">\n<h2>Runs</h2>\n");
    text_add_n(out, text_get(&articles), articles.length);
    text_add(out, "</section>\n<section id=\"settings\">\n");
    if (s->is_study) {
        text_add(out, "<h2>Settings</h2>\n");
        run_facts_file(s->folder, "experiment.yaml", "The experiment as it was given", out);
        run_facts_file(s->folder, "effective.yaml", "The experiment with all settings", out);
    }
    text_add(out, "</section>\n</main>\n");
    html_end(out, &data, scripts);
    text_release(&data);
    text_release(&articles);
}
