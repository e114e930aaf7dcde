/*
 * test_kernel_elementwise.c - activations, simple arithmetic and sums against loops in
 * double, at every length that leaves a different remainder.
 */
#include "test_kernel.h"

enum { LONGEST = 40 };

typedef void binary_function(float *y, const float *a, const float *b, int64_t n);
typedef double binary_reference(double a, double b);

static double relu_back(double dy, double y)
{
    return y > 0.0 ? dy : 0.0;
}

static double tanh_back(double dy, double y)
{
    return dy * (1.0 - y * y);
}

static double sigmoid_back(double dy, double y)
{
    return dy * y * (1.0 - y);
}

static double add(double a, double b)
{
    return a + b;
}

static double multiply(double a, double b)
{
    return a * b;
}

/* y = f(a, b) at every length, into another array and in place. */
static void check_binary(binary_function *f, binary_reference *exact)
{
    float *a = numbers_new(LONGEST, 1), *b = numbers_new(LONGEST, 2);

    for (int64_t n = 0; n <= LONGEST; n++) {
        float *y = guarded_new(n), *same = numbers_copy(a, LONGEST);
        f(y, a, b, n);
        f(same, same, b, n);
        for (int64_t i = 0; i < n; i++)
            EXPECT_NEAR((double)y[i], exact((double)a[i], (double)b[i]), 2e-7);
        EXPECT(same_bits(y, same, n) && same_bits(same + n, a + n, LONGEST - n));
        EXPECT(guards_stand(y, n));
        mem_free(y);
        mem_free(same);
    }
    mem_free(a);
    mem_free(b);
}

static void test_functions_of_two_arrays_are_those_of_a_loop_in_double(void)
{
    FOR_EACH_KERNEL(k)
    {
        check_binary(k->relu_back, relu_back);
        check_binary(k->tanh_back, tanh_back);
        check_binary(k->sigmoid_back, sigmoid_back);
        check_binary(k->add, add);
        check_binary(k->multiply, multiply);
    }
}

static void test_relu_keeps_the_positive_and_nan(void)
{
    FOR_EACH_KERNEL(k)
    for (int64_t n = 1; n <= LONGEST; n++) {
        float *x = numbers_new(n, 3), *y = guarded_new(n);
        x[n / 2] = NAN;
        k->relu(y, x, n);
        for (int64_t i = 0; i < n; i++)
            EXPECT(i == n / 2 ? isnan(y[i]) : y[i] == (x[i] > 0.0F ? x[i] : 0.0F));
        EXPECT(guards_stand(y, n));
        k->relu(x, x, n);
        for (int64_t i = 0; i < n; i++)
            EXPECT(i == n / 2 ? isnan(x[i]) : x[i] == y[i]);
        mem_free(x);
        mem_free(y);
    }
}

static void test_axpy_and_scale_are_those_of_a_loop_in_double(void)
{
    FOR_EACH_KERNEL(k)
    for (int64_t n = 0; n <= LONGEST; n++) {
        float *x = numbers_new(n, 1), *y = guarded_new(n), *z = guarded_new(n);
        k->axpy(y, 0.75F, x, n);
        k->scale(z, -0.3F, n);
        for (int64_t i = 0; i < n; i++) {
            EXPECT_NEAR((double)y[i], (double)GUARD + 0.75 * (double)x[i], 1e-3);
            EXPECT_NEAR((double)z[i], (double)GUARD * (double)-0.3F, 1e-3);
        }
        EXPECT(guards_stand(y, n) && guards_stand(z, n));
        mem_free(x);
        mem_free(y);
        mem_free(z);
    }
}

/* Every byte, at every place of a vector, alone and among others. */
static void test_bytes_are_those_of_a_loop_in_double_wherever_they_stand(void)
{
    enum { BYTES = 3 * 256 + 7 };
    const float a = 1.0F / 90.0F, b = -0.81F;
    uint8_t *x = MEM_NEW_N(uint8_t, BYTES);

    for (int64_t i = 0; i < BYTES; i++)
        x[i] = (uint8_t)(i * 89 % 256);
    FOR_EACH_KERNEL(k)
    {
        float *y = guarded_new(BYTES), one;
        k->bytes(y, x, a, b, BYTES);
        for (int64_t i = 0; i < BYTES; i++) {
            k->bytes(&one, x + i, a, b, 1);
            EXPECT(same_bits(&one, y + i, 1));
            EXPECT_NEAR((double)y[i], (double)a * x[i] + (double)b, 4e-7);
        }
        EXPECT(guards_stand(y, BYTES));
        mem_free(y);
    }
    mem_free(x);
}

