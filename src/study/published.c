/*
 * published.c - claims read from a file, matched with rows and judged.
 *
 * Here: claims and verdicts. Not here: how they are shown (published_show.c).
 */
#include "study/published.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "record/metrics_history.h"
#include "study/settings.h"

const char *const verdict_names[VERDICTS] = {
    "nothing to compare", "WORSE", "reached", "better", "FAILED", "NOT RUN"};

/* What a number of a claim is compared with, and how. */
struct kind {
    const char *key;
    enum result_number number;
    double scale; /* the claim's unit over ours */
    bool more_is_better;
    double tolerance; /* in the claim's unit; below 1 with `relative`: a share of the claim */
    bool is_relative;
};

static const double most_percent = 100;

static const struct kind kinds[CLAIM_KINDS] = {
    [CLAIM_ACCURACY] = {"accuracy",     RESULT_ACCURACY, 100, true,  1,   false},
    [CLAIM_LOSS] = {"loss",         RESULT_LOSS,     1,   false, 0.1, true },
    [CLAIM_SECONDS] = {"seconds",      RESULT_SECONDS,  1,   false, 0.1, true },
    [CLAIM_ROUNDS_TO_97] = {"rounds_to_97", RESULT_ROUNDS,   1,   false, 0.1, true },
    [CLAIM_DIVERGES] = {"diverges",     RESULT_ACCURACY, 1,   true,  0,   false},
};

const char *published_claim_name(const struct claim *c)
{
    return kinds[c->kind].key;
}

/* ------------------------------------------------------------------ reading */

static enum status read_number(const struct node *n, const char *key, double *value)
{
    if (n->kind != NODE_SCALAR || !text_to_double(n->text, value) || !isfinite(*value))
        return node_fail_key(n, "published", key, "expected a number or [low, high]");
    return STATUS_OK;
}

/* What no run can have, and fractions, which would be read as percents. A model of a thousand
 * classes may be below 1 %: then the range begins at 0. */
static enum status check_range(const struct claim *c, const struct node *n, const char *key)
{
    char *why = NULL;

    if (c->kind == CLAIM_ACCURACY && (c->low < 0 || c->high > most_percent))
        why = text_format("%g is not a percentage from 0 to 100", c->low < 0 ? c->low : c->high);
    else if (c->kind == CLAIM_ACCURACY && c->low > 0 && c->high <= 1)
        why = text_format("%g looks like a fraction; accuracies are in percent, as %g (what is "
                          "below 1 %% as [0, %g])",
                          c->high, most_percent * c->high, c->high);
    else if ((c->kind == CLAIM_SECONDS || c->kind == CLAIM_ROUNDS_TO_97) && c->low < 0)
        why = text_format("%g is below 0", c->low);
    if (why == NULL)
        return STATUS_OK;
    const enum status s = node_fail_key(n, "published", key, "%s", why);
    mem_free(why);
    return s;
}

static enum status read_range(struct claim *c, const struct node *n, const char *key)
{
    if (n->kind != NODE_LIST) {
        TRY(read_number(n, key, &c->low));
        c->high = c->low;
        return STATUS_OK;
    }
    if (n->count != 2)
        return node_fail_key(n, "published", key, "expected a number or [low, high]");
    TRY(read_number(n->children[0], key, &c->low));
    TRY(read_number(n->children[1], key, &c->high));
    if (c->low > c->high)
        return node_fail_key(n, "published", key, "the low end is above the high one");
    return STATUS_OK;
}

static enum status check_at(const struct node *at)
{
    if (at->kind != NODE_MAP)
        return node_fail_key(at, "published", "at",
                             "expected a map of values, such as {run: sync, transport.workers: 2}");
    for (int64_t i = 0; i < at->count; i++)
        if (at->children[i]->kind != NODE_SCALAR)
            return node_fail_key(at->children[i], "published.at", at->keys[i],
                                 "expected one value");
    return STATUS_OK;
}

