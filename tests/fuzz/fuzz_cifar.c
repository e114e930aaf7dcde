/*
 * fuzz_cifar.c - libFuzzer target: no bytes may crash the reader of CIFAR's records.
 *
 * The first byte chooses CIFAR-10 or CIFAR-100; the rest is given twice, as two files of one part.
 */
#include "base/mem.h"
#include "data/cifar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cifar_file file = {.name = "fuzz"};
    struct samples part = {0};

    if (size == 0)
        return 0;
    file.data = data + 1;
    file.length = size - 1;
    for (int k = 0; k < 2; k++)
        (void)cifar_append(data[0] % 2 == 0 ? &cifar10_layout : &cifar100_layout, &file, &part);
    mem_free(part.bytes);
    mem_free(part.labels);
    return 0;
}