/* What one element becomes must not depend on its neighbours, its place or its alignment. */
static void check_places(const struct kernel *k, int which)
{
    float *x = numbers_new(LONGEST, 4), *b = numbers_new(LONGEST, 5);

    for (int64_t first = 0; first < 8; first++) {
        const int64_t n = LONGEST - 8;
        float *y = numbers_copy(b, LONGEST), one;
        for (int64_t i = -1; i < n; i++) {
            const bool whole = i < 0;
            const int64_t at = first + (whole ? 0 : i), count = whole ? n : 1;
            float *to = whole ? y + first : &one;
            one = b[at];
            switch (which) {
            case 0:
                k->tanh(to, x + at, count);
                break;
            case 1:
                k->sigmoid(to, x + at, count);
                break;
            case 2:
                k->sine(to, x + at, 7.0F, count);
                break;
            case 3:
                k->sine_back(to, to, x + at, 7.0F, count);
                break;
            case 4:
                k->exp(to, x + at, count);
                break;
            case 5:
                k->tanh_back(to, b + at, x + at, count);
                break;
            case 6:
                k->sigmoid_back(to, b + at, x + at, count);
                break;
            default:
                k->axpy(to, 0.3F, x + at, count);
                break;
            }
            EXPECT(whole || same_bits(&one, y + at, 1));
        }
        mem_free(y);
    }
    mem_free(x);
    mem_free(b);
}

static void test_an_element_has_the_same_bits_wherever_it_stands(void)
{
    FOR_EACH_KERNEL(k)
    for (int which = 0; which < 8; which++)
        check_places(k, which);
}

static void test_sums_are_those_of_a_loop_in_double(void)
{
    FOR_EACH_KERNEL(k)
    for (int64_t n = 0; n <= 300; n++) {
        float *x = numbers_new(n, 6), *y = numbers_new(n, 7);
        double dot = 0.0, sum = 0.0, most = 0.0;
        for (int64_t i = 0; i < n; i++) {
            dot += (double)x[i] * (double)y[i];
            sum += fabs((double)x[i]);
            most = fmax(most, fabs((double)x[i]));
        }
        EXPECT_NEAR(k->dot(x, y, n), dot, 1e-13);
        EXPECT_NEAR(k->sum_abs(x, n), sum, 1e-12);
        EXPECT(k->max_abs(x, n) == (float)most);
        mem_free(x);
        mem_free(y);
    }
}

static void test_sums_do_not_depend_on_alignment_or_on_zeros_behind(void)
{
    FOR_EACH_KERNEL(k)
    for (int64_t n = 1; n <= 100; n++) {
        float *x = numbers_new(n, 6), *moved = MEM_NEW_N(float, n + 40);
        const double dot = k->dot(x, x, n), sum = k->sum_abs(x, n);
        for (int64_t shift = 0; shift < 8; shift++) {
            memset(moved, 0, (size_t)(n + 40) * sizeof *moved);
            memcpy(moved + shift, x, (size_t)n * sizeof *x);
            EXPECT(k->dot(moved + shift, moved + shift, n) == dot);
            EXPECT(k->dot(moved + shift, moved + shift, n + 32) == dot);
            EXPECT(k->sum_abs(moved + shift, n) == sum);
        }
        mem_free(x);
        mem_free(moved);
    }
}

static void test_max_abs_is_nan_if_any_is_nan(void)
{
    FOR_EACH_KERNEL(k)
    for (int64_t n = 1; n <= LONGEST; n++)
        for (int64_t bad = 0; bad < n; bad++) {
            float *x = numbers_new(n, 8);
            x[bad] = -INFINITY;
            EXPECT(k->max_abs(x, n) == INFINITY);
            x[bad] = NAN;
            EXPECT(isnan(k->max_abs(x, n)));
            mem_free(x);
        }
}

TEST_MAIN(TEST(test_functions_of_two_arrays_are_those_of_a_loop_in_double),
          TEST(test_relu_keeps_the_positive_and_nan),
          TEST(test_axpy_and_scale_are_those_of_a_loop_in_double),
          TEST(test_bytes_are_those_of_a_loop_in_double_wherever_they_stand),
          TEST(test_an_element_has_the_same_bits_wherever_it_stands),
          TEST(test_sums_are_those_of_a_loop_in_double),
          TEST(test_sums_do_not_depend_on_alignment_or_on_zeros_behind),
          TEST(test_max_abs_is_nan_if_any_is_nan))
