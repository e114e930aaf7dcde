/*
 * crc.h - CRC-32C (Castagnoli), as TensorBoard's records and our checkpoints use it.
 */
#ifndef BASE_CRC_H
#define BASE_CRC_H

#include <stddef.h>
#include <stdint.h>

/* Continue with the previous result; start with 0. crc32c(0, "123456789", 9) is 0xe3069283. */
uint32_t crc32c(uint32_t crc, const void *data, size_t bytes);

#endif
