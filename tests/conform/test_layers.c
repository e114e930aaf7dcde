/*
 * test_layers.c - what every layer owes, over the whole registry: its gradient is that of its
 * forward, bits do not depend on threads, batches or repetition.
 *
 * The gradient is compared with central differences of f = sum_i r_i out_i (r fixed, f in double)
 * along random directions. Let e(h) be the difference between f(x + hd) - f(x - hd) and what the
 * gradient predicts. For a right gradient e(h) = h^3/3 f''' + O(h^5), so (8 e(h/2) - e(h)) / 7 has
 * no cubic term, while an error g' in the derivative leaves 6/7 h g'. What is left is rounding:
 * each output has an error of a few units of 2^-24 of the largest output, hence the tolerance
 *
 *     8 2^-24 (sum_i |r_i| max|out| + sum_j |g_j dx_j|) + h^2 |e(h)|,
 *
 * the last term for O(h^5). Perturbations are taken as the floats that were really used, so their
 * rounding does not count. Inputs are multiples of 0.04, off by 0.02 and different within a
 * channel: with h = 1/64 no ReLU or maximum changes sides. With one sign flipped a check must fail.
 */
#include "base/mem.h"
#include "base/rng.h"
#include "base/team.h"
#include "conf/yaml.h"
#include "layer_cases.h"
#include "nn/model_memory.h"
#include "test.h"

static const double UNIT = 1.0 / 16777216.0; /* 2^-24: half a unit in the last place of 1 */

enum { DIRECTIONS = 3, BATCH_MAX = 11 };

/* "3x5x5" or "21". */
static struct shape shape_from(const char *text)
{
    long long c = 0, h = 0, w = 0;

    if (sscanf(text, "%lldx%lldx%lld", &c, &h, &w) == 3)
        return (struct shape){.height = h, .width = w, .channels = c};
    return shape_vector(c);
}

/* --- one model with all that a pass needs --- */

struct rig {
    struct model *model;
    struct workspace *work;
    struct team *team;
    int64_t batch, inputs, outputs;
    float *state, *gradient, *din, *r; /* r: the coefficients of f, [batch][outputs] */
    int64_t samples[BATCH_MAX];
    struct model_pass pass;
    double step; /* h */
};

/* A number on [-1, 1) for element i. */
static double noise(uint32_t stream, int64_t i)
{
    const struct rng r = rng_make(7, RNG_TEST, stream);

    return 2.0 * rng_uniform(&r, (uint64_t)i, 0) - 1.0;
}

static float norm_value(const struct tensor *t, int64_t i)
{
    if (strstr(t->name, "running_mean") != NULL)
        return 0.1F * (float)(i % 3);
    if (strstr(t->name, "running_var") != NULL)
        return 1.0F + 0.2F * (float)(i % 4);
    if (strstr(t->name, "bias") != NULL)
        return strstr(t->name, "bn2") == NULL ? 0.3F * (float)(i % 3) : i % 2 == 0 ? 6.0F : -6.0F;
    return 0.7F + 0.1F * (float)(i % 5);
}

static void fill_state(struct rig *r)
{
    model_initialize(r->model, r->state, 3);
    for (int t = 0; t < r->model->tensor_count; t++) {
        const struct tensor *tensor = &r->model->tensors[t];
        if (tensor->kind == TENSOR_NORM || tensor->kind == TENSOR_BUFFER)
            for (int64_t i = 0; i < tensor->count; i++)
                r->state[tensor->offset + i] = norm_value(tensor, i);
    }
}

/* The input of the sample with this number, as the header comment says. */
static void fill_sample(float *x, struct shape s, int64_t sample)
{
    for (int64_t i = 0; i < shape_size(s); i++) {
        const int64_t position = i / s.channels, c = i % s.channels;
        const int64_t step = (position * 17 + c * 5 + sample * 7) % 53 - 26;
        x[i] = (float)(0.04 * (double)step + 0.02);
    }
}

static struct model *model_from(const char *layers, struct shape in)
{
    struct node *list = NULL;
    struct net *net = NULL;
    struct model *m = NULL;

