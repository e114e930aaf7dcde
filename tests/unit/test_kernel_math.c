/*
 * test_kernel_math.c - exp, log, tanh, sigmoid and sine of our own against those of libm in double.
 */
#include "test_kernel.h"

typedef void map_function(float *y, const float *x, int64_t n);
typedef double reference(double x);

enum { SWEEP = 100003 };

static double sigmoid(double x)
{
    return 1.0 / (1.0 + exp(-x));
}

/* SWEEP values from low to high, evenly spaced, or with `powers` their logarithms. */
static float *sweep_new(double low, double high, bool powers)
{
    float *x = MEM_NEW_N(float, SWEEP);

    for (int64_t i = 0; i < SWEEP; i++) {
        const double t = (double)i / (SWEEP - 1);
        x[i] = (float)(powers ? low * pow(high / low, t) : low + t * (high - low));
    }
    return x;
}

/* The largest relative error; results below `floor` in size count as if they were that large. */
static double worst_error(map_function *f, reference *exact, const float *x, double floor)
{
    float *y = MEM_NEW_N(float, SWEEP);
    double worst = 0.0;

    f(y, x, SWEEP);
    for (int64_t i = 0; i < SWEEP; i++) {
        const double right = exact((double)x[i]);
        const double size = fabs(right) > floor ? fabs(right) : floor;
        const double error = fabs((double)y[i] - right) / size;
        worst = error > worst || isnan(error) ? error : worst;
    }
    mem_free(y);
    return worst;
}

/* A range that begins above 0 is taken in powers, and its mirror image too where there is one. */
static void check_sweep(map_function *f, reference *exact, double low, double high)
{
    const bool powers = low > 0.0;
    float *x = sweep_new(low, high, powers);

    /* a few units in the last place; denormal results have fewer digits */
    EXPECT_NEAR(worst_error(f, exact, x, 1.2e-38), 0.0, 4e-7);
    if (powers && exact != log) {
        for (int64_t i = 0; i < SWEEP; i++)
            x[i] = -x[i];
        EXPECT_NEAR(worst_error(f, exact, x, 1.2e-38), 0.0, 4e-7);
    }
    mem_free(x);
}

static void test_exp_is_accurate_over_its_range(void)
{
    FOR_EACH_KERNEL(k)
    {
        check_sweep(k->exp, exp, -103.0, 88.7);
        check_sweep(k->exp, exp, -1.0, 1.0);
        check_sweep(k->exp, exp, 1e-30, 80.0);
    }
}

static void test_log_is_accurate_over_its_range(void)
{
    FOR_EACH_KERNEL(k)
    {
        check_sweep(k->log, log, 1e-44, 3e38);
        check_sweep(k->log, log, 0.5, 2.0);
        check_sweep(k->log, log, 0.999, 1.001);
    }
}

static void test_tanh_is_accurate_over_its_range(void)
{
    FOR_EACH_KERNEL(k)
    {
        check_sweep(k->tanh, tanh, -12.0, 12.0);
        check_sweep(k->tanh, tanh, 1e-37, 100.0);
    }
}

static void test_sigmoid_is_accurate_over_its_range(void)
{
    FOR_EACH_KERNEL(k)
    {
        check_sweep(k->sigmoid, sigmoid, -87.0, 87.0);
        check_sweep(k->sigmoid, sigmoid, 1e-37, 87.0);
    }
}

