/*
 * test_golden_views.c - crops and flips are torchvision's rules, evaluated with the same random
 * numbers in Python, and views have the pixels that Pillow gives them. golden_images_pil.py makes
 * the vectors.
 */
#include "data/augment.h"
#include "golden/images_pil_case.h"

enum { RULE = 5, ROW = 16 }; /* numbers of a rule; rule, size, sample, epoch, view */

static struct augment rule_of(const struct golden *g, int64_t number)
{
    const double *r = golden_get(g, "views", "rules")->numbers + number * RULE;
    const int64_t width = (int64_t)r[1], height = (int64_t)r[2], more = (int64_t)r[3];
    struct augment a = augment_resized(width, height);

    if (r[0] == AUGMENT_CENTER)
        a = augment_center(width, height, more);
    else if (r[0] == AUGMENT_PADDED)
        a = augment_padded(width, height, more);
    a.is_flipping = r[4] != 0;
    return a;
}

static struct augment_key key_of(const struct golden *g, const double *sample_and_epoch)
{
    return (struct augment_key){
        .seed = (uint64_t)golden_get(g, "views", "seed")->numbers[0],
        .sample = (int64_t)sample_and_epoch[0],
        .epoch = (int64_t)sample_and_epoch[1],
    };
}

static void expect_box(const struct pixel_box *box, const double *expected)
{
    EXPECT_INT(box->x, expected[0]);
    EXPECT_INT(box->y, expected[1]);
    EXPECT_INT(box->width, expected[2]);
    EXPECT_INT(box->height, expected[3]);
}

static void test_views_are_those_of_torchvisions_rules(void)
{
    struct golden g = golden_load("images_pil");
    const struct golden_record *rows = golden_get(&g, "views", "rows");

    EXPECT(rows->count >= 300 * ROW);
    for (const double *row = rows->numbers; row < rows->numbers + rows->count; row += ROW) {
        const struct augment a = rule_of(&g, (int64_t)row[0]);
        const struct view v =
            augment_view(&a, (int64_t)row[1], (int64_t)row[2], key_of(&g, row + 3));

        expect_box(&v.crop, row + 5);
        EXPECT_INT(v.width, row[9]);
        EXPECT_INT(v.height, row[10]);
        expect_box(&v.window, row + 11);
        EXPECT_INT(v.is_flipped, row[15]);
    }
    golden_release(&g);
}

/* Means of 4000 samples against integrals; 4 standard deviations of a mean. */
static void test_random_parts_have_the_areas_and_aspects_of_the_rule(void)
{
    enum { SAMPLES = 4000 };
    struct golden g = golden_load("images_pil");
    const double *law = golden_get(&g, "views", "law")->numbers;
    const int64_t width = pil_number(&g, "views", "law_size", 0);
    const int64_t height = pil_number(&g, "views", "law_size", 1);
    const struct augment a = augment_resized(224, 224);
    double area = 0, log_aspect = 0;

    for (int64_t i = 0; i < SAMPLES; i++) {
        const struct view v = augment_view(&a, width, height, (struct augment_key){.sample = i});
        const struct pixel_box *c = &v.crop;

        EXPECT(c->x >= 0 && c->width > 0 && c->x + c->width <= width);
        EXPECT(c->y >= 0 && c->height > 0 && c->y + c->height <= height);
        area += (double)(c->width * c->height) / (double)(width * height) / SAMPLES;
        log_aspect += log((double)c->width / (double)c->height) / SAMPLES;
    }
    EXPECT_NEAR(area, law[0], 4 * law[1] / sqrt(SAMPLES));
    EXPECT_NEAR(log_aspect, law[2], 4 * law[3] / sqrt(SAMPLES));
    golden_release(&g);
}

static void check_rendered(const struct golden *g, const char *name)
{
    const double *numbers = golden_get(g, name, "case")->numbers;
    const struct augment a = rule_of(g, (int64_t)numbers[0]);
    uint8_t *out = MEM_NEW_N(uint8_t, 3 * a.width * a.height);
    struct image im = {0};
    struct resizer r = {0};

    memset(out, 0x5a, (size_t)(3 * a.width * a.height));
    if (EXPECT_OK(pil_decode(&im, g, golden_get(g, name, "source")->text))) {
        const struct resize_source picture = {im.pixels, im.width, im.height, 3 * im.width};
        const struct view v = augment_view(&a, im.width, im.height, key_of(g, numbers + 1));

        view_render(&r, out, &picture, &v);
        pil_expect_equal(g, name, (struct pil_pixels){a.width, a.height, out});
    }
    image_release(&im);
    resizer_release(&r);
    mem_free(out);
}

static void test_views_have_pillows_pixels(void)
{
    struct golden g = golden_load("images_pil");

    EXPECT(golden_for_cases(&g, "rendered", check_rendered) >= 12);
    golden_release(&g);
}

TEST_MAIN(TEST(test_views_are_those_of_torchvisions_rules),
          TEST(test_random_parts_have_the_areas_and_aspects_of_the_rule),
          TEST(test_views_have_pillows_pixels))
