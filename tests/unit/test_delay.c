/*
 * test_delay.c - the forms of --delay and --slow-worker, and the moments of what is drawn.
 */
#include "base/text.h"
#include "comm/delay.h"
#include "test.h"

enum { DRAWS = 40000, WORKERS = 4 };

static void expect_form(const char *text, enum delay_kind kind, double mean, double spread)
{
    struct delay d;

    if (!EXPECT_OK(delay_read(&d, text)))
        return;
    if (d.kind != kind)
        printf("# %s\n", text);
    EXPECT_INT(d.kind, kind);
    EXPECT_NEAR(d.mean, mean, 1e-15); /* a product of two doubles */
    EXPECT_NEAR(d.spread, spread, 1e-15);
}

static void test_every_form_is_read(void)
{
    expect_form(NULL, DELAY_NONE, 0, 0);
    expect_form("none", DELAY_NONE, 0, 0);
    expect_form("30ms", DELAY_CONSTANT, 0.03, 0);
    expect_form("0.5s", DELAY_CONSTANT, 0.5, 0);
    expect_form("250us", DELAY_CONSTANT, 0.00025, 0);
    expect_form("0ms", DELAY_CONSTANT, 0, 0);
    expect_form("constant:30ms", DELAY_CONSTANT, 0.03, 0);
    expect_form("gaussian:30ms,5ms", DELAY_GAUSSIAN, 0.03, 0.005);
    expect_form("lognormal:1s,200ms", DELAY_LOGNORMAL, 1, 0.2);
    expect_form("exponential:20ms", DELAY_EXPONENTIAL, 0.02, 0);
    expect_form("pareto:20ms,2.5", DELAY_PARETO, 0.02, 2.5);
}

/* S000's README and its code. */
static void test_presets_are_those_of_the_study(void)
{
    expect_form("small", DELAY_CONSTANT, 0.01, 0);
    expect_form("medium", DELAY_CONSTANT, 0.02, 0);
    expect_form("long", DELAY_CONSTANT, 0.03, 0);
    expect_form("s000:small", DELAY_CONSTANT, 0.03, 0);
    expect_form("s000:medium", DELAY_CONSTANT, 0.06, 0);
    expect_form("s000:long", DELAY_CONSTANT, 0.09, 0);
    expect_form("constant:s000:long", DELAY_CONSTANT, 0.09, 0);
    expect_form("gaussian:small", DELAY_GAUSSIAN, 0.01, 0.005);
    expect_form("gaussian:long", DELAY_GAUSSIAN, 0.03, 0.005);
    expect_form("gaussian:s000:small", DELAY_GAUSSIAN, 0.03, 0.005);
    expect_form("gaussian:s000:long", DELAY_GAUSSIAN, 0.09, 0.005);
    expect_form("gaussian:s000:long,1ms", DELAY_GAUSSIAN, 0.09, 0.001);
    expect_form("exponential:medium", DELAY_EXPONENTIAL, 0.02, 0);
    expect_form("pareto:small,3", DELAY_PARETO, 0.01, 3);
}

static void test_a_wrong_delay_is_told_what_would_be_right(void)
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"30",                "30 has no unit; write 30ms or 30s"     },
        {"gaussian:30,5ms",   "30 has no unit"                        },
        {"",                  "a delay is written as 30ms"            },
        {"ms",                "a delay is written as 30ms"            },
        {"-5ms",              "-5ms is outside [0s, 3600s]"           },
        {"2e5s",              "outside [0s, 3600s]"                   },
        {"infs",              "outside [0s, 3600s]"                   },
        {"nanms",             "unknown delay nanms"                   },
        {"gausian:30ms",      "did you mean gaussian?"                },
        {"smal",              "did you mean small?"                   },
        {"s000:larg",         "did you mean s000:long?"               },
        {"gaussian",          "a mean and a deviation, as gaussian:30"},
        {"gaussian:",         "a mean and a deviation"                },
        {"gaussian:30ms",     "a mean and a deviation"                },
        {"gaussian:30ms,",    "\"\" is not a duration"                },
        {"gaussian:30ms,1,2", "\"1,2\" is not a duration"             },
        {"exponential:1s,2s", "takes one value, the mean"             },
        {"constant:1s,2s",    "takes one value, the mean"             },
        {"lognormal:0ms,5ms", "a mean above 0"                        },
        {"pareto:30ms",       "a mean and a shape, as pareto:30ms,2.5"},
        {"pareto:small",      "a mean and a shape"                    },
        {"pareto:30ms,1",     "has no finite mean"                    },
        {"pareto:30ms,5ms",   "the shape \"5ms\" is not a number"     },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct delay d;

        EXPECT_FAILS(delay_read(&d, cases[i].text), STATUS_BAD_INPUT, cases[i].part);
        EXPECT_HAS(status_message(), "delays.delay: ");
        EXPECT_INT(d.kind, DELAY_NONE);
    }
}

/* Mean, variance and kurtosis (fourth moment over squared variance) of a distribution. */
struct moments {
    double mean, variance, kurtosis;
};

