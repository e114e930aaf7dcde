/*
 * bench_show.c - what was measured, as tables and as JSON.
 */
#include <sys/resource.h>

#include "base/json.h"
#include "cli/bench.h"

/* --- a model --- */

static double gflops_of(double flops, double seconds)
{
    return seconds > 0 ? flops / seconds * 1e-9 : 0;
}

static double max_rss_mb(void)
{
    struct rusage usage;

    return getrusage(RUSAGE_SELF, &usage) == 0 ? (double)usage.ru_maxrss / 1024.0 : 0;
}

/* One stage of a round: what it is, how long it takes, and what it computes. */
struct stage {
    const char *stage; /* "gather", "forward", ... */
    const char *layer, *kind;
    double seconds, flops;
};

typedef void stage_sink(void *context, const struct stage *s);

/* Hands out the stages in the order in which they happen; layers without any work are left out. */
static void each_stage(const struct bench_result *r, stage_sink *sink, void *context)
{
    const struct model *m = r->trainer->plan->model;
    const double batch = (double)r->trainer->plan->base.batch;
    const struct trainer_stages *t = &r->stages;
    struct stage s = {.stage = "gather", .seconds = t->gather};

    sink(context, &s);
    for (int i = 0; i < 2 * m->layer_count; i++) {
        const bool is_forward = i < m->layer_count;
        const struct layer *l = &m->layers[is_forward ? i : 2 * m->layer_count - 1 - i];

        if (i == m->layer_count)
            sink(context, &(struct stage){.stage = "loss", .seconds = t->loss});
        s = (struct stage){
            .stage = is_forward ? "forward" : "backward",
            .layer = l->name,
            .kind = l->ops->entry.name,
            .seconds = is_forward ? t->forward[l->index] : t->backward[l->index],
            .flops = batch * (double)(is_forward ? l->flops : l->flops_backward),
        };
        if ((l->ops->flags & LAYER_IDENTITY) == 0)
            sink(context, &s);
    }
    sink(context, &(struct stage){.stage = "optimizer", .seconds = t->optimizer});
    sink(context, &(struct stage){.stage = "other", .seconds = t->other});
}

struct stage_table {
    struct text *out;
    double peak, total;
};

static void add_seconds(void *context, const struct stage *s)
{
    ((struct stage_table *)context)->total += s->seconds;
}

static void add_row(void *context, const struct stage *s)
{
    const struct stage_table *t = context;
    const double gflops = gflops_of(s->flops, s->seconds);

    text_addf(t->out, "%-10s %-20s %-18s %9.4f %6.1f", s->stage, s->layer == NULL ? "" : s->layer,
              s->kind == NULL ? "" : s->kind, s->seconds * 1e3, 100.0 * s->seconds / t->total);
    if (s->flops > 0)
        text_addf(t->out, " %9.1f %7.0f", gflops, 100.0 * gflops / t->peak);
    text_add(t->out, "\n");
}

void bench_model_text(struct text *out, const struct bench_result *r)
{
    const struct build *b = r->trainer->build;
    const double gflops = r->median * (double)r->trainer->plan->model->flops_training * 1e-9;
    struct stage_table table = {.out = out, .peak = r->peak};

    text_addf(out, "%s, batch %lld, %d thread%s, %s, %s\n", r->trainer->plan->model->name,
              (long long)r->trainer->config.train.batch_size, b->threads,
              b->threads == 1 ? "" : "s", r->trainer->config.dataset.entry->name,
              kernel_get()->isa);
    text_addf(out, "checked: loss within %.1g, gradient within %.1g of the reference\n",
              r->trainer->check.loss_error, r->trainer->check.gradient_error);
    text_addf(out, "%.0f samples/s (median of %d windows; best %.0f)\n", r->median, r->window_count,
              r->best);
    text_addf(out, "%.1f GFLOP/s, %.0f %% of the FMA peak of %.1f GFLOP/s\n\n", gflops,
              100.0 * gflops / r->peak, r->peak);
    text_addf(out, "%-10s %-20s %-18s %9s %6s %9s %7s\n", "STAGE", "LAYER", "KIND", "MS", "%",
              "GFLOP/S", "% PEAK");
    each_stage(r, add_seconds, &table);
    each_stage(r, add_row, &table);
}

struct stage_json {
    struct json *json;
    double peak;
};

static void add_object(void *context, const struct stage *s)
{
    const struct stage_json *t = context;
    const double gflops = gflops_of(s->flops, s->seconds);

    json_open_map(t->json, NULL);
    json_text(t->json, "stage", s->stage);
    if (s->layer != NULL) {
        json_text(t->json, "layer", s->layer);
        json_text(t->json, "kind", s->kind);
    }
    json_number(t->json, "ms", s->seconds * 1e3);
    if (s->flops > 0) {
        json_number(t->json, "gflops", gflops);
        json_number(t->json, "percent_of_peak", 100.0 * gflops / t->peak);
    }
    json_close_map(t->json);
}

