/*
 * landscape_between.c - `muster landscape RUN... --between`: the loss on the lines between models.
 */
#include "study/landscape_between.h"

#include <inttypes.h>
#include <math.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text_table.h"
#include "cli/command.h"
#include "cli/landscape.h"
#include "report/barriers_page.h"

static void add_matrix(const struct barriers *b, struct text *out)
{
    const int64_t n = b->model_count;
    struct text_table t = text_table_new(n + 1, n + 1);

    t.is_left[0] = true;
    text_table_put(&t, 0, 0, mem_text("barrier"));
    for (int64_t i = 0; i < n; i++) {
        text_table_put(&t, 0, i + 1, mem_text(b->names[i]));
        text_table_put(&t, i + 1, 0, mem_text(b->names[i]));
        for (int64_t j = 0; j < n; j++) {
            const double value = b->matrix[i * n + j];

            text_table_put(&t, i + 1, j + 1, isnan(value) ? mem_text("-") : text_fixed(value, 4));
        }
    }
    text_table_write(&t, out);
    text_table_free(&t);
}

static void print_barriers(const struct flags *f, const struct barriers *b, const char *page)
{
    struct text out = {0};
    struct json j;

    if (flags_has(f, "json")) {
        json_init(&j, &out);
        barriers_to_json(b, &j);
        text_add(&out, "\n");
    } else {
        text_addf(&out, "loss on %s, at %" PRId64 " points of each line\n", b->data, b->points);
        if (b->recalibrated > 0)
            text_addf(&out,
                      "BatchNorm's statistics are measured again at every point (%d batches)\n",
                      b->recalibrated);
        text_add(&out, "\n");
        add_matrix(b, &out);
        text_addf(&out, "\n%s\n", page);
    }
    command_print(text_get(&out));
    text_release(&out);
}

enum status landscape_between_print(const struct flags *f, const struct landscape_request *q)
{
    struct barriers b;

    TRY(landscape_between(q, &b));
    char *page = file_join(q->folder, "between.html");
    const enum status s = barriers_page_write(&b, page);
    if (s == STATUS_OK)
        print_barriers(f, &b, page);
    mem_free(page);
    barriers_release(&b);
    return s;
}
