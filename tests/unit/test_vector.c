/*
 * test_vector.c - base/vector.h.
 */
#include "base/vector.h"
#include "test.h"

static void test_the_norm_is_the_root_of_the_sum_of_squares(void)
{
    EXPECT(vector_norm((double[]){2, -3, 6}, 3) == 7);
    EXPECT(vector_norm((double[]){-0.5}, 1) == 0.5);
    EXPECT(vector_norm(NULL, 0) == 0);
}

static void test_a_vector_that_is_not_finite_has_no_finite_norm(void)
{
    EXPECT(isinf(vector_norm((double[]){1, -(double)INFINITY}, 2)));
    EXPECT(isnan(vector_norm((double[]){1, (double)NAN}, 2)));
}

TEST_MAIN(TEST(test_the_norm_is_the_root_of_the_sum_of_squares),
          TEST(test_a_vector_that_is_not_finite_has_no_finite_norm))
