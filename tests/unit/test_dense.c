/*
 * test_dense.c - dense layers with so many weights that they are transposed in parts: their
 * gradients are those of loops in double, with the same bits for any number of threads.
 *
 * Not here: what every layer owes (conform/test_layers.c), whose differences tell a wrong weight
 * only among few.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/team.h"
#include "conf/yaml.h"
#include "nn/model_memory.h"
#include "test.h"

enum { INPUTS = 3001, OUTPUTS = 90, BATCH = 101, WEIGHTS = INPUTS * OUTPUTS };

/* A layer of those sizes, its input, the gradient by its output, and what backward makes of it. */
struct dense {
    struct model *model;
    float *state, *x, *dy;
    float *gradient, *dx;
};

/* Numbers on [-1, 1] without a pattern that a wrong place would share. */
static float *numbers_new(int64_t count, int64_t seed)
{
    float *x = MEM_NEW_N(float, count);

    for (int64_t i = 0; i < count; i++)
        x[i] = (float)((i * 7919 + seed) % 20011 - 10005) / 10005.0F;
    return x;
}

static void dense_init(struct dense *d)
{
    static const char layers[] = "[{dense: {out: 90}}]";
    struct node *list = NULL;
    struct net *net = NULL;

    *d = (struct dense){0};
    EXPECT_OK(yaml_parse(layers, strlen(layers), "case", &list));
    EXPECT_OK(net_read(list, &net));
    EXPECT_OK(model_new("dense", net, shape_vector(INPUTS), &d->model));
    node_free(list);
    d->state = numbers_new(d->model->state_count, 1);
    d->x = numbers_new(BATCH * INPUTS, 2);
    d->dy = numbers_new(BATCH * OUTPUTS, 3);
    d->gradient = MEM_NEW_N(float, d->model->param_count);
    d->dx = MEM_NEW_N(float, BATCH *INPUTS);
}

static void dense_release(struct dense *d)
{
    model_free(d->model);
    mem_free(d->state);
    mem_free(d->x);
    mem_free(d->dy);
    mem_free(d->gradient);
    mem_free(d->dx);
}

static void run(struct dense *d, int threads)
{
    struct team *team = team_new(threads);
    struct workspace *work = workspace_new(d->model, BATCH, threads);
    const struct model_pass pass = {.team = team, .work = work, .batch = BATCH, .state = d->state};

    memcpy(workspace_input(work), d->x, BATCH * INPUTS * sizeof *d->x);
    model_forward(d->model, &pass, PASS_TRAIN);
    model_backward(d->model, &pass, d->dy, d->gradient, NULL, d->dx);
    workspace_free(work);
    team_free(team);
}

static void test_the_gradient_by_the_input_is_that_of_a_loop_in_double(void)
{
    struct dense d;
    double error = 0.0;

    dense_init(&d);
    run(&d, 1);
    for (int64_t i = 0; i < BATCH * INPUTS; i += 7) {
        double sum = 0.0;
        for (int64_t n = 0; n < OUTPUTS; n++)
            sum += (double)d.dy[i / INPUTS * OUTPUTS + n] *
                   (double)d.state[panel_index(i % INPUTS, n, INPUTS, OUTPUTS)];
        error = fmax(error, fabs(sum - (double)d.dx[i]));
    }
    EXPECT_NEAR(error, 0.0, 1e-5); /* sums of 90 products of at most 1 */
    dense_release(&d);
}

static void test_the_gradient_by_the_weights_is_that_of_a_loop_in_double(void)
{
    struct dense d;
    double error = 0.0;

    dense_init(&d);
    run(&d, 1);
    for (int64_t j = 0; j < WEIGHTS; j++) {
        const int64_t k = j / OUTPUTS, n = j % OUTPUTS;
        double sum = 0.0;
        for (int64_t i = 0; i < BATCH; i++)
            sum += (double)d.x[i * INPUTS + k] * (double)d.dy[i * OUTPUTS + n];
        const float got = d.gradient[panel_index(k, n, INPUTS, OUTPUTS)];
        error = fmax(error, fabs(sum - (double)got));
    }
    EXPECT_NEAR(error, 0.0, 1e-5);
    dense_release(&d);
}

static void test_bits_do_not_depend_on_the_number_of_threads(void)
{
    struct dense one, more;

    dense_init(&one);
    dense_init(&more);
    run(&one, 1);
    for (int threads = 2; threads <= 3; threads++) {
        run(&more, threads);
        EXPECT(memcmp(one.dx, more.dx, BATCH * INPUTS * sizeof *one.dx) == 0);
        EXPECT(memcmp(one.gradient, more.gradient, (WEIGHTS + OUTPUTS) * sizeof *one.gradient) ==
               0);
    }
    dense_release(&one);
    dense_release(&more);
}

TEST_MAIN(TEST(test_the_gradient_by_the_input_is_that_of_a_loop_in_double),
          TEST(test_the_gradient_by_the_weights_is_that_of_a_loop_in_double),
          TEST(test_bits_do_not_depend_on_the_number_of_threads))
