/*
 * convpool_winograd.c - the forward pass of convpool.c where the convolution is one for Winograd:
 * tiles of 4x4 outputs are pooled as they come, and never stored. Pooling windows of 2x2 and 4x4
 * fill tiles.
 *
 * Not here: the gradients (convpool.c), the products (winograd.c).
 */
#include "nn/layer_options.h"
#include "nn/layers/conv.h"
#include "nn/layers/convpool.h"
#include "nn/layers/winograd.h"

bool convpool_is_winograd(const struct layer *l)
{
    return l->method == &conv_winograd && (l->fusion.pool == 2 || l->fusion.pool == WINOGRAD_TILE);
}

static void pool_tiles(const struct winograd *k, const float *m, int64_t panel,
                       struct item_range tiles)
{
    const struct layer_pass *p = k->pass;
    const struct convpool_shape *s = k->context;
    const int64_t n = panel * PANEL, side = WINOGRAD_TILE / s->pool;
    const float *bias = conv_bias(p);
    struct winograd_pooling q = {
        .pool = s->pool,
        .row = s->out_width * s->outputs,
        .pixel = s->outputs,
        .origin_row = s->row,
        .origin_pixel = s->channels,
        .relu = s->relu,
    };

    for (int64_t i = tiles.begin; i < tiles.end; i++, m += PANEL) {
        const int64_t image = i / (k->tiling.rows * k->tiling.columns);
        const int64_t y = i / k->tiling.columns % k->tiling.rows, x = i % k->tiling.columns;
        const int64_t at =
            ((image * s->out_height + y * side) * s->out_width + x * side) * s->outputs + n;
        q.rows = s->out_height - y * side;
        q.columns = s->out_width - x * side;
        q.origin = (y * s->row + x * s->channels) * WINOGRAD_TILE;
        p->kernel->winograd_pool(
            p->out + at, p->mode == PASS_TRAIN ? (int32_t *)(void *)p->saved + at : NULL, &q, m,
            k->m_point, bias == NULL ? NULL : bias + n, panel_width(s->outputs, n));
    }
}

void convpool_winograd_forward(const struct layer_pass *p, const struct convpool_shape *s)
{
    const struct conv2d_options *o = p->layer->options;
    const struct shape in = p->layer->in[0];
    struct winograd k = {
        .pass = p,
        .way = {WINOGRAD_POINTS, p->kernel->winograd_input, p->kernel->winograd_weights},
        .in = { in.height,               in.width,               in.channels,                                  o->pad, WINOGRAD_TILE, WINOGRAD_PATCH},
        .out = { s->out_height * s->pool, s->out_width * s->pool, s->outputs,                                                           0, WINOGRAD_TILE,
                WINOGRAD_TILE},
        .from = p->in[0],
        .weights = p->tensors[0],
        .finish = pool_tiles,
        .context = s,
    };

    k.tiling = winograd_tiling_of(&k.out);
    winograd_convolve(&k);
}
