/*
 * best_case.c - the outcome of a search.
 */
#include "study/best_case.h"

#include "record/paired_cases.h"

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

bool best_case_is_validated(const struct node *root)
{
    const struct node *part = node_find_path(root, "data.validation");
    double share = 0;

    if (!node_is_null(node_find_path(root, "data.fold")))
        return true;
    return !node_is_null(part) && part->kind == NODE_SCALAR &&
           (!text_to_double(part->text, &share) || share > 0); /* reading it reports a mistake */
}

struct node *best_case_settings(const struct comparison_row *row)
{
    static const char *const parts[] = {"folds", "fold", "fold_by", "validation"};
    struct node *root = node_copy(row->run->root);
    struct node *data = node_find(root, "data");

    node_put(root, "name", node_new_scalar("best", "search", 0, 0));
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        node_remove(data, parts[i]);
    return root;
}