    if (EXPECT_OK(yaml_parse(layers, strlen(layers), "case", &list)) &&
        EXPECT_OK(net_read(list, &net)))
        EXPECT_OK(model_new(layers, net, in, &m));
    node_free(list);
    return m;
}

static struct rig *rig_new(const struct layer_case *c, const char *shape, int64_t batch,
                           int threads)
{
    const struct shape in = shape_from(shape);
    struct rig *r = MEM_NEW(struct rig);

    r->model = model_from(c->layers, in);
    if (r->model == NULL) {
        mem_free(r);
        return NULL;
    }
    r->team = team_new(threads);
    r->work = workspace_new(r->model, batch, threads);
    /* Nobody may read what nobody has written: all NaN. */
    memset(r->work->blocks, 0xff, (size_t)workspace_bytes(r->model, batch, threads));
    r->batch = batch;
    r->step = 1.0 / (c->kind != NULL ? 64.0 : 256.0);
    r->inputs = shape_size(in);
    r->outputs = shape_size(r->model->out);
    r->state = MEM_NEW_N(float, r->model->state_count);
    r->gradient = MEM_NEW_N(float, r->model->param_count);
    r->din = MEM_NEW_N(float, batch * r->inputs);
    r->r = MEM_NEW_N(float, batch * r->outputs);
    fill_state(r);
    for (int64_t i = 0; i < batch; i++) {
        r->samples[i] = i + 2;
        fill_sample(workspace_input(r->work) + i * r->inputs, in, i + 2);
    }
    for (int64_t i = 0; i < batch * r->outputs; i++)
        r->r[i] = (float)noise(0, i + 2 * r->outputs);
    r->pass = (struct model_pass){
        .team = r->team,
        .work = r->work,
        .batch = batch,
        .state = r->state,
        .seed = 5,
        .epoch = 1,
        .samples = r->samples,
    };
    return r;
}

static void rig_free(struct rig *r)
{
    if (r == NULL)
        return;
    workspace_free(r->work);
    team_free(r->team);
    model_free(r->model);
    mem_free(r->state);
    mem_free(r->gradient);
    mem_free(r->din);
    mem_free(r->r);
    mem_free(r);
}

static void run_backward(struct rig *r)
{
    memset(r->gradient, 0x7f, (size_t)r->model->param_count * sizeof(float)); /* set, not added */
    model_forward(r->model, &r->pass, PASS_TRAIN);
    model_backward(r->model, &r->pass, r->r, r->gradient, NULL, r->din);
}

/* f, and the size that its rounding error is measured by. */
static double value(struct rig *r, double *size)
{
    const float *out = model_forward(r->model, &r->pass, PASS_TRAIN);
    double sum = 0.0, largest = 0.0, weights = 0.0;

    for (int64_t i = 0; i < r->batch * r->outputs; i++) {
        sum += (double)r->r[i] * (double)out[i];
        weights += fabs((double)r->r[i]);
        largest = fmax(largest, fabs((double)out[i]));
    }
    *size = weights * largest;
    return sum;
}

/* --- the check --- */

/* What is differentiated by: the input, or one tensor. */
struct variable {
    float *x;
    const float *gradient;
    int64_t count;
    const char *name;
};

/* f(x + hd) - f(x - hd), with the differences of the floats in delta. */
static double change(struct rig *r, const struct variable *v, const double *d, double h,
                     double *delta)
{
    float *base = MEM_NEW_N(float, v->count);
    double f[2], size;

    memcpy(base, v->x, (size_t)v->count * sizeof *base);
    memset(delta, 0, (size_t)v->count * sizeof *delta);
    for (int side = 0; side < 2; side++) {
        const double sign = side == 0 ? 1.0 : -1.0;
        for (int64_t i = 0; i < v->count; i++) {
            v->x[i] = (float)((double)base[i] + sign * h * d[i]);
            delta[i] += sign * (double)v->x[i];
        }
        f[side] = value(r, &size);
    }
    memcpy(v->x, base, (size_t)v->count * sizeof *base);
    mem_free(base);
    return f[0] - f[1];
}

/* sum_j g_j delta_j with g's element `flipped` negated (-1: none). */
static double predicted(const struct variable *v, const double *delta, int64_t flipped)
{
    double sum = 0.0;

    for (int64_t i = 0; i < v->count; i++)
        sum += (i == flipped ? -1.0 : 1.0) * (double)v->gradient[i] * delta[i];
    return sum;
}

