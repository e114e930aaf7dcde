/*
 * tensor.c - between the order that kernels want and the canonical one.
 *
 * A panel tensor is canonical [out][channels][height][width] and stored as panels of W[K][out] with
 * K = (y, x, channel), the channel fastest (kernel/panel.h). Both orders hold the same values.
 */
#include "kernel/tensor.h"

#include <string.h>

#include "base/check.h"
#include "base/text.h"
#include "kernel/panel.h"

/* The canonical place of element (k, n) of W[K][out]. */
static int64_t canonical_index(const struct tensor *t, int64_t k, int64_t n)
{
    const int64_t channel = k % t->panel_channels, position = k / t->panel_channels;

    return (n * t->panel_channels + channel) * t->panel_height * t->panel_width + position;
}

static int64_t panel_rows_of(const struct tensor *t)
{
    return t->panel_height * t->panel_width * t->panel_channels;
}

void tensor_to_canonical(const struct tensor *t, float *canonical, const float *stored)
{
    const int64_t rows = panel_rows_of(t);

    if (t->panel_out == 0) {
        memcpy(canonical, stored, (size_t)t->count * sizeof *canonical);
        return;
    }
    for (int64_t n = 0; n < t->panel_out; n++)
        for (int64_t k = 0; k < rows; k++)
            canonical[canonical_index(t, k, n)] = stored[panel_index(k, n, rows, t->panel_out)];
}

void tensor_from_canonical(const struct tensor *t, float *stored, const float *canonical)
{
    const int64_t rows = panel_rows_of(t);

    if (t->panel_out == 0) {
        memcpy(stored, canonical, (size_t)t->count * sizeof *stored);
        return;
    }
    for (int64_t n = 0; n < t->panel_out; n++)
        for (int64_t k = 0; k < rows; k++)
            stored[panel_index(k, n, rows, t->panel_out)] = canonical[canonical_index(t, k, n)];
}

void tensor_layout_to_canonical(const struct tensor_layout *l, float *canonical,
                                const float *stored, int64_t count)
{
    CHECK(count == l->param_count || count == l->state_count);
    for (int i = 0; i < l->tensor_count; i++) {
        const struct tensor *t = &l->tensors[i];

        if (t->offset < count)
            tensor_to_canonical(t, canonical + t->offset, stored + t->offset);
    }
}

void tensor_layout_from_canonical(const struct tensor_layout *l, float *stored,
                                  const float *canonical, int64_t count)
{
    CHECK(count == l->param_count || count == l->state_count);
    for (int i = 0; i < l->tensor_count; i++) {
        const struct tensor *t = &l->tensors[i];

        if (t->offset < count)
            tensor_from_canonical(t, stored + t->offset, canonical + t->offset);
    }
}

/* FNV-1a over 64-bit words. */
static uint64_t hash_word(uint64_t hash, int64_t word)
{
    return (hash ^ (uint64_t)word) * 0x100000001b3U;
}

uint64_t tensor_layout_id(const struct tensor_layout *l)
{
    uint64_t hash = 0xcbf29ce484222325U;

    for (int i = 0; i < l->tensor_count; i++) {
        const struct tensor *t = &l->tensors[i];
        const int64_t rows = panel_rows_of(t);

        hash = hash_word(hash, (int64_t)text_hash(t->name));
        hash = hash_word(hash, t->offset);
        hash = hash_word(hash, t->count);
        for (int64_t n = 0; n < t->panel_out; n++)
            for (int64_t k = 0; k < rows; k++)
                hash = hash_word(hash, panel_index(k, n, rows, t->panel_out));
    }
    return hash;
}

bool tensor_layout_has_grid(const struct tensor_layout *l)
{
    bool found = false;

    for (int i = 0; i < l->tensor_count; i++)
        found = found || l->tensors[i].is_grid;
    return found;
}

bool tensor_layout_has_statistics(const struct tensor_layout *l)
{
    return l->tensor_count > 0 && l->tensors[l->tensor_count - 1].kind == TENSOR_BUFFER;
}

void tensor_layout_move_statistics(const struct tensor_layout *l, float *buffers, const float *raw)
{
    for (int i = 0; i < l->tensor_count; i++) {
        const struct tensor *t = &l->tensors[i];
        const int64_t begin = t->offset - l->param_count;

        for (int64_t k = begin; t->kind == TENSOR_BUFFER && k < begin + t->count; k++)
            buffers[k] = tensor_move_statistic(t->momentum, buffers[k], raw[k]);
    }
}
