/*
 * test_sharpness.c - the largest eigenvalue of a Hessian that is known.
 */
#include <math.h>

#include "problem/quadratic.h"
#include "study/sharpness.h"
#include "test.h"

/* f(x) = 1/2 sum_j a_j (x_j - b_j)^2 has the Hessian diag(a), wherever x is. */
static void test_the_eigenvalue_of_a_quadratic_is_its_largest_curvature(void)
{
    struct quadratic q;
    const float states[2][4] = {
        {0, 0,  0,    0 },
        {5, -3, 0.5F, 20}
    };

    quadratic_init(&q, &(struct quadratic_options){.size = 4, .workers = 1, .seed = 3});
    const double exact[] = {0.7, 1.1, 0.9, 3.0};
    for (int k = 0; k < 4; k++)
        q.a[k] = exact[k];
    for (int i = 0; i < 2; i++) {
        struct problem *p = quadratic_new(&q, 0);

        double eigenvalue = 0;

        EXPECT_OK(
            sharpness_eigenvalue(p, states[i], &(struct sharpness_search){1, 20, 1}, &eigenvalue));
        EXPECT_NEAR(eigenvalue, 3.0, 1e-3);
        problem_free(p);
    }
    quadratic_release(&q);
}

/* Of largest magnitude: at a saddle it may be negative. */
static void test_a_negative_curvature_keeps_its_sign(void)
{
    struct quadratic q;
    const float state[3] = {0};
    const double exact[] = {1.0, -4.0, 0.5};

    quadratic_init(&q, &(struct quadratic_options){.size = 3, .workers = 1, .seed = 3});
    for (int k = 0; k < 3; k++)
        q.a[k] = exact[k];
    struct problem *p = quadratic_new(&q, 0);
    double eigenvalue = 0;
    EXPECT_OK(sharpness_eigenvalue(p, state, &(struct sharpness_search){1, 30, 1}, &eigenvalue));
    EXPECT_NEAR(eigenvalue, -4.0, 1e-3);
    problem_free(p);
    quadratic_release(&q);
}

TEST_MAIN(TEST(test_the_eigenvalue_of_a_quadratic_is_its_largest_curvature),
          TEST(test_a_negative_curvature_keeps_its_sign))
