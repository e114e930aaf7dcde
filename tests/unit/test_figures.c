/*
 * test_figures.c - the generated sets: pictures of figures, points of rooms, values of a sine.
 */
#include "base/mem.h"
#include "data/figure.h"
#include "data/list.h"
#include "test.h"

enum { PIXELS = FIGURE_SIDE * FIGURE_SIDE };

static struct dataset *make(const struct dataset_ops *ops, int64_t train, int64_t test)
{
    const struct dataset_request request = {0};
    struct choice c;
    struct dataset *d = NULL;
    char *options;

    choice_init(&c, &ops->entry);
    options = c.options;
    memcpy(options + fields_find(ops->entry.fields, "train_count")->offset, &train, sizeof train);
    memcpy(options + fields_find(ops->entry.fields, "test_count")->offset, &test, sizeof test);
    EXPECT_OK(dataset_load(&c, &request, &d));
    choice_release(&c);
    return d;
}

static void test_a_picture_is_a_function_of_its_number_only(void)
{
    struct dataset *few = make(&figures_data, 30, 10), *many = make(&figures_data, 100, 40);

    EXPECT(memcmp(few->train.bytes, many->train.bytes, (size_t)30 * PIXELS) == 0);
    EXPECT(memcmp(few->test.bytes, many->test.bytes, (size_t)10 * PIXELS) == 0);
    dataset_free(few);
    dataset_free(many);
}

static void test_no_two_pictures_are_the_same(void)
{
    struct dataset *d = make(&figures_data, 200, 200);

    for (int64_t i = 0; i < 200; i++)
        for (int64_t k = 0; k < 200; k++) {
            const uint8_t *a = d->train.bytes + i * PIXELS;

            EXPECT(memcmp(a, d->test.bytes + k * PIXELS, PIXELS) != 0);
            EXPECT(i == k || memcmp(a, d->train.bytes + k * PIXELS, PIXELS) != 0);
        }
    dataset_free(d);
}

static int64_t nearest(const double *means, const uint8_t *picture)
{
    double best = INFINITY;
    int64_t which = -1;

    for (int64_t k = 0; k < FIGURE_KINDS; k++) {
        double distance = 0.0;

        for (int64_t p = 0; p < PIXELS; p++) {
            const double difference = picture[p] - means[k * PIXELS + p];

            distance += difference * difference;
        }
        if (distance < best) {
            best = distance;
            which = k;
        }
    }
    return which;
}

/* The nearest class mean is a linear model; a set that it solves would teach nothing. */
static void test_the_nearest_class_mean_is_better_than_chance_and_below_90_percent(void)
{
    struct dataset *d = make(&figures_data, 3000, 500);
    double *means = MEM_NEW_N(double, (int64_t)FIGURE_KINDS *PIXELS);
    int64_t right = 0;

    for (int64_t i = 0; i < d->train.count; i++)
        for (int64_t p = 0; p < PIXELS; p++)
            means[(int64_t)d->train.labels[i] * PIXELS + p] +=
                d->train.bytes[i * PIXELS + p] / 300.0;
    for (int64_t i = 0; i < d->test.count; i++)
        right += nearest(means, d->test.bytes + i * PIXELS) == d->test.labels[i];
    EXPECT(right > 500 * 15 / 100);
    EXPECT(right < 500 * 90 / 100);
    mem_free(means);
    dataset_free(d);
}

/* The middle of a disc is lighter than its picture's corners, that of a ring is not by much. */
static void test_the_figure_is_where_its_class_says(void)
{
    struct dataset *d = make(&figures_data, 2000, 10);
    double middle[FIGURE_KINDS] = {0}, corner[FIGURE_KINDS] = {0};

    for (int64_t i = 0; i < d->train.count; i++) {
        const uint8_t *p = d->train.bytes + i * PIXELS;

        middle[d->train.labels[i]] += p[14 * FIGURE_SIDE + 14] / 200.0;
        corner[d->train.labels[i]] += (p[0] + p[PIXELS - 1]) / 400.0;
    }
    EXPECT(middle[0] > corner[0] + 60.0); /* disc */
    EXPECT(middle[2] > corner[2] + 60.0); /* square */
    EXPECT(middle[1] < middle[0] - 40.0); /* ring against disc */
    EXPECT(middle[3] < middle[2] - 40.0); /* frame against square */
    dataset_free(d);
}

static void test_rooms_have_walls_where_the_plan_has_them(void)
{
    struct dataset *d = make(&rooms_data, 50000, 10000);
    double walls = 0.0;

    for (int64_t i = 0; i < d->train.count; i++) {
        const float x = d->train.values[2 * i], y = d->train.values[2 * i + 1];
        const float target = d->train.targets[i];

        walls += (double)target;
        EXPECT(fabsf(x) <= 1080.0F && fabsf(y) <= 810.0F);
        EXPECT(target == 0.0F || target == 1.0F);
        if (fabsf(x) > 990.0F || fabsf(y) > 720.0F)
            EXPECT(target == 1.0F); /* the outer wall is a cell of 90 thick */
        if (fabsf(x) < 990.0F && y > -90.0F && y < 90.0F)
            EXPECT(target == 0.0F); /* the corridor */
    }
    /* 147 of the plan's 432 cells; four deviations of 50000 draws. */
    EXPECT_NEAR(walls / 50000.0, 147.0 / 432.0, 4.0 * sqrt(0.34 * 0.66 / 50000.0));
    dataset_free(d);
}

static void test_sine_is_the_sine_with_noise_in_the_training_part_only(void)
{
    struct dataset *d = make(&sine_data, 20000, 1000);
    double squares = 0.0;

    for (int64_t i = 0; i < d->test.count; i++) /* two roundings to float */
        EXPECT_NEAR((double)d->test.targets[i], sin((double)d->test.values[i]), 3e-7);
    for (int64_t i = 0; i < d->train.count; i++) {
        const double e = (double)d->train.targets[i] - sin((double)d->train.values[i]);

        EXPECT(fabsf(d->train.values[i]) <= 3.141593F);
        squares += e * e;
    }
    /* The deviation of a deviation from 20000 draws is 0.1 / sqrt(40000); five of them. */
    EXPECT_NEAR(sqrt(squares / 20000.0), 0.1, 0.0025);
    dataset_free(d);
}

TEST_MAIN(TEST(test_a_picture_is_a_function_of_its_number_only),
          TEST(test_no_two_pictures_are_the_same),
          TEST(test_the_nearest_class_mean_is_better_than_chance_and_below_90_percent),
          TEST(test_the_figure_is_where_its_class_says),
          TEST(test_rooms_have_walls_where_the_plan_has_them),
          TEST(test_sine_is_the_sine_with_noise_in_the_training_part_only))
