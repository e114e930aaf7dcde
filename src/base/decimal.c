/*
 * decimal.c - doubles as decimal numbers, by integer arithmetic of 128 bits.
 *
 * The value is m / 2^s. With n digits it is the integer N next to m 10^k / 2^s, over 10^k. All of
 * these fit in 128 bits for the values that are accepted, so that nothing is rounded twice.
 */
#include "base/decimal.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

static const double LEAST = 1e-4, LIMIT = 1e14;
static const uint64_t FIRST_MANTISSA = UINT64_C(1) << 52; /* of the 53-bit ones */

struct fraction {
    uint64_t m; /* 2^52 <= m < 2^53 */
    int s;
};

/* digits / 10^k; the first of its n digits is that of 10^exponent. */
struct decimal {
    uint64_t digits;
    int n, k, exponent;
};

/* k <= 38 */
static wide power_of_10(int k)
{
    static const uint64_t powers[] = {
        UINT64_C(1),
        UINT64_C(10),
        UINT64_C(100),
        UINT64_C(1000),
        UINT64_C(10000),
        UINT64_C(100000),
        UINT64_C(1000000),
        UINT64_C(10000000),
        UINT64_C(100000000),
        UINT64_C(1000000000),
        UINT64_C(10000000000),
        UINT64_C(100000000000),
        UINT64_C(1000000000000),
        UINT64_C(10000000000000),
        UINT64_C(100000000000000),
        UINT64_C(1000000000000000),
        UINT64_C(10000000000000000),
        UINT64_C(100000000000000000),
        UINT64_C(1000000000000000000),
        UINT64_C(10000000000000000000),
    };

    return k < 20 ? powers[k] : (wide)powers[19] * powers[k - 19];
}

/* To the nearest; of two equally near ones, the even one. */
static uint64_t divide_rounded(wide numerator, int s)
{
    const wide half = (wide)1 << (s - 1);
    const wide rest = numerator & (2 * half - 1);
    const uint64_t quotient = (uint64_t)(numerator >> s);

    return quotient + (rest > half || (rest == half && quotient % 2 == 1) ? 1 : 0);
}

static struct decimal round_to(const struct fraction *f, int n, int exponent)
{
    const int k = n - 1 - exponent;

    return (struct decimal){.digits = divide_rounded(f->m * power_of_10(k), f->s),
                            .n = n,
                            .k = k,
                            .exponent = exponent};
}

/* Whether the double next to it is the fraction. Below a power of two doubles are twice as near. */
static bool restores(const struct fraction *f, const struct decimal *d)
{
    const wide unit = power_of_10(d->k); /* between two doubles, times 2^s 10^k */
    const wide exact = f->m * unit, found = (wide)d->digits << f->s;
    const wide error = found > exact ? found - exact : exact - found;

    if (f->m == FIRST_MANTISSA && found < exact)
        return 4 * error <= unit;
    return 2 * error < unit || (2 * error == unit && f->m % 2 == 0);
}

static struct decimal shortest(const struct fraction *f, int exponent)
{
    struct decimal d = {0};

    for (int n = 15; n <= 17; n++) {
        d = round_to(f, n, exponent);
        if (d.digits == power_of_10(n)) /* rounded up to the next power */
            d = round_to(f, n, exponent + 1);
        if (n == 17 || restores(f, &d))
            break;
    }
    return d;
}

static struct fraction fraction_of(double value)
{
    int exponent;
    const double m = frexp(value, &exponent); /* in [0.5, 1) */

    return (struct fraction){.m = (uint64_t)ldexp(m, 53), .s = 53 - exponent};
}

/* Of the first digit. Powers below 1 are not exact, but no double is between one and its double. */
static int exponent_of(double value)
{
    static const double powers[] = {1e-3, 1e-2, 1e-1, 1e0, 1e1,  1e2,  1e3,  1e4, 1e5,
                                    1e6,  1e7,  1e8,  1e9, 1e10, 1e11, 1e12, 1e13};
    int exponent = -4;

    for (size_t i = 0; i < sizeof powers / sizeof *powers && value >= powers[i]; i++)
        exponent++;
    return exponent;
}

/* Fixed notation, without zeros at the end. */
static void write_digits(const struct decimal *d, char *text)
{
    char digits[DECIMAL_BYTES];
    uint64_t rest = d->digits;
    int last = d->n - 1, at = 0;

    for (int i = d->n - 1; i >= 0; i--, rest /= 10)
        digits[i] = (char)('0' + rest % 10);
    while (last > d->exponent && last > 0 && digits[last] == '0')
        last--;
    for (int place = d->exponent > 0 ? d->exponent : 0; place >= d->exponent - last; place--) {
        if (place == -1)
            text[at++] = '.';
        text[at++] = place > d->exponent ? '0' : digits[d->exponent - place];
    }
    text[at] = '\0';
}

bool decimal_write(double value, char text[DECIMAL_BYTES])
{
    const double size = fabs(value);

    if (signbit(value))
        *text++ = '-';
    if (size == 0) {
        memcpy(text, "0", 2);
        return true;
    }
    if (!(size >= LEAST && size < LIMIT))
        return false;

    const struct fraction f = fraction_of(size);
    const struct decimal d = shortest(&f, exponent_of(size));

    write_digits(&d, text);
    return true;
}
