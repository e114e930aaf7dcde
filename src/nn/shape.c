/* shape.c - how a shape is written in messages and tables. */
#include "nn/shape.h"

#include <inttypes.h>

void shape_text(struct shape s, struct text *out)
{
    if (s.is_flat)
        text_addf(out, "%" PRId64, shape_size(s));
    else
        text_addf(out, "%" PRId64 "x%" PRId64 "x%" PRId64, s.channels, s.height, s.width);
}
