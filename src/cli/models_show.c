/*
 * models_show.c - a network as a table and as JSON, for `muster models`.
 */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "cli/models.h"

enum { LINE_WIDTH = 100 };

static int64_t layer_parameters(const struct layer *l)
{
    int64_t sum = 0;

    for (int i = 0; i < l->tensor_count; i++)
        sum += l->tensors[i].kind == TENSOR_BUFFER ? 0 : l->tensors[i].count;
    return sum;
}

/* What one more sample in a batch costs, without what is there once. */
static int64_t training_bytes(const struct model *m)
{
    enum { FEW = 64, MANY = 128 };

    return (workspace_bytes(m, MANY, 1) - workspace_bytes(m, FEW, 1)) / (MANY - FEW);
}

static int64_t widest(int64_t width, const char *text)
{
    const int64_t length = (int64_t)strlen(text);

    return length > width ? length : width;
}

static void add_bytes(struct text *out, int64_t bytes)
{
    if (bytes < 1000000)
        text_addf(out, "%.1f kB", (double)bytes / 1e3);
    else
        text_addf(out, "%.1f MB", (double)bytes / 1e6);
}

/* "weight 6x1x5x5": without the layer's name, which stands in front. */
static char *tensor_label(const struct layer *l, const struct tensor *t)
{
    const size_t prefix = strlen(l->name);
    const bool has_prefix = strncmp(t->name, l->name, prefix) == 0 && t->name[prefix] == '.';
    struct text label = {0};

    text_add(&label, has_prefix ? t->name + prefix + 1 : t->name);
    for (int i = 0; i < t->rank; i++)
        text_addf(&label, "%s%" PRId64, i == 0 ? " " : "x", t->dims[i]);
    return text_take(&label);
}

/* The tensors from this column on, continued below it where the line is full. */
static void add_tensors(struct text *out, const struct layer *l, int64_t column)
{
    int64_t at = column;

    for (int i = 0; i < l->tensor_count; i++) {
        char *label = tensor_label(l, &l->tensors[i]);
        const int64_t length = (int64_t)strlen(label) + 2; /* with ", " */

        if (i > 0 && at + length > LINE_WIDTH) {
            text_addf(out, ",\n%*s", (int)column, "");
            at = column;
        } else {
            text_add(out, i == 0 ? "" : ", ");
        }
        text_add(out, label);
        at += length;
        mem_free(label);
    }
}

struct widths {
    int name, kind, output;
};

static struct widths measure(const struct model *m)
{
    int64_t name = 5, kind = 4, output = 6; /* of the headings */
    struct text shape = {0};

    for (int i = 0; i < m->layer_count; i++) {
        text_clear(&shape);
        shape_text(m->layers[i].out, &shape);
        name = widest(name, m->layers[i].name);
        kind = widest(kind, m->layers[i].ops->entry.name);
        output = widest(output, text_get(&shape));
    }
    text_release(&shape);
    return (struct widths){(int)name, (int)kind, (int)output};
}

static void add_layer(struct text *out, const struct layer *l, const struct widths *w)
{
    const int64_t parameters = layer_parameters(l);
    const size_t start = out->length;
    struct text shape = {0};

    shape_text(l->out, &shape);
    text_addf(out, "%-*s  %-*s  %-*s", w->name, l->name, w->kind, l->ops->entry.name, w->output,
              text_get(&shape));
    text_release(&shape);
    if (parameters > 0)
        text_addf(out, "  %10" PRId64, parameters);
    else
        text_addf(out, "  %10s", "-");
    if (l->flops > 0)
        text_addf(out, "  %9.3f", (double)l->flops / 1e6);
    else
        text_addf(out, "  %9s", "-");
    if (l->tensor_count > 0) {
        text_add(out, "  ");
        add_tensors(out, l, (int64_t)(out->length - start));
    }
    text_add(out, "\n");
}

static void add_totals(struct text *out, const struct model *m)
{
    text_addf(out, "\nparameters       %" PRId64 " (", m->param_count);
    add_bytes(out, m->param_count * (int64_t)sizeof(float));
    text_addf(out, ")\nbuffers          %" PRId64 " numbers, %d counters\n",
              m->state_count - m->param_count, m->tracked_count);
    text_addf(out, "forward          %.3f MFLOP per sample\n", (double)m->flops_forward / 1e6);
    text_addf(out, "training         %.3f MFLOP per sample\n", (double)m->flops_training / 1e6);
    text_add(out, "training memory  ");
    add_bytes(out, training_bytes(m));
    text_add(out, " per sample\n");
}

