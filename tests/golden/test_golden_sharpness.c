/*
 * test_golden_sharpness.c - the largest eigenvalue of the Hessian against PyTorch, which
 * differentiates twice in float64.
 *
 * Here products with the Hessian are differences of gradients in float, over a step of a thousandth
 * of the weights. With smooth activations that costs half a percent. A ReLU has no second
 * derivative, but those that change sides within the step count as if they had one: 2 % here, where
 * one eigenvalue is far larger than the others.
 */
#include "golden/golden_zoo.h"
#include "nn/loss.h"
#include "study/sharpness.h"

enum { BATCHES = 2 };
static const double smooth_tolerance = 5e-3, relu_tolerance = 2e-2; /* relative */

/* --- a problem with the batches of the golden file --- */

struct golden_problem {
    struct problem base; /* first */
    const char *name;
    struct golden_model model;
    int64_t sizes[BATCHES];
    int64_t next, drawn;
    float *inputs; /* of a batch, channels first */
};

static struct golden_problem *of(struct problem *p)
{
    return (struct golden_problem *)p;
}

static void golden_seek(struct problem *p, int64_t epoch, int64_t batch)
{
    (void)epoch;
    of(p)->next = batch;
}

static void golden_draw(struct problem *p)
{
    struct golden_problem *own = of(p);

    own->drawn = own->next++ % BATCHES;
    p->batch_size = p->batch_total = own->sizes[own->drawn];
}

/* Leaves the gradient by the output in the workspace. */
static double batch_loss(struct golden_problem *own, const float *output)
{
    const struct loss_ops *loss =
        (const struct loss_ops *)(const void *)registry_find(&loss_registry, "nll");
    const int64_t batch = own->base.batch_size, outputs = shape_size(own->model.model->out);
    int32_t *labels = MEM_NEW_N(int32_t, batch);
    float *losses = MEM_NEW_N(float, batch);
    char *stream = text_format("%s/label/%d", own->name, (int)own->drawn);

    golden_labels(labels, batch, stream, outputs);
    loss->compute(&(struct loss_batch){
        .kernel = kernel_get(),
        .team = own->model.team,
        .batch = batch,
        .outputs = outputs,
        .output = output,
        .labels = labels,
        .losses = losses,
        .doutput = workspace_output_gradient(own->model.work),
        .scale = 1 / (double)own->base.global_batch,
    });
    const double sum = loss_sum(losses, batch);
    mem_free(labels);
    mem_free(losses);
    mem_free(stream);
    return sum;
}

static enum status golden_gradient(struct problem *p, float *state, float *gradient,
                                   struct batch_result *result)
{
    struct golden_problem *own = of(p);
    struct golden_model *m = &own->model;
    struct model_pass pass = golden_pass(m);
    char *stream = text_format("%s/input/%d", own->name, (int)own->drawn);

    pass.batch = p->batch_size;
    pass.state = pass.update_state = state;
    golden_fill(own->inputs, pass.batch * shape_size(m->model->in), stream,
                (struct golden_range){1, 1});
    golden_channels_last(workspace_input(m->work), own->inputs, m->model->in, pass.batch);
    *result = (struct batch_result){
        .samples = pass.batch,
        .loss_sum = batch_loss(own, model_forward(m->model, &pass, PASS_TRAIN)),
    };
    model_backward(m->model, &pass, workspace_output_gradient(m->work), gradient, NULL, NULL);
    mem_free(stream);
    return STATUS_OK;
}

static void golden_problem_init(struct golden_problem *own, const struct golden *g,
                                const char *name, struct model *model)
{
    static const struct problem_ops ops = {
        .entry = {.name = "golden"},
        .draw = golden_draw,
        .gradient = golden_gradient,
        .seek = golden_seek,
    };
    const double *sizes = golden_get(g, "", "batches")->numbers;

    *own = (struct golden_problem){.name = name};
    for (int i = 0; i < BATCHES; i++)
        own->sizes[i] = (int64_t)sizes[i];
    golden_model_init(&own->model, model, name, (int64_t)golden_get(g, name, "shape")->numbers[0]);
    own->inputs = MEM_NEW_N(float, own->model.batch *shape_size(model->in));
    own->base = (struct problem){
        .ops = &ops,
        .param_count = model->param_count,
        .state_count = model->state_count,
        .batches_per_epoch = BATCHES,
    };
}

static void golden_problem_release(struct golden_problem *own)
{
    mem_free(own->inputs);
    golden_model_release(&own->model);
}

/* --- the comparison --- */

static void check_case(const struct golden *g, const char *name)
{
    const double expected = golden_get(g, name, "eigenvalue")->numbers[0];
    const bool is_smooth = strcmp(golden_get(g, name, "kind")->text, "smooth") == 0;
    struct choice c = {0};
    struct model *model = NULL;

    if (EXPECT_OK(golden_zoo_model(g, name, &c, CONVOLUTION_AUTO, &model))) {
        struct golden_problem own;

        golden_problem_init(&own, g, name, model);
        double eigenvalue = 0;
        EXPECT_OK(sharpness_eigenvalue(&own.base, own.model.state,
                                       &(struct sharpness_search){BATCHES, SHARPNESS_ITERATIONS, 1},
                                       &eigenvalue));
        EXPECT_NEAR(eigenvalue, expected,
                    (is_smooth ? smooth_tolerance : relu_tolerance) * fabs(expected));
        golden_problem_release(&own);
    }
    choice_release(&c);
}

static void test_the_eigenvalue_agrees_with_pytorch(void)
{
    struct golden g = golden_load("sharpness");

    EXPECT(golden_for_cases(&g, "cases", check_case) >= 3);
    golden_release(&g);
}

TEST_MAIN(TEST(test_the_eigenvalue_agrees_with_pytorch))
