/*
 * output_style.c - the style of a run, and its functions.
 */
#include "train/loop/output_style.h"

#include "train/loop/loop.h"

#define OUTPUT_STYLE_ENTRY(name) &name##_style,

static const struct output_style *const styles[] = {OUTPUT_STYLE_LIST(OUTPUT_STYLE_ENTRY)};

const struct output_style *output_style_of(const struct build *b)
{
    return styles[b->config->output.style];
}

void output_style_batches(const struct loop *l, const struct round_record *r)
{
    if (l->leader->style->batches != NULL)
        l->leader->style->batches(l, r);
}

void output_style_epoch(const struct loop *l, const struct counters *totals)
{
    if (l->leader->style->epoch != NULL)
        l->leader->style->epoch(l, totals);
}

void output_style_evaluation(const struct loop *l, const struct run_totals *totals)
{
    l->leader->style->evaluation(l, totals);
}

void output_style_end(const struct loop *l)
{
    if (l->leader != NULL && l->leader->style->end != NULL)
        l->leader->style->end(l);
}
