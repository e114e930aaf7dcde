/*
 * crc.c - CRC-32C by tables, eight bytes at a time (slicing by eight: Kounavis and Berry, 2005).
 *
 * tables[k][b] is the remainder of byte b followed by k zero bytes. Remainders are linear, so the
 * compiler makes each row of 256 from those of the eight single bits.
 */
#include "base/crc.h"

#define SPAN1(v, a)                   (v), (v) ^ (a)
#define SPAN2(v, a, b)                SPAN1(v, a), SPAN1((v) ^ (b), a)
#define SPAN3(v, a, b, c)             SPAN2(v, a, b), SPAN2((v) ^ (c), a, b)
#define SPAN4(v, a, b, c, d)          SPAN3(v, a, b, c), SPAN3((v) ^ (d), a, b, c)
#define SPAN5(v, a, b, c, d, e)       SPAN4(v, a, b, c, d), SPAN4((v) ^ (e), a, b, c, d)
#define SPAN6(v, a, b, c, d, e, f)    SPAN5(v, a, b, c, d, e), SPAN5((v) ^ (f), a, b, c, d, e)
#define SPAN7(v, a, b, c, d, e, f, g) SPAN6(v, a, b, c, d, e, f), SPAN6((v) ^ (g), a, b, c, d, e, f)
#define SPAN8(a, b, c, d, e, f, g, h)                                 \
    {                                                                 \
        SPAN7(0U, a, b, c, d, e, f, g), SPAN7(h, a, b, c, d, e, f, g) \
    }

static const uint32_t tables[8][256] = {
    SPAN8(0xf26b8303U, 0xe13b70f7U, 0xc79a971fU, 0x8ad958cfU, 0x105ec76fU, 0x20bd8edeU, 0x417b1dbcU,
          0x82f63b78U),
    SPAN8(0x13a29877U, 0x274530eeU, 0x4e8a61dcU, 0x9d14c3b8U, 0x3fc5f181U, 0x7f8be302U, 0xff17c604U,
          0xfbc3faf9U),
    SPAN8(0xa541927eU, 0x4f6f520dU, 0x9edea41aU, 0x38513ec5U, 0x70a27d8aU, 0xe144fb14U, 0xc76580d9U,
          0x8b277743U),
    SPAN8(0xdd45aab8U, 0xbf672381U, 0x7b2231f3U, 0xf64463e6U, 0xe964b13dU, 0xd725148bU, 0xaba65fe7U,
          0x52a0c93fU),
    SPAN8(0x38116facU, 0x7022df58U, 0xe045beb0U, 0xc5670b91U, 0x8f2261d3U, 0x1ba8b557U, 0x37516aaeU,
          0x6ea2d55cU),
    SPAN8(0xef306b19U, 0xdb8ca0c3U, 0xb2f53777U, 0x6006181fU, 0xc00c303eU, 0x85f4168dU, 0x0e045bebU,
          0x1c08b7d6U),
    SPAN8(0x68032cc8U, 0xd0065990U, 0xa5e0c5d1U, 0x4e2dfd53U, 0x9c5bfaa6U, 0x3d5b83bdU, 0x7ab7077aU,
          0xf56e0ef4U),
    SPAN8(0x493c7d27U, 0x9278fa4eU, 0x211d826dU, 0x423b04daU, 0x847609b4U, 0x0d006599U, 0x1a00cb32U,
          0x34019664U),
};

static uint32_t add_byte(uint32_t crc, uint8_t byte)
{
    return crc >> 8 ^ tables[0][(crc ^ byte) & 0xff];
}

static uint32_t add_eight(uint32_t crc, const uint8_t *p)
{
    crc ^= (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    return tables[7][crc & 0xff] ^ tables[6][crc >> 8 & 0xff] ^ tables[5][crc >> 16 & 0xff] ^
           tables[4][crc >> 24] ^ tables[3][p[4]] ^ tables[2][p[5]] ^ tables[1][p[6]] ^
           tables[0][p[7]];
}

uint32_t crc32c(uint32_t crc, const void *data, size_t bytes)
{
    const uint8_t *p = data;

    crc = ~crc;
    for (; bytes >= 8; bytes -= 8, p += 8)
        crc = add_eight(crc, p);
    for (; bytes > 0; bytes--, p++)
        crc = add_byte(crc, *p);
    return ~crc;
}
