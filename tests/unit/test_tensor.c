/* test_tensor.c - orders of elements, running statistics, and shapes as text. */
#include "base/mem.h"
#include "kernel/panel.h"
#include "kernel/tensor.h"
#include "nn/shape.h"
#include "test.h"

/* A convolution's weights: 18 outputs, so that the last panel is narrow. */
static const struct tensor conv = {
    .count = 18L * 3 * 2 * 4,
    .panel_out = 18,
    .panel_channels = 3,
    .panel_height = 2,
    .panel_width = 4,
};

static void test_stored_elements_stand_where_the_panels_say(void)
{
    float *canonical = MEM_NEW_N(float, conv.count), *stored = MEM_NEW_N(float, conv.count);

    for (int64_t i = 0; i < conv.count; i++)
        canonical[i] = (float)i;
    tensor_from_canonical(&conv, stored, canonical);
    /* canonical [out 18][channel 3][y 2][x 4]; stored [panel][k = (y, x, channel)][width] */
    for (int out = 0; out < 18; out++)
        for (int c = 0; c < 3; c++)
            for (int y = 0; y < 2; y++)
                for (int x = 0; x < 4; x++) {
                    const int k = (y * 4 + x) * 3 + c, panel = out / 16;
                    const int place = panel == 0 ? k * 16 + out : 16 * 24 + k * 2 + (out - 16);
                    EXPECT_INT(stored[place], ((out * 3 + c) * 2 + y) * 4 + x);
                }
    mem_free(canonical);
    mem_free(stored);
}

static void test_there_and_back_is_the_same(void)
{
    const struct tensor plain = {.count = 7};
    const struct tensor *const all[] = {&conv, &plain};

    for (int t = 0; t < 2; t++) {
        const int64_t n = all[t]->count;
        float *a = MEM_NEW_N(float, n), *b = MEM_NEW_N(float, n), *c = MEM_NEW_N(float, n);
        for (int64_t i = 0; i < n; i++)
            a[i] = (float)(i * i % 97);
        tensor_from_canonical(all[t], b, a);
        tensor_to_canonical(all[t], c, b);
        EXPECT(memcmp(a, c, (size_t)n * sizeof *a) == 0);
        mem_free(a);
        mem_free(b);
        mem_free(c);
    }
}

static void test_a_plain_tensor_is_stored_in_canonical_order(void)
{
    const struct tensor plain = {.count = 3};
    const float canonical[3] = {1.0F, 2.0F, 3.0F};
    float stored[3];

    tensor_from_canonical(&plain, stored, canonical);
    for (int i = 0; i < 3; i++)
        EXPECT(stored[i] == canonical[i]);
}

static void test_running_statistics_move_by_their_own_momentum(void)
{
    const struct tensor table[] = {
        {.kind = TENSOR_WEIGHT, .count = 3},
        { .kind = TENSOR_BUFFER, .offset = 3,     .count = 2, .momentum = 0.25},
        { .kind = TENSOR_BUFFER, .offset = 5,        .count = 1, .momentum = 1},
    };
    const struct tensor_layout layout = {
        .param_count = 3, .state_count = 6, .tensor_count = 3, .tensors = table};
    const struct tensor_layout weights = {
        .param_count = 3, .state_count = 3, .tensor_count = 1, .tensors = table};
    const float raw[] = {8.0F, -4.0F, 7.0F};
    float state[] = {1.0F, 2.0F, 3.0F, 4.0F, 0.0F, 5.0F};
    const float expected[] = {1.0F, 2.0F, 3.0F, 5.0F, -1.0F, 7.0F};

    EXPECT(tensor_layout_has_statistics(&layout));
    EXPECT(!tensor_layout_has_statistics(&weights));
    EXPECT(!tensor_layout_has_statistics(&(struct tensor_layout){.state_count = 3}));
    tensor_layout_move_statistics(&layout, state + 3, raw);
    for (int i = 0; i < 6; i++)
        EXPECT(state[i] == expected[i]);
}

static void test_shapes_are_written_channels_first(void)
{
    struct text t = {0};

    shape_text((struct shape){.height = 5, .width = 6, .channels = 16}, &t);
    EXPECT_TEXT(text_get(&t), "16x5x6");
    text_clear(&t);
    shape_text((struct shape){.height = 5, .width = 5, .channels = 16, .is_flat = true}, &t);
    EXPECT_TEXT(text_get(&t), "400");
    text_release(&t);
}

TEST_MAIN(TEST(test_stored_elements_stand_where_the_panels_say),
          TEST(test_there_and_back_is_the_same),
          TEST(test_a_plain_tensor_is_stored_in_canonical_order),
          TEST(test_running_statistics_move_by_their_own_momentum),
          TEST(test_shapes_are_written_channels_first))