static enum status find_kind(const struct node *n, const char *key, enum claim_kind *kind)
{
    for (int k = 0; k < CLAIM_KINDS; k++)
        if (text_same_name(kinds[k].key, key)) {
            *kind = (enum claim_kind)k;
            return STATUS_OK;
        }
    return node_fail_key(
        n, "published", key,
        "unknown key; choose one of at, accuracy, loss, seconds, rounds_to_97, diverges");
}

static enum status read_claim(struct published *p, const struct node *entry, int64_t i)
{
    const char *key = entry->keys[i];
    const struct node *n = entry->children[i];
    struct claim c = {.at = node_find(entry, "at")};

    TRY(find_kind(n, key, &c.kind));
    if (c.kind == CLAIM_DIVERGES && (n->kind != NODE_SCALAR || strcmp(n->text, "true") != 0))
        return node_fail_key(n, "published", key, "can only be true");
    if (c.kind != CLAIM_DIVERGES) {
        TRY(read_range(&c, n, key));
        TRY(check_range(&c, n, key));
    }
    p->claims = mem_resize(p->claims, p->count, p->count + 1, sizeof *p->claims);
    p->claims[p->count++] = c;
    return STATUS_OK;
}

static enum status read_entry(struct published *p, const struct node *entry)
{
    if (entry->kind != NODE_MAP)
        return node_fail_key(entry, "published", NULL, "expected a list of maps");
    for (int64_t i = 0; i < entry->count; i++)
        TRY(strcmp(entry->keys[i], "at") == 0 ? check_at(entry->children[i])
                                              : read_claim(p, entry, i));
    return STATUS_OK;
}

enum status published_read(struct published *p, const struct node *root)
{
    const struct node *list = root->kind == NODE_MAP ? node_find(root, "published") : NULL;
    enum status s = STATUS_OK;

    *p = (struct published){0};
    if (list == NULL)
        return STATUS_OK;
    if (list->kind != NODE_LIST)
        return node_fail_key(list, NULL, "published", "expected a list of maps");
    for (int64_t i = 0; i < list->count && s == STATUS_OK; i++)
        s = read_entry(p, list->children[i]);
    if (s != STATUS_OK)
        published_release(p);
    return s;
}

void published_release(struct published *p)
{
    mem_free(p->claims);
    *p = (struct published){0};
}

/* ------------------------------------------------------------------ judging */

static bool is_same_value(const char *a, const char *b)
{
    double x = 0, y = 0;

    if (text_to_double(a, &x) && text_to_double(b, &y))
        return x == y;
    return text_same_name(a, b);
}

static bool has_value(const struct node *settings, const char *path, const char *wanted)
{
    const struct node *n = settings == NULL ? NULL : node_find_path(settings, path);

    return n != NULL && n->kind == NODE_SCALAR && is_same_value(n->text, wanted);
}

/* What a row was run with: as it was written, and in full. */
struct row_settings {
    const struct study_run *run;
    struct node *effective; /* owned; NULL: it does not read */
};

static bool is_about(const struct claim *c, const struct row_settings *of)
{
    for (int64_t i = 0; c->at != NULL && i < c->at->count; i++) {
        const char *key = c->at->keys[i], *wanted = c->at->children[i]->text;
        const char *entry = of->run->entry;
        const bool agrees = strcmp(key, "run") == 0 ? entry != NULL && text_same_name(entry, wanted)
                                                    : has_value(of->effective, key, wanted) ||
                                                          has_value(of->run->root, key, wanted);

        if (!agrees)
            return false;
    }
    return true;
}

static double mean_rounds(const struct comparison *t, const struct comparison_row *row,
                          const char *folder)
{
    const struct milestones wanted = {.target_kind = TARGET_ACCURACY, .target = 0.97};
    struct milestones_found found;
    double sum = 0;
    int64_t count = 0;

    for (int64_t i = 0; i < t->study->count && folder != NULL; i++) {
        const struct study_run *run = &t->study->runs[i];
        if (run->case_number != row->run->case_number || t->results[i].state != RESULT_FINISHED)
            continue;
        char *path = file_join(folder, run->name);
        metrics_history_find(path, &wanted, &found);
        mem_free(path);
        const double rounds = found.target.used[AMOUNT_ROUNDS];
        if (isnan(rounds))
            return (double)NAN; /* a seed that never gets there has no mean with the others */
        sum += rounds;
        count++;
    }
    return count > 0 ? sum / (double)count : (double)NAN;
}

