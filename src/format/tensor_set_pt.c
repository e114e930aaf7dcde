/*
 * tensor_set_pt.c - a set as torch.save writes a state dict: {name: tensor, ...}, each tensor with
 * a storage of its own.
 */
#include "base/text.h"
#include "format/pt_write.h"
#include "format/tensor_set.h"

_Static_assert((int)PT_RANK_MAX >= (int)TENSOR_SET_RANK_MAX, "every tensor can be written");

static void make_pickle(struct text *p, const struct tensor_set *s)
{
    pt_begin(p);
    for (int64_t i = 0; i < s->count; i++) {
        const struct named_tensor *t = &s->items[i];

        pt_put_text(p, t->name);
        pt_put_tensor(p, &(struct pt_view){
                             .storage = i,
                             .type = t->is_whole ? PT_I64 : PT_F32,
                             .storage_size = t->count,
                             .rank = t->rank,
                             .dims = t->dims,
                         });
    }
    pt_end(p);
}

static enum status add_all(struct zip *z, const struct tensor_set *s)
{
    struct text pickle = {0};

    make_pickle(&pickle, s);
    const enum status status = pt_add_pickle(z, &pickle);
    text_release(&pickle);
    TRY(status);
    for (int64_t i = 0; i < s->count; i++)
        TRY(pt_add_storage(z, i, s->items[i].data, named_tensor_bytes(&s->items[i])));
    return pt_add_version(z);
}

enum status tensor_set_save_pt(const struct tensor_set *s, const char *path)
{
    struct zip z;

    TRY(zip_open(&z, path));
    return zip_close(&z, add_all(&z, s));
}
