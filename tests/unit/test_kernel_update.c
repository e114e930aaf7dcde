/*
 * test_kernel_update.c - softmax with its loss, SGD, Adam, LARS and LAMB against their formulas in
 * double.
 */
#include "test_kernel.h"

/* --- softmax --- */

static void check_softmax(const struct kernel *k, int64_t n, int64_t classes, float spread)
{
    const float scale = 0.125F;
    float *z = numbers_new(n * classes, 1), *dz = guarded_new(n * classes);
    float *losses = guarded_new(n), *again = guarded_new(n);
    int32_t *labels = MEM_NEW_N(int32_t, n);

    k->scale(z, spread, n * classes);
    for (int64_t i = 0; i < n; i++)
        labels[i] = (int32_t)(i * 7 % classes);
    k->softmax_nll(losses, dz, z, labels, n, classes, scale);
    k->softmax_nll(again, NULL, z, labels, n, classes, scale);
    for (int64_t i = 0; i < n; i++) {
        const float *row = z + i * classes;
        double max = -INFINITY, sum = 0.0;
        for (int64_t j = 0; j < classes; j++)
            max = fmax(max, (double)row[j]);
        for (int64_t j = 0; j < classes; j++)
            sum += exp((double)row[j] - max);
        const double loss = log(sum) - ((double)row[labels[i]] - max);
        EXPECT_NEAR((double)losses[i], loss, 1e-6 * (1.0 + fabs(loss)));
        for (int64_t j = 0; j < classes; j++) {
            const double p = exp((double)row[j] - max) / sum;
            EXPECT_NEAR((double)dz[i * classes + j], (p - (j == labels[i])) * (double)scale, 1e-7);
        }
    }
    EXPECT(same_bits(losses, again, n));
    EXPECT(guards_stand(losses, n) && guards_stand(dz, n * classes));
    mem_free(z);
    mem_free(dz);
    mem_free(losses);
    mem_free(again);
    mem_free(labels);
}

static void test_softmax_and_its_loss_are_those_of_the_formula(void)
{
    static const int64_t classes[] = {1, 2, 3, 7, 8, 9, 10, 16, 100, 1000};

    FOR_EACH_KERNEL(k)
    for (int c = 0; c < 10; c++)
        for (int64_t n = 1; n <= 3; n++) {
            check_softmax(k, n, classes[c], 3.0F);
            check_softmax(k, n, classes[c], 1e4F); /* exponentials would overflow */
        }
}

static void test_a_logit_of_minus_infinity_has_probability_zero(void)
{
    const float z[3] = {0.0F, -INFINITY, 0.0F};
    const int32_t labels[] = {0};

    FOR_EACH_KERNEL(k)
    {
        float loss, dz[3];
        k->softmax_nll(&loss, dz, z, labels, 1, 3, 1.0F);
        EXPECT_NEAR((double)loss, log(2.0), 1e-6);
        EXPECT(dz[1] == 0.0F);
        EXPECT_NEAR((double)dz[2], 0.5, 1e-7);
    }
}

static void test_nan_among_the_logits_makes_the_loss_nan(void)
{
    FOR_EACH_KERNEL(k)
    for (int bad = 0; bad < 10; bad++) {
        float z[20] = {0}, losses[2];
        const int32_t labels[] = {3, 3};
        z[bad] = NAN;
        k->softmax_nll(losses, NULL, z, labels, 2, 10, 1.0F);
        EXPECT(isnan(losses[0]));
        EXPECT_NEAR((double)losses[1], log(10.0), 1e-6);
    }
}

/* --- optimisers --- */

enum { N = 37, STEPS = 20 };

/* STEPS steps beside the same in double. */
static void check_sgd(const struct kernel *k, struct sgd_rates r)
{
    float *x = numbers_new(N, 1), *v = guarded_new(N); /* what v holds at first must not matter */
    double exact[N], velocity[N] = {0};

    for (int i = 0; i < N; i++)
        exact[i] = (double)x[i];
    for (int step = 0; step < STEPS; step++) {
        float *g = numbers_new(N, (uint32_t)(100 + step));
        r.first = step == 0;
        k->sgd(x, r.momentum == 0.0F ? NULL : v, g, &r, N);
        for (int i = 0; i < N; i++) {
            const double slope = (double)g[i] + (double)r.weight_decay * exact[i];
            const double mu = (double)r.momentum;
            velocity[i] = step == 0 ? slope : mu * velocity[i] + slope;
            const double way = mu == 0.0    ? slope
                               : r.nesterov ? slope + mu * velocity[i]
                                            : velocity[i];
            exact[i] -= (double)r.lr * way;
        }
        mem_free(g);
    }
    for (int i = 0; i < N; i++)
        EXPECT_NEAR((double)x[i], exact[i], 3e-6);
    EXPECT(guards_stand(v, N));
    mem_free(x);
    mem_free(v);
}