/* Five standard errors: of n draws sqrt(v / n) for the mean, v sqrt((k - 1) / n) for v. */
static void expect_moments(const char *text, struct moments m)
{
    double sum = 0, squares = 0;
    struct delays d;

    EXPECT_OK(delays_init(&d, text, NULL, WORKERS));
    for (int64_t step = 0; step < DRAWS; step++) {
        const double x = delay_draw(&d, 1, 2, step);

        EXPECT(isfinite(x) && x >= 0 && x <= DELAY_MOST);
        sum += x;
        squares += (x - m.mean) * (x - m.mean);
    }
    EXPECT_NEAR(sum / DRAWS, m.mean, 5 * sqrt(m.variance / DRAWS) + 1e-12);
    EXPECT_NEAR(squares / DRAWS, m.variance,
                5 * m.variance * sqrt((m.kurtosis - 1) / DRAWS) + 1e-15);
    delays_release(&d);
}

static void test_draws_have_the_moments_of_their_distribution(void)
{
    const double half = 5e-3 / sqrt(2 * M_PI); /* the mean of max(0, N(0, 5 ms)) */
    const double q = 1.25;                     /* lognormal: 1 + (std / mean)^2 */

    expect_moments("30ms", (struct moments){0.03, 0, 1});
    expect_moments("gaussian:30ms,4ms", (struct moments){0.03, 16e-6, 3});
    expect_moments("gaussian:0ms,5ms", (struct moments){half, 25e-6 / 2 - half * half, 5.41});
    expect_moments("exponential:20ms", (struct moments){0.02, 4e-4, 9});
    expect_moments("lognormal:20ms,10ms",
                   (struct moments){0.02, 1e-4, q * q * q * q + 2 * q * q * q + 3 * q * q - 3});
    /* pareto: scale = mean (a - 1) / a, variance = scale^2 a / ((a - 1)^2 (a - 2)) */
    expect_moments("pareto:60ms,6", (struct moments){0.06, 25e-4 * 6 / (25 * 4), 3 + 214.0 / 6});
}

/* P(X <= x) = 1 - (scale / x)^a, at the median; the count is binomial: five deviations. */
static void test_half_of_the_pareto_draws_are_below_its_median(void)
{
    const double scale = 0.03 * 0.5 / 1.5, median = scale * pow(2, 1 / 1.5);
    int64_t below = 0;
    struct delays d;

    EXPECT_OK(delays_init(&d, "pareto:30ms,1.5", NULL, WORKERS));
    for (int64_t step = 0; step < DRAWS; step++) {
        const double x = delay_draw(&d, 3, 0, step);

        EXPECT(x >= scale * (1 - 1e-12));
        below += x <= median;
    }
    EXPECT_NEAR((double)below, DRAWS / 2.0, 5 * sqrt(DRAWS / 4.0));
    delays_release(&d);
}

static void test_heavy_tails_are_cut(void)
{
    static const char *const texts[] = {"pareto:30ms,1.000001", "lognormal:1ms,3600s",
                                        "pareto:3600s,1.1", "gaussian:3600s,3600s"};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct delays d;

        EXPECT_OK(delays_init(&d, texts[i], "0:1e6", WORKERS));
        for (int64_t step = 0; step < 2000; step++) {
            const double x = delay_draw(&d, 1, 0, step), y = delay_draw(&d, 1, 1, step);

            EXPECT(isfinite(x) && x >= 0 && x <= DELAY_MOST);
            EXPECT(isfinite(y) && y >= 0 && y <= DELAY_MOST);
            EXPECT(i > 1 || y <= DELAY_MOST_MEANS * d.common.mean * (1 + 1e-9));
        }
        delays_release(&d);
    }
}

static void test_a_draw_is_a_function_of_seed_worker_and_step(void)
{
    double forward[100], other_worker = 0, other_seed = 0;
    struct delays a, b;

    EXPECT_OK(delays_init(&a, "gaussian:30ms,5ms", NULL, WORKERS));
    EXPECT_OK(delays_init(&b, "gaussian:30ms,5ms", NULL, WORKERS));
    for (int64_t step = 0; step < 100; step++)
        forward[step] = delay_draw(&a, 7, 1, step);
    for (int64_t step = 99; step >= 0; step--) { /* another order, with other draws between */
        delay_draw(&b, 7, 3, step);
        EXPECT(delay_draw(&b, 7, 1, step) == forward[step]);
        other_worker += delay_draw(&b, 7, 0, step) == forward[step];
        other_seed += delay_draw(&b, 8, 1, step) == forward[step];
    }
    EXPECT_NEAR(other_worker + other_seed, 0, 0);
    delays_release(&a);
    delays_release(&b);
    delays_release(&b);
}

