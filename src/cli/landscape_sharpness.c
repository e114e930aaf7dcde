/*
 * landscape_sharpness.c - `muster landscape RUN... --sharpness`: how sharp the minima of runs are.
 */
#include <inttypes.h>

#include "base/mem.h"
#include "base/text_table.h"
#include "cli/command.h"
#include "cli/landscape.h"
#include "study/sharpness.h"

static void add_table(const struct sharpness *all, int64_t count, struct text *out)
{
    static const char *const heads[] = {"run", "loss", "rise", "eigenvalue", "batches"};
    enum { COLUMNS = sizeof heads / sizeof heads[0] };
    struct text_table t = text_table_new(count + 1, COLUMNS);

    t.is_left[0] = true;
    for (int i = 0; i < COLUMNS; i++)
        text_table_put(&t, 0, i, mem_text(heads[i]));
    for (int64_t i = 0; i < count; i++) {
        text_table_put(&t, i + 1, 0, mem_text(all[i].name));
        text_table_put(&t, i + 1, 1, text_format("%.4f", all[i].loss));
        text_table_put(&t, i + 1, 2, text_format("%.4f", all[i].rise));
        text_table_put(&t, i + 1, 3, text_format("%.4g", all[i].eigenvalue));
        text_table_put(&t, i + 1, 4, text_format("%" PRId64, all[i].batches));
    }
    text_table_write(&t, out);
    text_table_free(&t);
}

static void add_json(const struct sharpness *all, int64_t count, struct text *out)
{
    struct json j;

    json_init(&j, out);
    json_open_list(&j, NULL);
    for (int64_t i = 0; i < count; i++) {
        json_open_map(&j, NULL);
        json_text(&j, "run", all[i].name);
        json_text(&j, "data", all[i].data);
        json_number(&j, "loss", all[i].loss);
        json_number(&j, "rise", all[i].rise);
        json_number(&j, "eigenvalue", all[i].eigenvalue);
        json_int(&j, "batches", all[i].batches);
        json_close_map(&j);
    }
    json_close_list(&j);
    text_add(out, "\n");
}

static void print_sharpness(const struct flags *f, const struct sharpness *all, int64_t count)
{
    struct text out = {0};

    if (flags_has(f, "json")) {
        add_json(all, count, &out);
    } else {
        text_addf(
            &out,
            "loss on %s\n"
            "rise: mean of %d random directions, radius %.2f, scaled filter by filter\n"
            "eigenvalue: the largest of the Hessian of the training loss, on batches of worker "
            "0, after %d power iterations\n\n",
            all[0].data, SHARPNESS_DIRECTIONS, SHARPNESS_RADIUS, SHARPNESS_ITERATIONS);
        add_table(all, count, &out);
    }
    command_print(text_get(&out));
    text_release(&out);
}

enum status landscape_sharpness_print(const struct flags *f, const struct landscape_request *q)
{
    const int64_t count = q->runs->count;
    struct sharpness *all = MEM_NEW_N(struct sharpness, count);
    const enum status s = sharpness_measure(q, all);

    if (s == STATUS_OK)
        print_sharpness(f, all, count);
    for (int64_t i = 0; i < count; i++)
        sharpness_release(&all[i]);
    mem_free(all);
    return s;
}