static double measure(const struct claim *c, const struct comparison *t,
                      const struct comparison_row *row, const char *folder)
{
    const struct kind *k = &kinds[c->kind];

    if (c->kind == CLAIM_ROUNDS_TO_97)
        return mean_rounds(t, row, folder);
    return k->scale * row->numbers[k->number].mean;
}

static enum verdict judge_number(const struct claim *c, double measured)
{
    const struct kind *k = &kinds[c->kind];
    const double slack = k->is_relative ? k->tolerance * c->high : k->tolerance;
    const double worst = k->more_is_better ? c->low - slack : c->high + slack;
    const double best = k->more_is_better ? c->high + slack : c->low - slack;
    const double sign = k->more_is_better ? 1 : -1;

    if (sign * measured < sign * worst)
        return VERDICT_WORSE;
    return sign * measured > sign * best ? VERDICT_BETTER : VERDICT_REACHED;
}

/* What there is to say of a row without its numbers; VERDICT_NONE: nothing, it has them. */
static enum verdict judge_runs(const struct comparison_row *row)
{
    if (row->failed > 0)
        return VERDICT_FAILED;
    return row->seeds == 0 ? VERDICT_NOT_RUN : VERDICT_NONE;
}

static enum verdict judge_divergence(const struct comparison_row *row)
{
    const enum verdict of_runs = judge_runs(row);

    if (row->diverged > 0)
        return VERDICT_REACHED;
    return of_runs != VERDICT_NONE ? of_runs : VERDICT_BETTER;
}

static struct judgement judge_claim(const struct claim *c, const struct comparison *t,
                                    const struct comparison_row *row, const char *folder)
{
    struct judgement j = {.claim = c, .row = row, .measured = measure(c, t, row, folder)};
    const bool is_never = c->kind == CLAIM_ROUNDS_TO_97 && folder != NULL;

    j.verdict = c->kind == CLAIM_DIVERGES ? judge_divergence(row) : judge_runs(row);
    if (c->kind == CLAIM_DIVERGES || j.verdict != VERDICT_NONE)
        return j;
    if (isnan(j.measured))
        j.verdict = is_never ? VERDICT_WORSE : VERDICT_NONE;
    else
        j.verdict = judge_number(c, j.measured);
    return j;
}

/* All claims that are about one row; `is_used` gets marks of these. */
static void judge_row(const struct published *p, const struct comparison *t,
                      const struct comparison_row *row, const char *folder, struct judgements *j,
                      bool *is_used)
{
    struct row_settings of = {.run = row->run};

    if (settings_effective(row->run, &of.effective) != STATUS_OK)
        of.effective = NULL;
    for (int64_t i = 0; i < p->count; i++) {
        if (!is_about(&p->claims[i], &of))
            continue;
        const struct judgement one = judge_claim(&p->claims[i], t, row, folder);
        j->items[j->count++] = one;
        j->by_verdict[one.verdict]++;
        is_used[i] = true;
    }
    node_free(of.effective);
}

void published_judge(const struct published *p, const struct comparison *t, const char *folder,
                     struct judgements *j)
{
    bool *is_used = MEM_NEW_N(bool, p->count + 1);

    *j = (struct judgements){.items = MEM_NEW_N(struct judgement, p->count * t->count)};
    for (int64_t r = 0; r < t->count; r++)
        judge_row(p, t, &t->rows[r], folder, j, is_used);
    for (int64_t i = 0; i < p->count; i++)
        j->idle += is_used[i] ? 0 : 1;
    mem_free(is_used);
}

void published_judgements_release(struct judgements *j)
{
    mem_free(j->items);
    *j = (struct judgements){0};
}
