/*
 * common_settings.c - compares the main settings of the cases.
 */
#include "report/common_settings.h"

#include <string.h>

#include "base/mem.h"
#include "record/record.h"

/* In the order of the sentence. */
static const struct {
    const char *path, *before, *after;
} parts[] = {
    {"model.name",         "",            ""        },
    {"data.name",          "on ",         ""        },
    {"algorithm.name",     "",            ""        },
    {"transport.workers",  "",            " workers"},
    {"optimizer.name",     "",            ""        },
    {"optimizer.lr",       "lr ",         ""        },
    {"optimizer.momentum", "momentum ",   ""        },
    {"train.batch_size",   "batches of ", ""        },
    {"train.epochs",       "",            " epochs" },
};

enum { PARTS = sizeof parts / sizeof parts[0], DATA = 1 };

/* The values of all cases so far; NULL: no case yet, "": they differ, or none has it. */
struct common {
    char *values[PARTS];
};

static void compare(struct common *c, const struct node *config)
{
    for (int i = 0; i < PARTS; i++) {
        const struct node *n = node_find_path(config, parts[i].path);
        const char *value = n == NULL || n->kind != NODE_SCALAR ? "" : n->text;

        if (c->values[i] == NULL)
            c->values[i] = mem_text(value);
        else if (strcmp(c->values[i], value) != 0)
            c->values[i][0] = '\0';
    }
}

/* The first run of each case stands for it. */
static void compare_cases(const struct subject *s, struct common *c)
{
    for (int64_t i = 0; i < s->results.run_count; i++) {
        struct record r;

        if ((i > 0 && s->runs[i].case_number == s->runs[i - 1].case_number) ||
            s->runs[i].dir == NULL || record_open_brief(s->runs[i].dir, &r) != STATUS_OK)
            continue;
        if (r.config != NULL)
            compare(c, r.config);
        record_release(&r);
    }
}

void common_settings(const struct subject *s, struct text *out)
{
    struct common c = {{NULL}};
    bool is_first = true;

    compare_cases(s, &c);
    for (int i = 0; i < PARTS; i++) {
        const char *value = c.values[i];

        if (value != NULL && value[0] != '\0' && strcmp(value, "0") != 0) {
            text_addf(out, "%s%s%s%s",
                      is_first    ? ""
                      : i == DATA ? " "
                                  : ", ",
                      parts[i].before, value, parts[i].after);
            is_first = false;
        }
        mem_free(c.values[i]);
    }
}