/* The correlation of n independent pairs has the deviation 1 / sqrt(n): five of them. */
static void test_workers_and_steps_draw_independently(void)
{
    double between_workers = 0, between_steps = 0;
    struct delays d;

    EXPECT_OK(delays_init(&d, "gaussian:1s,100ms", NULL, WORKERS));
    for (int64_t step = 0; step < DRAWS; step++) {
        const double here = (delay_draw(&d, 5, 0, step) - 1) / 0.1;

        between_workers += here * (delay_draw(&d, 5, 1, step) - 1) / 0.1;
        between_steps += here * (delay_draw(&d, 5, 0, step + 1) - 1) / 0.1;
    }
    EXPECT_NEAR(between_workers / DRAWS, 0, 5 / sqrt(DRAWS));
    EXPECT_NEAR(between_steps / DRAWS, 0, 5 / sqrt(DRAWS));
    delays_release(&d);
}

static void test_a_factor_scales_the_delay_of_that_worker_alone(void)
{
    struct delays plain, slow;

    EXPECT_OK(delays_init(&plain, "gaussian:30ms,5ms", NULL, WORKERS));
    EXPECT_OK(delays_init(&slow, "gaussian:30ms,5ms", "1:2.0,3:0.5", WORKERS));
    for (int64_t step = 0; step < 50; step++) {
        for (int w = 0; w < WORKERS; w++) {
            const double factor = w == 1 ? 2 : w == 3 ? 0.5 : 1;

            EXPECT(delay_draw(&slow, 1, w, step) == factor * delay_draw(&plain, 1, w, step));
        }
    }
    EXPECT_NEAR(delay_compute_factor(&slow, 1), 1, 0);
    delays_release(&plain);
    delays_release(&slow);
}

static void test_a_factor_without_a_delay_is_on_computing(void)
{
    struct delays d;

    EXPECT_OK(delays_init(&d, NULL, "1:2.5", WORKERS));
    EXPECT_NEAR(delay_draw(&d, 1, 1, 0), 0, 0);
    EXPECT_NEAR(delay_compute_factor(&d, 1), 2.5, 0);
    EXPECT_NEAR(delay_compute_factor(&d, 0), 1, 0);
    delays_release(&d);
}

static void test_a_duration_delays_that_worker_alone(void)
{
    struct delays d;

    EXPECT_OK(delays_init(&d, NULL, "1:60ms,0:gaussian:s000:small,1ms,3:2", WORKERS));
    EXPECT_INT(d.slow_count, 3);
    EXPECT_NEAR(delay_draw(&d, 1, 1, 9), 0.06, 1e-15);
    EXPECT_NEAR(delay_draw(&d, 1, 0, 9), 0.03, 0.01); /* ten deviations */
    EXPECT(delay_draw(&d, 1, 0, 9) != delay_draw(&d, 1, 0, 10));
    EXPECT_NEAR(delay_draw(&d, 1, 2, 9), 0, 0);
    EXPECT_NEAR(delay_compute_factor(&d, 3), 2, 0);
    EXPECT_NEAR(delay_compute_factor(&d, 1), 1, 0);
    delays_release(&d);
    EXPECT_OK(delays_init(&d, "30ms", "1:0ms", WORKERS)); /* instead of the common one */
    EXPECT_NEAR(delay_draw(&d, 1, 1, 0), 0, 0);
    EXPECT_NEAR(delay_draw(&d, 1, 0, 0), 0.03, 1e-15);
    delays_release(&d);
}

static void test_a_wrong_slow_worker_is_told_what_would_be_right(void)
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"",             "as 1:2.0 or 1:60ms"                      },
        {"1",            "as 1:2.0 or 1:60ms"                      },
        {"one:2",        "as 1:2.0 or 1:60ms"                      },
        {"4:2.0",        "there is no worker 4; workers are 0 to 3"},
        {"-1:2.0",       "there is no worker -1"                   },
        {"1:2,1:3",      "worker 1 is given twice"                 },
        {"1:0",          "the factor 0 is outside (0, 1e+06]"      },
        {"1:-2",         "outside (0, 1e+06]"                      },
        {"1:inf",        "outside (0, 1e+06]"                      },
        {"1:0.5",        "at least 1"                              },
        {"1:",           "unknown delay \"\""                      },
        {"1:2.0,",       "unknown delay 2.0,"                      },
        {"1:gaussian:3", "a mean and a deviation"                  },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct delays d;

        EXPECT_FAILS(delays_init(&d, NULL, cases[i].text, WORKERS), STATUS_BAD_INPUT,
                     cases[i].part);
        EXPECT_HAS(status_message(), "delays.slow_worker: ");
        EXPECT(d.slow == NULL);
    }
}

TEST_MAIN(TEST(test_every_form_is_read), TEST(test_presets_are_those_of_the_study),
          TEST(test_a_wrong_delay_is_told_what_would_be_right),
          TEST(test_draws_have_the_moments_of_their_distribution),
          TEST(test_half_of_the_pareto_draws_are_below_its_median), TEST(test_heavy_tails_are_cut),
          TEST(test_a_draw_is_a_function_of_seed_worker_and_step),
          TEST(test_workers_and_steps_draw_independently),
          TEST(test_a_factor_scales_the_delay_of_that_worker_alone),
          TEST(test_a_factor_without_a_delay_is_on_computing),
          TEST(test_a_duration_delays_that_worker_alone),
          TEST(test_a_wrong_slow_worker_is_told_what_would_be_right))
