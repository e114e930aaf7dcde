/*
 * fuzz_npy.c - libFuzzer target: any bytes as a .npy file, or as a zip file of them.
 *
 * Every element of what was read can be converted. With the first byte odd the rest is a zip file,
 * whose members' checksums are not looked at if it is 3, 7, ...: few changed files would get past
 * them. Members that say that they are large are left out.
 */
#include <zlib.h>

#include "base/check.h"
#include "base/mem.h"
#include "format/npy.h"
#include "format/npz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LARGE = 1 << 20 };

static void read_array(const struct file_array *a)
{
    int64_t *ints = MEM_NEW_N(int64_t, a->count);
    float *floats = MEM_NEW_N(float, a->count);
    uint8_t *bytes = MEM_NEW_N(uint8_t, a->count);

    file_array_to_floats(a, 0, a->count, floats);
    (void)file_array_to_ints(a, "fuzz", 0, a->count, ints);
    (void)file_array_to_bytes(a, "fuzz", a->count / 2, a->count - a->count / 2, bytes);
    mem_free(ints);
    mem_free(floats);
    mem_free(bytes);
}

static void read_npy(const uint8_t *file, size_t bytes)
{
    struct file_array a;

    if (npy_decode("fuzz", file, bytes, &a) == STATUS_OK)
        read_array(&a);
    else
        CHECK(a.data == NULL);
}

/* What a stored member's checksum would be, so that its contents are read. */
static uint32_t right_crc(const struct zip_reader *z, const struct zip_member *m)
{
    enum { LOCAL_BYTES = 30 };

    if (m->method != 0 || m->offset > z->bytes || z->bytes - m->offset < LOCAL_BYTES)
        return m->crc;

    const uint8_t *r = z->file + m->offset;
    const uint64_t begin = m->offset + LOCAL_BYTES + r[26] + 256U * r[27] + r[28] + 256U * r[29];

    if (begin > z->bytes || m->bytes > z->bytes - begin)
        return m->crc;
    return (uint32_t)crc32(0, z->file + begin, (uInt)m->bytes);
}

static void read_member(const struct zip_reader *z, struct zip_member *m, bool is_corrected)
{
    struct zip_content c;

    if (m->bytes > LARGE)
        return;
    if (is_corrected)
        m->crc = right_crc(z, m);
    if (zip_reader_get(z, m, &c) == STATUS_OK)
        read_npy(c.data, c.bytes);
    zip_content_release(&c);
}

static void read_npz(const uint8_t *file, size_t bytes, bool is_corrected)
{
    struct zip_reader z;
    struct npz_array a;

    if (zip_reader_open(&z, "fuzz", file, bytes) != STATUS_OK)
        return;
    for (int64_t i = 0; i < z.count; i++)
        read_member(&z, &z.members[i], is_corrected);
    if (z.count < 2 && npz_get(&z, "x", &a) == STATUS_OK)
        npz_array_release(&a);
    zip_reader_close(&z);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (data[0] % 2 == 0)
        read_npy(data + 1, size - 1);
    else
        read_npz(data + 1, size - 1, data[0] % 4 == 3);
    return 0;
}