/* Two steps along one direction: what f did, and by which floats. */
struct measurement {
    double change[2]; /* h, h/2 */
    double *delta[2];
    double rounding, step;
};

/* Does the gradient, with one element negated if flipped >= 0, explain what was measured? */
static bool gradient_agrees(const struct variable *v, const struct measurement *m, int64_t flipped)
{
    const double e1 = m->change[0] - predicted(v, m->delta[0], flipped);
    const double e2 = m->change[1] - predicted(v, m->delta[1], flipped);
    const double left = (8.0 * e2 - e1) / 7.0;

    return fabs(left) <= m->rounding + m->step * m->step * fabs(e1);
}

static void measure(struct rig *r, const struct variable *v, const double *d, struct measurement *m)
{
    double size;

    for (int k = 0; k < 2; k++)
        m->change[k] = change(r, v, d, k == 0 ? r->step : r->step / 2.0, m->delta[k]);
    value(r, &size);
    for (int64_t i = 0; i < v->count; i++)
        size += fabs((double)v->gradient[i] * m->delta[0][i]);
    m->rounding = 8.0 * UNIT * size;
    m->step = r->step;
}

/* The element whose sign matters most for this measurement. */
static int64_t heaviest(const struct variable *v, const struct measurement *m)
{
    int64_t best = 0;

    for (int64_t i = 1; i < v->count; i++)
        if (fabs((double)v->gradient[i] * m->delta[0][i]) >
            fabs((double)v->gradient[best] * m->delta[0][best]))
            best = i;
    return best;
}

static void check_variable(struct rig *r, const struct variable *v, const char *name)
{
    double *d = MEM_NEW_N(double, v->count);
    struct measurement m = {
        .delta = {MEM_NEW_N(double, v->count), MEM_NEW_N(double, v->count)}
    };

    for (uint32_t k = 0; k < DIRECTIONS; k++) {
        for (int64_t i = 0; i < v->count; i++) {
            const double u = noise(k + 1, i);
            d[i] = u < 0.0 ? -0.5 + u / 2.0 : 0.5 + u / 2.0;
        }
        measure(r, v, d, &m);
        if (!EXPECT(gradient_agrees(v, &m, -1)))
            printf("# %s, batch %lld: gradient by %s: f changed by %g, predicted %g, rounding %g\n",
                   name, (long long)r->batch, v->name, m.change[0], predicted(v, m.delta[0], -1),
                   m.rounding);
        if (!EXPECT(!gradient_agrees(v, &m, heaviest(v, &m))))
            printf("# %s, batch %lld: a flipped sign in %s is not seen\n", name,
                   (long long)r->batch, v->name);
    }
    mem_free(m.delta[0]);
    mem_free(m.delta[1]);
    mem_free(d);
}

static void check_gradients(const struct layer_case *c, int64_t batch)
{
    struct rig *r = rig_new(c, c->in, batch, 1);

    if (r == NULL)
        return;
    run_backward(r);
    check_variable(r,
                   &(struct variable){workspace_input(r->work), r->din, batch * r->inputs, "input"},
                   c->layers);
    for (int t = 0; t < r->model->tensor_count; t++) {
        const struct tensor *tensor = &r->model->tensors[t];
        if (tensor->kind == TENSOR_BUFFER)
            continue;
        check_variable(r,
                       &(struct variable){r->state + tensor->offset, r->gradient + tensor->offset,
                                          tensor->count, tensor->name},
                       c->layers);
    }
    rig_free(r);
}

/* --- statements --- */

static void test_every_registered_layer_has_a_case(void)
{
    for (const struct entry *const *e = layer_registry.entries; *e != NULL; e++) {
        bool found = false;
        for (int i = 0; i < CASES; i++)
            found = found ||
                    (layer_cases[i].kind != NULL && strcmp(layer_cases[i].kind, (*e)->name) == 0);
        if (!EXPECT(found))
            printf("# %s needs a line in layer_cases[] of tests/conform/layer_cases.h\n",
                   (*e)->name);
    }
}

