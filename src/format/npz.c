/*
 * npz.c - arrays of .npz files.
 */
#include "format/npz.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "format/npy.h"

enum { NAMES_SHOWN = 8 };

static enum status fail_missing(const struct zip_reader *z, const char *name)
{
    struct text names = {0};

    for (int64_t i = 0; i < z->count && i < NAMES_SHOWN; i++)
        text_addf(&names, "%s%s", i == 0 ? "; it has " : ", ", z->members[i].name);

    const enum status s =
        FAIL(STATUS_BAD_INPUT, "%s: has no array \"%s\"%s", z->name, name, text_get(&names));

    text_release(&names);
    return s;
}

static enum status read_array(const struct zip_reader *z, const struct zip_member *m,
                              struct npz_array *a)
{
    char *name = text_format("%s: %s", z->name, m->name);
    enum status s = zip_reader_get(z, m, &a->content);

    if (s == STATUS_OK)
        s = npy_decode(name, a->content.data, a->content.bytes, &a->array);
    mem_free(name);
    return s;
}

enum status npz_get(const struct zip_reader *z, const char *name, struct npz_array *a)
{
    char *file = text_format("%s.npy", name);
    const struct zip_member *m = zip_reader_find(z, file);

    mem_free(file);
    *a = (struct npz_array){0};
    if (m == NULL)
        return fail_missing(z, name);

    const enum status s = read_array(z, m, a);

    if (s != STATUS_OK)
        npz_array_release(a);
    return s;
}

void npz_array_release(struct npz_array *a)
{
    zip_content_release(&a->content);
    *a = (struct npz_array){0};
}
