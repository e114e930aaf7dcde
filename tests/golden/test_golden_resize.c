/*
 * test_golden_resize.c - pictures are resized as Pillow's Image.resize(size, BILINEAR, box) does,
 * in every bit. golden_images_pil.py makes the vectors.
 */
#include "data/resize.h"
#include "golden/images_pil_case.h"

static struct resize_source source_of(const struct image *im)
{
    return (struct resize_source){im->pixels, im->width, im->height, 3 * im->width};
}

static struct resize_target target_of(const double *box, int64_t width, int64_t height)
{
    return (struct resize_target){
        .box = {(float)box[0], (float)box[1], (float)box[2], (float)box[3]},
        .width = width,
        .height = height,
        .window = {0,             0,             width,         height       },
        .row_bytes = 3 * width,
    };
}

static void check_resize(const struct golden *g, const char *name)
{
    const int64_t width = pil_number(g, name, "size", 0), height = pil_number(g, name, "size", 1);
    const struct resize_target t = target_of(golden_get(g, name, "box")->numbers, width, height);
    uint8_t *out = MEM_NEW_N(uint8_t, 3 * width * height);
    struct image im = {0};
    struct resizer r = {0};

    if (EXPECT_OK(pil_decode(&im, g, golden_get(g, name, "source")->text))) {
        const struct resize_source in = source_of(&im);

        resize_bilinear(&r, out, &in, &t);
        pil_expect_equal(g, name, (struct pil_pixels){width, height, out});
    }
    image_release(&im);
    resizer_release(&r);
    mem_free(out);
}

static void test_pictures_are_resized_as_pillow_does(void)
{
    struct golden g = golden_load("images_pil");

    EXPECT(golden_for_cases(&g, "resizes", check_resize) >= 15);
    golden_release(&g);
}

enum { ROW = 7, SIDE_MAX = 71 }; /* box, size, checksum */

static void test_any_box_and_size_give_pillows_bits(void)
{
    struct golden g = golden_load("images_pil");
    const struct golden_record *rows = golden_get(&g, "sweep", "rows");
    uint8_t *out = MEM_NEW_N(uint8_t, 3 * SIDE_MAX * SIDE_MAX);
    struct resizer r = {0};
    struct image im = {0};

    EXPECT(rows->count >= 400 * ROW);
    EXPECT_OK(pil_decode(&im, &g, golden_get(&g, "sweep", "source")->text));
    const struct resize_source in = source_of(&im);
    for (const double *row = rows->numbers; row < rows->numbers + rows->count; row += ROW) {
        const struct resize_target t = target_of(row, (int64_t)row[4], (int64_t)row[5]);

        CHECK(t.width <= SIDE_MAX && t.height <= SIDE_MAX);
        resize_bilinear(&r, out, &in, &t);
        EXPECT_INT(crc32(0, out, (uInt)(3 * t.width * t.height)), row[6]);
    }
    image_release(&im);
    resizer_release(&r);
    mem_free(out);
    golden_release(&g);
}

TEST_MAIN(TEST(test_pictures_are_resized_as_pillow_does),
          TEST(test_any_box_and_size_give_pillows_bits))
