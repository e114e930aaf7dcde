/*
 * flatten.c - an image counts as a vector from here on. The vector remembers the image, so that a
 * dense layer's weights can be written in PyTorch's order (shape.h). No number moves.
 */
#include "nn/layers/support.h"

static enum status flatten_plan(struct layer *l)
{
    l->out = l->in[0];
    l->out.is_flat = true;
    return STATUS_OK;
}

/* The model sees the flag and runs neither. */
static void nothing(const struct layer_pass *p)
{
    (void)p;
}

const struct layer_ops flatten_layer = {
    .entry = {.name = "flatten", .summary = "image to vector"},
    .flags = LAYER_IDENTITY,
    .input_count = 1,
    .plan = flatten_plan,
    .forward = nothing,
    .backward = nothing,
};
