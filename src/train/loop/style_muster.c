/*
 * style_muster.c - Muster's own style: a progress line, and a line for each evaluation.
 */
#include <math.h>

#include "base/log.h"
#include "train/loop/evaluation.h"
#include "train/loop/evaluation_metrics.h"
#include "train/loop/output_style.h"

static void add_loss(struct text *line, const char *part, double loss)
{
    if (isnan(loss))
        return;
    text_addf(line, " %s loss ", part);
    text_add_fixed(line, loss, 4);
    text_add(line, ",");
}

/* Evaluations by rounds are in mid-epoch, where the only training loss is the moving one. */
static void add_training(const struct loop *l, const struct run_totals *totals, struct text *line)
{
    const bool by_rounds = l->build->config->train.evaluate_rounds > 0;

    if (by_rounds)
        text_addf(line, "round %lld:", (long long)totals->round);
    else
        text_addf(line, "epoch %.4g:", epochs_of_samples(l->build, totals->counters.samples));
    add_loss(line, "train", by_rounds ? totals->counters.moving_loss : totals->train_loss);
}

static void muster_evaluation(const struct loop *l, const struct run_totals *totals)
{
    const struct run_report *r = l->leader->report;
    struct text line = {0};

    add_training(l, totals, &line);
    add_loss(&line, "validation", r->validation_loss);
    if (!isnan(r->validation_accuracy))
        text_addf(&line, " validation accuracy %.2f %%,", 100.0 * r->validation_accuracy);
    add_loss(&line, "test", r->test_loss);
    if (!isnan(r->test_accuracy))
        text_addf(&line, " test accuracy %.2f %%,", 100.0 * r->test_accuracy);
    evaluation_metrics_to_line(r, &line);
    line.data[--line.length] = '\0'; /* of the last comma, or of the first colon */
    if (evaluation_has_nodes(l))
        evaluation_workers_to_line(l, &line);
    log_say(l->build->config->train.print_evaluations ? LOG_INFO : LOG_DETAIL, "%s",
            text_get(&line));
    text_release(&line);
}

const struct output_style muster_style = {
    .has_progress = true,
    .evaluation = muster_evaluation,
};