static void test_gradients_equal_differences_and_a_flipped_sign_is_seen(void)
{
    static const int64_t batches[] = {1, 3, 8, BATCH_MAX};

    for (int i = 0; i < CASES; i++)
        for (int b = 0; b < 4; b++)
            check_gradients(&layer_cases[i], batches[b]);
}

/* Output, gradient and din of a pass, side by side. */
static float *all_bits(struct rig *r, int64_t *count)
{
    const int64_t outputs = r->batch * r->outputs, inputs = r->batch * r->inputs;
    float *all;

    *count = outputs + r->model->param_count + inputs;
    all = MEM_NEW_N(float, *count);
    run_backward(r);
    memcpy(all, r->gradient, (size_t)r->model->param_count * sizeof(float));
    memcpy(all + r->model->param_count, r->din, (size_t)inputs * sizeof(float));
    memcpy(all + r->model->param_count + inputs, model_forward(r->model, &r->pass, PASS_TRAIN),
           (size_t)outputs * sizeof(float));
    return all;
}

static void test_bits_are_the_same_for_any_number_of_threads_and_again(void)
{
    for (int i = 0; i < CASES; i++) {
        const struct layer_case *c = &layer_cases[i];
        float *expected = NULL;
        for (int threads = 1; threads <= 3; threads++) {
            struct rig *r = rig_new(c, c->large, BATCH_MAX, threads);
            if (r == NULL)
                break;
            for (int again = 0; again < 2; again++) {
                int64_t count;
                float *bits = all_bits(r, &count);
                if (expected != NULL &&
                    !EXPECT(memcmp(bits, expected, (size_t)count * sizeof(float)) == 0))
                    printf("# %s with %d threads, pass %d\n", c->layers, threads, again);
                mem_free(expected);
                expected = bits;
            }
            rig_free(r);
        }
        mem_free(expected);
    }
}

/* Sample i of a batch against a batch of that sample alone; adds its gradient to sums. */
static void compare_alone(struct rig *all, const float *out, const struct layer_case *c, int64_t i,
                          double *sums)
{
    struct rig *one = rig_new(c, c->in, 1, 1);

    one->samples[0] = all->samples[i];
    memcpy(workspace_input(one->work), workspace_input(all->work) + i * all->inputs,
           (size_t)all->inputs * sizeof(float));
    memcpy(one->r, all->r + i * all->outputs, (size_t)all->outputs * sizeof(float));
    run_backward(one);
    for (int64_t k = 0; k < one->model->param_count; k++)
        sums[k] += (double)one->gradient[k];
    if (!EXPECT(memcmp(one->din, all->din + i * all->inputs, (size_t)all->inputs * sizeof(float)) ==
                0) ||
        !EXPECT(memcmp(model_forward(one->model, &one->pass, PASS_TRAIN), out + i * all->outputs,
                       (size_t)all->outputs * sizeof(float)) == 0))
        printf("# %s, sample %lld\n", c->layers, (long long)i);
    rig_free(one);
}

static void test_a_batch_is_its_samples_one_by_one(void)
{
    for (int i = 0; i < CASES; i++) {
        struct rig *r = rig_new(&layer_cases[i], layer_cases[i].in, BATCH_MAX, 2);
        if (r == NULL || r->model->tracked_count > 0) { /* BatchNorm couples samples */
            rig_free(r);
            continue;
        }
        run_backward(r);
        const float *out = model_forward(r->model, &r->pass, PASS_TRAIN);
        double *sums = MEM_NEW_N(double, r->model->param_count);
        for (int64_t s = 0; s < BATCH_MAX; s++)
            compare_alone(r, out, &layer_cases[i], s, sums);
        for (int64_t k = 0; k < r->model->param_count; k++) /* sums of < 400 floats of size ~1 */
            EXPECT_NEAR((double)r->gradient[k], sums[k], 400 * UNIT * (8.0 + fabs(sums[k])));
        mem_free(sums);
        rig_free(r);
    }
}

TEST_MAIN(TEST(test_every_registered_layer_has_a_case),
          TEST(test_gradients_equal_differences_and_a_flipped_sign_is_seen),
          TEST(test_bits_are_the_same_for_any_number_of_threads_and_again),
          TEST(test_a_batch_is_its_samples_one_by_one))
