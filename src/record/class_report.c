/*
 * class_report.c - the report per class of a classifier (see class_report.h).
 *
 * Here: the scores and their two forms. Not here: the confusion matrix (problem/), printing (cli/).
 */
#include "record/class_report.h"

#include <string.h>

#include "base/check.h"
#include "base/mem.h"

static double ratio(int64_t part, int64_t whole)
{
    return whole == 0 ? 0.0 : (double)part / (double)whole;
}

static struct class_scores score(const int64_t *confusion, int64_t count, int64_t k)
{
    const int64_t right = confusion[k * count + k];
    int64_t labelled = 0, answered = 0;

    for (int64_t i = 0; i < count; i++) {
        labelled += confusion[k * count + i];
        answered += confusion[i * count + k];
    }
    return (struct class_scores){
        .precision = ratio(right, answered),
        .recall = ratio(right, labelled),
        .f1 = ratio(2 * right, labelled + answered), /* = 2 TP / (2 TP + FP + FN) */
        .support = labelled,
    };
}

static void add_weighted(struct class_scores *sum, const struct class_scores *s, double weight)
{
    sum->precision += weight * s->precision;
    sum->recall += weight * s->recall;
    sum->f1 += weight * s->f1;
}

void class_report_init(struct class_report *c, const int64_t *confusion, int64_t count)
{
    int64_t total = 0, right = 0;

    CHECK(count > 0);
    *c = (struct class_report){.count = count, .scores = MEM_NEW_N(struct class_scores, count)};
    for (int64_t k = 0; k < count; k++) {
        c->scores[k] = score(confusion, count, k);
        total += c->scores[k].support;
        right += confusion[k * count + k];
    }
    for (int64_t k = 0; k < count; k++) {
        add_weighted(&c->macro, &c->scores[k], 1.0 / (double)count);
        add_weighted(&c->weighted, &c->scores[k], ratio(c->scores[k].support, total));
    }
    c->macro.support = c->weighted.support = total;
    c->accuracy = ratio(right, total);
}

void class_report_release(struct class_report *c)
{
    mem_free(c->scores);
    *c = (struct class_report){0};
}

/* --- the table --- */

static char *class_name(const char *const *names, int64_t k)
{
    return names == NULL ? text_format("%lld", (long long)k) : mem_text(names[k]);
}

static void add_name(struct text *out, const char *name, int width)
{
    text_addf(out, "%s%*s", name, width - text_letters(name), "");
}

static void add_line(struct text *out, const char *name, int width, const struct class_scores *s)
{
    add_name(out, name, width);
    text_addf(out, "  %9.4f  %9.4f  %9.4f  %9lld\n", s->precision, s->recall, s->f1,
              (long long)s->support);
}

static int widest_name(const struct class_report *c, const char *const *names)
{
    int width = (int)strlen("weighted avg");

    for (int64_t k = 0; k < c->count; k++) {
        char *name = class_name(names, k);

        if (text_letters(name) > width)
            width = text_letters(name);
        mem_free(name);
    }
    return width;
}

void class_report_table(const struct class_report *c, const char *const *names, struct text *out)
{
    const int width = widest_name(c, names);

    add_name(out, "class", width);
    text_addf(out, "  %9s  %9s  %9s  %9s\n", "precision", "recall", "f1", "support");
    for (int64_t k = 0; k < c->count; k++) {
        char *name = class_name(names, k);

        add_line(out, name, width, &c->scores[k]);
        mem_free(name);
    }
    text_add(out, "\n");
    add_name(out, "accuracy", width);
    text_addf(out, "  %9s  %9s  %9.4f  %9lld\n", "", "", c->accuracy, (long long)c->macro.support);
    add_line(out, "macro avg", width, &c->macro);
    add_line(out, "weighted avg", width, &c->weighted);
}

/* --- JSON --- */

static void put_scores(struct json *j, const struct class_scores *s)
{
    json_number(j, "precision", s->precision);
    json_number(j, "recall", s->recall);
    json_number(j, "f1", s->f1);
    json_int(j, "support", s->support);
}

static void put_average(struct json *j, const char *key, const struct class_scores *s)
{
    json_open_map(j, key);
    put_scores(j, s);
    json_close_map(j);
}

void class_report_json(const struct class_report *c, const char *const *names, struct json *j,
                       const char *key)
{
    json_open_map(j, key);
    json_number(j, "accuracy", c->accuracy);
    put_average(j, "macro", &c->macro);
    put_average(j, "weighted", &c->weighted);
    json_open_list(j, "classes");
    for (int64_t k = 0; k < c->count; k++) {
        char *name = class_name(names, k);

        json_open_map(j, NULL);
        json_text(j, "name", name);
        put_scores(j, &c->scores[k]);
        json_close_map(j);
        mem_free(name);
    }
    json_close_list(j);
    json_close_map(j);
}
