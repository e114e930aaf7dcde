/*
 * landscape_losses.c - see landscape_losses.h. A thread per core takes the next state when it is
 * done with one: an evaluation by one thread needs no waiting inside it.
 */
#include "study/landscape_losses.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/signals.h"
#include "base/team.h"

enum status landscape_choose_samples(struct landscape_job *job, int64_t asked, char **text)
{
    const struct problem *p = job->build->evaluator;
    const struct problem_plan *plan = job->build->plan;
    const int64_t wanted = (asked + EVALUATION_BLOCK - 1) / EVALUATION_BLOCK * EVALUATION_BLOCK;

    job->part = p->part_counts[PART_TEST] > 0         ? PART_TEST
                : p->part_counts[PART_VALIDATION] > 0 ? PART_VALIDATION
                                                      : PART_TRAIN;
    const int64_t all = p->part_counts[job->part];
    const bool is_some = asked > 0 && wanted < all;

    if (all == 0)
        return FAIL(STATUS_BAD_INPUT,
                    "%s: has neither test nor training samples to measure the loss on", plan->name);
    job->blocks = is_some ? wanted / EVALUATION_BLOCK : problem_block_count(p, job->part);
    *text = text_format("%" PRId64 " %s samples%s%s", is_some ? wanted : all,
                        problem_part_name(job->part), plan->data_name == NULL ? "" : " of ",
                        plan->data_name == NULL ? "" : plan->data_name);
    return STATUS_OK;
}

struct loss_work {
    const struct landscape_job *job;
    double *losses;
    struct problem **evaluators; /* [threads] */
    atomic_int_fast64_t next;
    atomic_int_fast64_t done; /* states whose loss is known */
};

static double mean_loss(const struct landscape_job *job, const struct problem *p,
                        const double *sums)
{
    const int64_t limit = job->blocks * EVALUATION_BLOCK;
    const int64_t samples = p->part_counts[job->part] < limit ? p->part_counts[job->part] : limit;
    double sum = 0;

    for (int64_t b = 0; b < job->blocks; b++)
        sum += sums[b * problem_sum_count(p)];
    return sum / (double)samples;
}

static enum status evaluate_state(const struct landscape_job *job, struct problem *p, float *state,
                                  double *loss)
{
    struct evaluation_blocks blocks = {
        .count = job->blocks,
        .sums = MEM_NEW_N(double, job->blocks *problem_sum_count(p)),
        .can_be_cut = true,
    };
    enum status s = problem_recalibrate(p, state, LANDSCAPE_CALIBRATION_BATCHES);

    if (s == STATUS_OK)
        s = problem_evaluate_blocks(p, state, job->part, &blocks);
    *loss = mean_loss(job, p, blocks.sums);
    mem_free(blocks.sums);
    return s;
}

static void show_progress(const struct loss_work *w, bool is_final)
{
    char *line = text_format("landscape: %" PRId64 " of %" PRId64 " points", (int64_t)w->done,
                             w->job->count);

    log_progress(line, is_final);
    mem_free(line);
}

static bool is_known(const struct landscape_job *job, int64_t i)
{
    return job->partial != NULL && job->partial->is_known[i];
}

/* The next one to measure; -1: there is none, or a signal asks to stop. */
static int64_t next_point(struct loss_work *w)
{
    int64_t i = atomic_fetch_add(&w->next, 1);

    while (i < w->job->count && is_known(w->job, i))
        i = atomic_fetch_add(&w->next, 1);
    return i < w->job->count && !signals_stop_requested() ? i : -1;
}

static void evaluate_share(void *argument, int thread, int threads)
{
    struct loss_work *w = argument;
    const struct landscape_job *job = w->job;
    const struct tensor_layout *layout = &job->build->layout;
    float *canonical = MEM_NEW_N(float, layout->param_count);
    float *state = MEM_NEW_N(float, layout->state_count);

    (void)threads;
    for (int64_t i; (i = next_point(w)) >= 0;) {
        job->set_parameters(job->context, i, layout->tensor_count == 0 ? state : canonical);
        tensor_layout_from_canonical(layout, state, canonical, layout->param_count);
        if (evaluate_state(job, w->evaluators[thread], state, &w->losses[i]) != STATUS_OK)
            break; /* a signal */
        if (job->partial != NULL)
            partial_losses_add(job->partial, i, w->losses[i]);
        w->done++;
        if (thread == 0)
            show_progress(w, false);
    }
    mem_free(canonical);
    mem_free(state);
}

static void take_known(struct loss_work *w)
{
    const struct partial_losses *known = w->job->partial;

    if (known == NULL || known->known_count == 0)
        return;
    memcpy(w->losses, known->losses, (size_t)w->job->count * sizeof *w->losses);
    w->done = known->known_count;
    log_info("resuming: %" PRId64 " of %" PRId64 " points are measured already", known->known_count,
             known->count);
}

enum status landscape_losses(const struct landscape_job *job, double *losses)
{
    const int cores = team_cores(), threads = job->count < cores ? (int)job->count : cores;
    struct team *team = team_new(threads);
    struct loss_work w = {
        .job = job,
        .losses = losses,
        .evaluators = MEM_NEW_N(struct problem *, threads),
    };

    take_known(&w);
    for (int i = 0; i < threads; i++)
        w.evaluators[i] = problem_new_evaluator(job->build->plan, 1);
    team_run(team, evaluate_share, &w);
    for (int i = 0; i < threads; i++)
        problem_free(w.evaluators[i]);
    mem_free(w.evaluators);
    team_free(team);
    if (w.done < job->count)
        return FAIL(STATUS_INTERRUPTED, "stopped by %s after %" PRId64 " of %" PRId64 " points%s",
                    signals_stop_name(), (int64_t)w.done, job->count,
                    job->partial == NULL ? "" : "; the same command resumes");
    show_progress(&w, true);
    return STATUS_OK;
}