static void test_sine_and_its_slope_are_accurate_up_to_ten_thousand(void)
{
    static const double ends[] = {1.0, 4.0, 40.0, 400.0, 1e4};
    static const float scales[] = {1.0F, 30.0F, -0.37F};
    float *ones = MEM_NEW_N(float, SWEEP), *y = MEM_NEW_N(float, SWEEP);

    for (int64_t i = 0; i < SWEEP; i++)
        ones[i] = 1.0F;
    FOR_EACH_KERNEL(k)
    for (int t = 0; t < 15; t++) {
        const float scale = scales[t % 3];
        const double end = ends[t / 3] / fabs((double)scale);
        float *x = sweep_new(-end, end, false);
        double sine = 0.0, slope = 0.0;
        k->sine(y, x, scale, SWEEP);
        for (int64_t i = 0; i < SWEEP; i++)
            sine = fmax(sine, fabs((double)y[i] - sin((double)(scale * x[i]))));
        k->sine_back(y, ones, x, scale, SWEEP);
        for (int64_t i = 0; i < SWEEP; i++)
            slope = fmax(slope, fabs((double)y[i] / (double)scale - cos((double)(scale * x[i]))));
        EXPECT_NEAR(sine, 0.0, 1e-6);
        EXPECT_NEAR(slope, 0.0, 1e-6);
        mem_free(x);
    }
    mem_free(ones);
    mem_free(y);
}

static void test_a_sine_beyond_the_accurate_range_stays_within_one(void)
{
    float *x = sweep_new(1e4, 3e38, true), *y = MEM_NEW_N(float, SWEEP);

    FOR_EACH_KERNEL(k)
    {
        double largest = 0.0;
        k->sine(y, x, 1.0F, SWEEP);
        for (int64_t i = 0; i < SWEEP; i++)
            largest = isnan(y[i]) ? HUGE_VAL : fmax(largest, fabs((double)y[i]));
        EXPECT(largest <= 1.000001);
    }
    mem_free(x);
    mem_free(y);
}

static float value_of(map_function *f, float x)
{
    float y = GUARD;

    f(&y, &x, 1);
    return y;
}

static void test_special_values_come_out_as_in_c99(void)
{
    FOR_EACH_KERNEL(k)
    {
        EXPECT(value_of(k->exp, 0.0F) == 1.0F);
        EXPECT(value_of(k->exp, INFINITY) == INFINITY && value_of(k->exp, 89.0F) == INFINITY);
        EXPECT(value_of(k->exp, -INFINITY) == 0.0F && value_of(k->exp, -200.0F) == 0.0F);
        EXPECT(isnan(value_of(k->exp, NAN)));
        EXPECT(value_of(k->log, 1.0F) == 0.0F);
        EXPECT(value_of(k->log, 0.0F) == -INFINITY && value_of(k->log, -0.0F) == -INFINITY);
        EXPECT(value_of(k->log, INFINITY) == INFINITY);
        EXPECT(isnan(value_of(k->log, -1.0F)) && isnan(value_of(k->log, NAN)));
        EXPECT(isnan(value_of(k->log, -INFINITY)) && isnan(value_of(k->log, -1e-44F)));
        EXPECT(value_of(k->tanh, INFINITY) == 1.0F && value_of(k->tanh, -INFINITY) == -1.0F);
        EXPECT(value_of(k->tanh, 0.0F) == 0.0F && isnan(value_of(k->tanh, NAN)));
        EXPECT(value_of(k->sigmoid, 0.0F) == 0.5F);
        EXPECT(value_of(k->sigmoid, INFINITY) == 1.0F && value_of(k->sigmoid, -INFINITY) == 0.0F);
        EXPECT(isnan(value_of(k->sigmoid, NAN)));
    }
}

static void test_the_sine_of_nan_and_of_infinity_is_nan(void)
{
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    const float one = 1.0F;

    FOR_EACH_KERNEL(k)
    for (int i = 0; i < 3; i++) {
        float y = 0.0F, dx = 0.0F;
        k->sine(&y, bad + i, 2.0F, 1);
        k->sine_back(&dx, &one, bad + i, 2.0F, 1);
        EXPECT(isnan(y) && isnan(dx));
    }
}

TEST_MAIN(TEST(test_exp_is_accurate_over_its_range), TEST(test_log_is_accurate_over_its_range),
          TEST(test_tanh_is_accurate_over_its_range), TEST(test_sigmoid_is_accurate_over_its_range),
          TEST(test_sine_and_its_slope_are_accurate_up_to_ten_thousand),
          TEST(test_a_sine_beyond_the_accurate_range_stays_within_one),
          TEST(test_special_values_come_out_as_in_c99),
          TEST(test_the_sine_of_nan_and_of_infinity_is_nan))
