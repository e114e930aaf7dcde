/*
 * test_pictures.c - where things are in pictures, and of which colour.
 */
#include <string.h>

#include "record/pictures.h"
#include "test.h"

static const uint8_t *pixel(const struct png_picture *p, int64_t x, int64_t y)
{
    return p->pixels + (y * p->width + x) * p->channels;
}

static int brightness(const struct png_picture *p, int64_t x, int64_t y)
{
    const uint8_t *c = pixel(p, x, y);

    return c[0] + c[1] + c[2];
}

static void test_a_confusion_matrix_is_dark_where_the_answers_are(void)
{
    /* Of the second class a quarter is right; the third has no samples. */
    int64_t matrix[] = {10, 0, 0, 3, 1, 0, 0, 0, 0};
    const struct confusion c = {.classes = 3, .matrix = matrix};
    struct png_picture p;

    pictures_confusion(&c, &p);
    EXPECT(p.width == 96 && p.height == 96 && p.channels == 3);
    EXPECT(brightness(&p, 16, 16) < brightness(&p, 16, 48));  /* all: three quarters */
    EXPECT(brightness(&p, 16, 48) < brightness(&p, 48, 48));  /* a quarter */
    EXPECT(brightness(&p, 48, 48) < brightness(&p, 80, 48));  /* none */
    EXPECT(brightness(&p, 80, 48) == brightness(&p, 80, 80)); /* none of nothing */
    png_picture_release(&p);
}

static void test_many_classes_still_have_a_pixel_each(void)
{
    static int64_t matrix[1000 * 1000];
    const struct confusion c = {.classes = 1000, .matrix = matrix};
    struct png_picture p;

    matrix[999 * 1000 + 5] = 1;
    pictures_confusion(&c, &p);
    EXPECT(p.width == 1000 && p.height == 1000);
    EXPECT(brightness(&p, 5, 999) < brightness(&p, 6, 999));
    png_picture_release(&p);
}

static void test_images_stand_in_rows_of_eight(void)
{
    uint8_t pixels[9 * 2 * 3 * 3];
    struct png_picture p;

    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)i;
    pictures_grid(&(struct picture_images){9, 2, 3, 3, pixels}, &p);
    EXPECT(p.width == 8 * 5 - 2 && p.height == 2 * 4 - 2 && p.channels == 3);
    EXPECT(memcmp(pixel(&p, 0, 0), pixels, 9) == 0);                /* the first row of the first */
    EXPECT(memcmp(pixel(&p, 5, 1), pixels + 18 + 9, 9) == 0);       /* the second of the second */
    EXPECT(memcmp(pixel(&p, 0, 4), pixels + 8 * 18, 9) == 0);       /* the first of the ninth */
    EXPECT(pixel(&p, 3, 0)[0] == 128 && pixel(&p, 5, 4)[0] == 128); /* between, and none */
    png_picture_release(&p);
    pictures_grid(&(struct picture_images){2, 2, 3, 1, pixels}, &p);
    EXPECT(p.width == 2 * 5 - 2 && p.height == 2 && p.channels == 1);
    png_picture_release(&p);
}

TEST_MAIN(TEST(test_a_confusion_matrix_is_dark_where_the_answers_are),
          TEST(test_many_classes_still_have_a_pixel_each), TEST(test_images_stand_in_rows_of_eight))