static void json_what(struct json *j, const struct trainer *t)
{
    const struct model *m = t->plan->model;
    struct text shape = {0};

    shape_text(m->in, &shape);
    json_text(j, "model", m->name);
    json_int(j, "batch", t->config.train.batch_size);
    json_int(j, "threads", t->build->threads);
    json_text(j, "isa", kernel_get()->isa);
    json_text(j, "data", t->config.dataset.entry->name);
    json_text(j, "input", text_get(&shape));
    json_text(j, "optimizer", t->config.optimizer.entry->name);
    json_int(j, "parameters", m->param_count);
    json_int(j, "flops_per_sample", m->flops_training);
    json_open_map(j, "check");
    json_number(j, "loss_error", t->check.loss_error);
    json_number(j, "loss_tolerance", TRAINER_LOSS_TOLERANCE);
    json_number(j, "gradient_error", t->check.gradient_error);
    json_number(j, "gradient_tolerance", TRAINER_GRADIENT_TOLERANCE);
    json_close_map(j);
    text_release(&shape);
}

void bench_model_json(struct text *out, const struct bench_result *r)
{
    const double gflops = r->median * (double)r->trainer->plan->model->flops_training * 1e-9;
    struct json j;

    json_init(&j, out);
    json_open_map(&j, NULL);
    json_what(&j, r->trainer);
    json_int(&j, "windows", r->window_count);
    json_number(&j, "samples_per_s", r->median);
    json_number(&j, "samples_per_s_best", r->best);
    json_number(&j, "gflops", gflops);
    json_number(&j, "peak_gflops", r->peak);
    json_number(&j, "percent_of_peak", 100.0 * gflops / r->peak);
    json_number(&j, "max_rss_mb", max_rss_mb());
    json_open_list(&j, "stages");
    each_stage(r, add_object, &(struct stage_json){.json = &j, .peak = r->peak});
    json_close_list(&j);
    json_close_map(&j);
    text_add(out, "\n");
}

/* --- the kernels --- */

static void add_sizes(struct text *out, const struct kernel_case *c)
{
    text_addf(out, "%lld", (long long)c->m);
    if (c->n > 0)
        text_addf(out, "x%lld", (long long)c->n);
    if (c->k > 0)
        text_addf(out, "x%lld", (long long)c->k);
}

void bench_kernels_text(struct text *out, const struct kernel_report *r)
{
    text_addf(out, "%s: FMA peak %.1f GFLOP/s\n", kernel_get()->isa, r->peak);
    for (int i = 0; i < r->memory.count; i++) {
        const struct peak_level *l = &r->memory.levels[i];

        text_addf(out, "%s: read %.1f, copy %.1f, update %.1f GB/s\n", l->name,
                  l->rate[STREAM_READ], l->rate[STREAM_COPY], l->rate[STREAM_UPDATE]);
    }
    text_addf(out, "\n%-32s %-15s %10s %9s %8s  %-5s %9s\n", "KERNEL", "SHAPE", "US", "GFLOP/S",
              "GB/S", "BOUND", "% OF IT");
    for (int64_t i = 0; i < r->count; i++) {
        const struct kernel_rate *rate = &r->rates[i];
        struct text sizes = {0};

        add_sizes(&sizes, rate->of);
        text_addf(out, "%-32s %-15s %10.2f %9.1f %8.1f  %-5s %9.0f\n", rate->of->name,
                  text_get(&sizes), rate->seconds * 1e6, rate->gflops, rate->gbytes, rate->bound,
                  rate->percent);
        text_release(&sizes);
    }
}

static void json_memory(struct json *j, const struct peak_memory *m)
{
    json_open_list(j, "memory");
    for (int i = 0; i < m->count; i++) {
        json_open_map(j, NULL);
        json_text(j, "level", m->levels[i].name);
        json_number(j, "bytes", m->levels[i].bytes);
        json_number(j, "read_gbytes", m->levels[i].rate[STREAM_READ]);
        json_number(j, "copy_gbytes", m->levels[i].rate[STREAM_COPY]);
        json_number(j, "update_gbytes", m->levels[i].rate[STREAM_UPDATE]);
        json_close_map(j);
    }
    json_close_list(j);
}

static void json_rate(struct json *j, const struct kernel_rate *rate)
{
    struct text sizes = {0};

    add_sizes(&sizes, rate->of);
    json_open_map(j, NULL);
    json_text(j, "kernel", rate->of->name);
    json_text(j, "shape", text_get(&sizes));
    json_number(j, "us", rate->seconds * 1e6);
    json_number(j, "gflops", rate->gflops);
    json_number(j, "gbytes", rate->gbytes);
    json_text(j, "bound", rate->bound);
    json_number(j, "bound_rate", rate->bound_rate);
    json_number(j, "percent", rate->percent);
    json_close_map(j);
    text_release(&sizes);
}

void bench_kernels_json(struct text *out, const struct kernel_report *r)
{
    struct json j;

    json_init(&j, out);
    json_open_map(&j, NULL);
    json_text(&j, "isa", kernel_get()->isa);
    json_number(&j, "peak_gflops", r->peak);
    json_memory(&j, &r->memory);
    json_open_list(&j, "kernels");
    for (int64_t i = 0; i < r->count; i++)
        json_rate(&j, &r->rates[i]);
    json_close_list(&j);
    json_close_map(&j);
    text_add(out, "\n");
}