static void test_sgd_is_that_of_the_formula(void)
{
    FOR_EACH_KERNEL(k)
    {
        check_sgd(k, (struct sgd_rates){.lr = 0.1F});
        check_sgd(k, (struct sgd_rates){.lr = 0.1F, .weight_decay = 0.05F});
        check_sgd(k, (struct sgd_rates){.lr = 0.05F, .momentum = 0.9F});
        check_sgd(k, (struct sgd_rates){.lr = 0.05F, .momentum = 0.9F, .nesterov = true});
        check_sgd(k, (struct sgd_rates){
                         .lr = 0.05F, .momentum = 0.9F, .weight_decay = 0.05F, .nesterov = true});
    }
}

static void check_adam(const struct kernel *k, struct adam_rates r)
{
    float *x = numbers_new(N, 1), *m = MEM_NEW_N(float, N), *s = MEM_NEW_N(float, N);
    double exact[N], exact_m[N] = {0}, exact_s[N] = {0};

    for (int i = 0; i < N; i++)
        exact[i] = (double)x[i];
    for (int step = 1; step <= STEPS; step++) {
        const double c1 = 1.0 - pow(r.beta1, step), c2 = 1.0 - pow(r.beta2, step);
        float *g = numbers_new(N, (uint32_t)(100 + step));
        r.correction1 = (float)c1;
        r.correction2 = (float)c2;
        k->adam(x, m, s, g, &r, N);
        for (int i = 0; i < N; i++) {
            const double slope = (double)g[i] + (double)r.weight_decay * exact[i];
            exact[i] *= (double)r.shrink;
            exact_m[i] = r.beta1 * exact_m[i] + (1.0 - r.beta1) * slope;
            exact_s[i] = r.beta2 * exact_s[i] + (1.0 - r.beta2) * slope * slope;
            exact[i] -=
                (double)r.lr * (exact_m[i] / c1) / (sqrt(exact_s[i] / c2) + (double)r.epsilon);
        }
        mem_free(g);
    }
    /* 20 steps of size lr, each with a relative error of a few units in the last place */
    for (int i = 0; i < N; i++)
        EXPECT_NEAR((double)x[i], exact[i], 20.0 * (double)r.lr * 1e-6 + 2e-6);
    mem_free(x);
    mem_free(m);
    mem_free(s);
}

static void test_adam_is_that_of_the_formula(void)
{
    struct adam_rates r = {
        .lr = 0.1F, .epsilon = 1e-8F, .beta1 = 0.9, .beta2 = 0.999, .shrink = 1.0F};

    FOR_EACH_KERNEL(k)
    {
        r.weight_decay = 0.0F;
        r.shrink = 1.0F;
        check_adam(k, r);
        r.weight_decay = 0.05F;
        check_adam(k, r);
        r.weight_decay = 0.0F;
        r.shrink = 1.0F - 0.1F * 0.01F;
        check_adam(k, r);
    }
}

static void check_lars(const struct kernel *k, struct lars_rates r)
{
    float *x = numbers_new(N, 1), *v = MEM_NEW_N(float, N);
    double exact[N], velocity[N] = {0};

    for (int i = 0; i < N; i++)
        exact[i] = (double)x[i];
    for (int step = 0; step < STEPS; step++) {
        float *g = numbers_new(N, (uint32_t)(100 + step));
        r.step = 0.05F + 0.01F * (float)step; /* the rate is part of the velocity */
        k->lars(x, v, g, &r, N);
        for (int i = 0; i < N; i++) {
            const double slope = (double)g[i] + (double)r.weight_decay * exact[i];
            velocity[i] = (double)r.momentum * velocity[i] + (double)r.step * slope;
            exact[i] -= velocity[i];
        }
        mem_free(g);
    }
    for (int i = 0; i < N; i++)
        EXPECT_NEAR((double)x[i], exact[i], 1e-5); /* of size 10 in the end */
    mem_free(x);
    mem_free(v);
}

