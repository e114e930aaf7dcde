/*
 * fuzz_safetensors.c - libFuzzer target: any bytes as a safetensors file.
 *
 * What loads must be consistent: every value of every tensor can be read. The reader takes a path,
 * so the bytes go through a file in memory.
 */
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/check.h"
#include "format/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_every_value(const struct safetensors *s)
{
    unsigned sum = 0;

    for (int i = 0; i < s->count; i++) {
        const struct safetensors_item *item = &s->items[i];
        const size_t bytes = (size_t)item->count * safetensors_type_size(item->type);

        CHECK(safetensors_find(s, item->name) == item);
        for (size_t k = 0; k < bytes; k++)
            sum += ((const unsigned char *)item->data)[k];
    }
    *(volatile unsigned *)&sum = sum; /* the reading is the point */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const int file = memfd_create("safetensors", MFD_CLOEXEC);
    char path[64];
    struct safetensors s;

    CHECK(file >= 0 && write(file, data, size) == (ssize_t)size);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (safetensors_load(&s, path) == STATUS_OK) {
        read_every_value(&s);
        safetensors_release(&s);
    }
    (void)close(file);
    return 0;
}
