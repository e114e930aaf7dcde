/*
 * best_case.c - the outcome of a search: a line, and a file to train with.
 */
#include "study/best_case.h"

#include "base/file.h"
#include "base/mem.h"
#include "record/paired_cases.h"
#include "record/results_table.h"
#include "study/case_names.h"

static const char BEST_FILE[] = "best.yaml";

int64_t best_case_find(const struct results *r)
{
    struct paired_cases p;
    int64_t best = -1;

    paired_cases_init(&p, r);
    for (int64_t i = 0; i < p.count; i++)
        if (p.items[i].is_best)
            best = p.items[i].index;
    paired_cases_release(&p);
    return best;
}

struct node *best_case_settings(const struct comparison_row *row)
{
    static const char *const folds[] = {"folds", "fold", "fold_by"};
    struct node *root = node_copy(row->run->root);
    struct node *data = node_find(root, "data");

    node_put(root, "name", node_new_scalar("best", "search", 0, 0));
    for (size_t i = 0; i < sizeof folds / sizeof folds[0]; i++)
        node_remove(data, folds[i]);
    return root;
}

static enum status write_settings(const struct comparison_row *row, const char *folder)
{
    struct node *root = best_case_settings(row);
    struct text yaml = {0};

    node_write(root, &yaml);
    const enum status s = file_write_in(folder, BEST_FILE, text_get(&yaml));
    text_release(&yaml);
    node_free(root);
    return s;
}

enum status best_case_report(const struct comparison *t, const struct results *r, struct text *out)
{
    const int64_t best = best_case_find(r);

    if (best < 0) {
        text_add(out,
                 "best: unknown; no case with all its folds is better than a constant guess\n");
        return STATUS_OK;
    }

    char *name = case_names_text(r, best);
    char *loss = results_table_cell(&r->cases[best], RESULT_VALIDATION_LOSS);

    text_addf(out, "best: %s%s(validation loss %s)", name, name[0] == '\0' ? "" : " ", loss);
    mem_free(name);
    mem_free(loss);
    if (r->folder == NULL) {
        text_add(out, "\n");
        return STATUS_OK;
    }
    text_addf(out, ": muster run %s/%s\n", r->folder, BEST_FILE);
    return write_settings(&t->rows[best], r->folder);
}
