/*
 * fuzz_idx.c - libFuzzer target: no bytes may crash the idx reader, plain or gzipped.
 *
 * The first byte chooses images or labels.
 */
#include "data/idx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct idx_file file = {.name = "fuzz"};
    struct idx x;

    if (size == 0)
        return 0;
    file.data = data + 1;
    file.length = size - 1;
    if (idx_parse(&file, data[0] % 2 == 0 ? IDX_LABELS : IDX_IMAGES, &x) == STATUS_OK)
        idx_release(&x);
    return 0;
}
