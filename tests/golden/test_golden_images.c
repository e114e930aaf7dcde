/*
 * test_golden_images.c - images of bytes or floats become the model's input as PyTorch's bilinear
 * interpolation (align_corners=False, antialias=False) and normalisation make it.
 */
#include "data/gather.h"
#include "golden/golden.h"

enum { COUNT = 2 };

/* Bytes from noise, channels last. */
static uint8_t *make_images(struct shape s, const char *name)
{
    const int64_t size = COUNT * shape_size(s);
    uint8_t *bytes = MEM_NEW_N(uint8_t, size);
    char *stream = text_format("%s/bytes", name);
    const uint64_t key = golden_key(stream);

    for (int64_t i = 0; i < size; i++)
        bytes[golden_place(s, i)] = (uint8_t)(((double)(float)golden_noise(key, i) + 1) / 2 * 256);
    mem_free(stream);
    return bytes;
}

/* The same as numbers of [0, 1]. */
static float *make_values(const uint8_t *bytes, int64_t size)
{
    float *values = MEM_NEW_N(float, size);

    for (int64_t i = 0; i < size; i++)
        values[i] = (float)bytes[i] / 255.0F;
    return values;
}

/* Gathers all samples and compares; 1e-6 is a few roundings of floats. */
static void compare(const struct golden *g, const char *name, const struct gather *gather)
{
    const struct golden_record *expected = golden_get(g, name, "output");
    const struct shape out = {gather->height, gather->width, gather->dataset->channels, false};
    float *last = MEM_NEW_N(float, expected->count), *first = MEM_NEW_N(float, expected->count);
    const int64_t numbers[COUNT] = {0, 1};

    EXPECT_INT(COUNT * shape_size(out), expected->count);
    gather_inputs(last, gather, &gather->dataset->train, numbers, COUNT);
    golden_channels_first(first, last, out, COUNT);
    golden_compare(name, first, expected, (struct golden_tolerance){.relative = 1e-6});
    mem_free(last);
    mem_free(first);
}

static void check_images(const struct golden *g, const char *name)
{
    const struct shape in = golden_shape(golden_get(g, name, "shape"));
    const double *size = golden_get(g, name, "size")->numbers;
    const double *normalize = golden_get(g, "", "normalize")->numbers;
    uint8_t *bytes = make_images(in, name);
    float *values = make_values(bytes, COUNT * shape_size(in));
    struct dataset d = {.height = in.height, .width = in.width, .channels = in.channels};
    struct gather gather = {.dataset = &d, .height = (int64_t)size[0], .width = (int64_t)size[1]};

    gather.normalizer.mean = MEM_NEW_N(float, in.channels);
    gather.normalizer.std = MEM_NEW_N(float, in.channels);
    for (int64_t c = 0; c < in.channels; c++) {
        gather.normalizer.mean[c] = (float)normalize[0];
        gather.normalizer.std[c] = (float)normalize[1];
    }
    d.train = (struct samples){.count = COUNT, .bytes = bytes};
    compare(g, name, &gather);
    d.train = (struct samples){.count = COUNT, .values = values};
    compare(g, name, &gather);
    normalizer_release(&gather.normalizer);
    mem_free(bytes);
    mem_free(values);
}

static void test_images_are_resized_as_pytorch_does(void)
{
    struct golden g = golden_load("images");

    EXPECT(golden_for_cases(&g, "cases", check_images) >= 6);
    golden_release(&g);
}

TEST_MAIN(TEST(test_images_are_resized_as_pytorch_does))