static void add_heading(struct text *out, const struct models_view *v)
{
    const struct model *m = v->model;

    text_add(out, m->name);
    if (v->zoo != NULL)
        text_addf(out, ": %s", v->zoo->entry.summary);
    text_add(out, "\ninput ");
    shape_text(m->in, out);
    text_add(out, ", output ");
    shape_text(m->out, out);
    if (v->zoo != NULL)
        text_addf(out, "; trained with normalize %s, loss %s", v->zoo->normalize, v->zoo->loss);
    text_add(out, "\n\n");
}

void models_table(struct text *out, const struct models_view *v)
{
    const struct model *m = v->model;
    const struct widths w = measure(m);

    add_heading(out, v);
    text_addf(out, "%-*s  %-*s  %-*s  %10s  %9s  %s\n", w.name, "layer", w.kind, "kind", w.output,
              "output", "parameters", "MFLOP", "tensors");
    for (int i = 0; i < m->layer_count; i++)
        add_layer(out, &m->layers[i], &w);
    add_totals(out, m);
    if (v->zoo != NULL && v->zoo->entry.fields != NULL) {
        text_add(out, "\noptions\n");
        fields_help(v->zoo->entry.fields, "model.", out);
    }
}

void models_list_heading(struct text *out)
{
    text_addf(out, "%-16s  %10s  %-9s  %6s  %s\n", "name", "parameters", "input", "output",
              "summary");
}

void models_row(struct text *out, const struct models_view *v)
{
    struct text in = {0}, result = {0};

    shape_text(v->model->in, &in);
    shape_text(v->model->out, &result);
    text_addf(out, "%-16s  %10" PRId64 "  %-9s  %6s  %s\n", v->model->name, v->model->param_count,
              text_get(&in), text_get(&result), v->zoo->entry.summary);
    text_release(&in);
    text_release(&result);
}

static void json_shape(struct json *j, const char *key, struct shape s)
{
    json_open_list(j, key);
    if (s.is_flat) {
        json_int(j, NULL, shape_size(s));
    } else {
        json_int(j, NULL, s.channels);
        json_int(j, NULL, s.height);
        json_int(j, NULL, s.width);
    }
    json_close_list(j);
}

static void json_tensors(struct json *j, const struct layer *l)
{
    json_open_list(j, "tensors");
    for (int i = 0; i < l->tensor_count; i++) {
        const struct tensor *t = &l->tensors[i];

        json_open_map(j, NULL);
        json_text(j, "name", t->name);
        json_open_list(j, "shape");
        for (int d = 0; d < t->rank; d++)
            json_int(j, NULL, t->dims[d]);
        json_close_list(j);
        json_bool(j, "trained", t->kind != TENSOR_BUFFER);
        json_close_map(j);
    }
    json_close_list(j);
}

static void json_layers(struct json *j, const struct model *m)
{
    json_open_list(j, "layers");
    for (int i = 0; i < m->layer_count; i++) {
        const struct layer *l = &m->layers[i];

        json_open_map(j, NULL);
        json_text(j, "name", l->name);
        json_text(j, "kind", l->ops->entry.name);
        json_shape(j, "output", l->out);
        json_int(j, "parameters", layer_parameters(l));
        json_int(j, "flops_forward", l->flops);
        json_tensors(j, l);
        json_close_map(j);
    }
    json_close_list(j);
}

void models_json_summary(struct json *j, const struct models_view *v)
{
    const struct model *m = v->model;

    json_text(j, "name", m->name);
    json_text(j, "summary", v->zoo == NULL ? NULL : v->zoo->entry.summary);
    json_shape(j, "input", m->in);
    json_shape(j, "output", m->out);
    json_text(j, "normalize", v->zoo == NULL ? NULL : v->zoo->normalize);
    json_text(j, "loss", v->zoo == NULL ? NULL : v->zoo->loss);
    json_int(j, "parameters", m->param_count);
    json_int(j, "buffers", m->state_count - m->param_count);
    json_int(j, "counters", m->tracked_count);
    json_int(j, "flops_forward", m->flops_forward);
    json_int(j, "flops_training", m->flops_training);
    json_int(j, "training_bytes_per_sample", training_bytes(m));
}

void models_json(struct text *out, const struct models_view *v)
{
    struct json j;

    json_init(&j, out);
    json_open_map(&j, NULL);
    models_json_summary(&j, v);
    json_layers(&j, v->model);
    json_close_map(&j);
    text_add(out, "\n");
}