static void test_lars_is_that_of_the_formula(void)
{
    FOR_EACH_KERNEL(k)
    {
        check_lars(k, (struct lars_rates){.momentum = 0});
        check_lars(k, (struct lars_rates){.momentum = 0.9F});
        check_lars(k, (struct lars_rates){.momentum = 0.9F, .weight_decay = 0.05F});
    }
}

static void test_lamb_s_means_and_direction_are_those_of_the_formula(void)
{
    const struct adam_rates r = {.epsilon = 1e-3F,
                                 .beta1 = 0.9,
                                 .beta2 = 0.99,
                                 .correction1 = 0.19F,
                                 .correction2 = 0.0199F,
                                 .weight_decay = 0.1F};

    FOR_EACH_KERNEL(k)
    {
        float *x = numbers_new(N, 1), *m = numbers_new(N, 2), *s = numbers_new(N, 3);
        float *g = numbers_new(N, 4), *u = guarded_new(N);
        double exact_m[N], exact_s[N];

        for (int i = 0; i < N; i++) {
            s[i] *= s[i];
            exact_m[i] = 0.9 * (double)m[i] + 0.1 * (double)g[i];
            exact_s[i] = 0.99 * (double)s[i] + 0.01 * (double)g[i] * (double)g[i];
        }
        k->adam_means(m, s, g, &r, N);
        k->lamb_direction(u, m, s, x, &r, N);
        for (int i = 0; i < N; i++) {
            const double width = sqrt(exact_s[i] / 0.0199) + 1e-3;
            EXPECT_NEAR((double)m[i], exact_m[i], 1e-6);
            EXPECT_NEAR((double)s[i], exact_s[i], 1e-6);
            EXPECT_NEAR((double)u[i], exact_m[i] / 0.19 / width + 0.1 * (double)x[i], 1e-5);
        }
        EXPECT(guards_stand(u, N));
        mem_free(x);
        mem_free(m);
        mem_free(s);
        mem_free(g);
        mem_free(u);
    }
}

/* Threads share an update by ranges: a parameter's bits must not depend on the cut. */
static void test_an_update_in_ranges_has_the_bits_of_one_over_all(void)
{
    const struct sgd_rates sgd = {.lr = 0.05F, .momentum = 0.9F, .weight_decay = 0.05F};
    const struct adam_rates adam = {.lr = 0.1F,
                                    .epsilon = 1e-8F,
                                    .beta1 = 0.9,
                                    .beta2 = 0.999,
                                    .correction1 = 0.19F,
                                    .correction2 = 0.002F,
                                    .weight_decay = 0.01F,
                                    .shrink = 0.999F};
    float *x = numbers_new(N, 1), *v = numbers_new(N, 2), *g = numbers_new(N, 3);
    float *s = numbers_new(N, 4);

    for (int i = 0; i < N; i++)
        s[i] *= s[i];
    FOR_EACH_KERNEL(k)
    for (int cut = 1; cut < N; cut++) {
        float *x1 = numbers_copy(x, N), *x2 = numbers_copy(x, N);
        float *v1 = numbers_copy(v, N), *v2 = numbers_copy(v, N);
        float *s1 = numbers_copy(s, N), *s2 = numbers_copy(s, N);
        k->sgd(x1, v1, g, &sgd, N);
        k->sgd(x2, v2, g, &sgd, cut);
        k->sgd(x2 + cut, v2 + cut, g + cut, &sgd, N - cut);
        k->adam(x1, v1, s1, g, &adam, N);
        k->adam(x2, v2, s2, g, &adam, cut);
        k->adam(x2 + cut, v2 + cut, s2 + cut, g + cut, &adam, N - cut);
        EXPECT(same_bits(x1, x2, N) && same_bits(v1, v2, N) && same_bits(s1, s2, N));
        mem_free(x1);
        mem_free(x2);
        mem_free(v1);
        mem_free(v2);
        mem_free(s1);
        mem_free(s2);
    }
    mem_free(x);
    mem_free(v);
    mem_free(g);
    mem_free(s);
}

TEST_MAIN(TEST(test_softmax_and_its_loss_are_those_of_the_formula),
          TEST(test_a_logit_of_minus_infinity_has_probability_zero),
          TEST(test_nan_among_the_logits_makes_the_loss_nan), TEST(test_sgd_is_that_of_the_formula),
          TEST(test_adam_is_that_of_the_formula), TEST(test_lars_is_that_of_the_formula),
          TEST(test_lamb_s_means_and_direction_are_those_of_the_formula),
          TEST(test_an_update_in_ranges_has_the_bits_of_one_over_all))
