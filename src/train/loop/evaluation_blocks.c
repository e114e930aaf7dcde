/*
 * evaluation_blocks.c - shares the blocks of an evaluation between the workers.
 *
 * A worker leaves zeros for the blocks of others. Adding zeros changes no bit, so the sums of each
 * block arrive as they were computed, and every worker adds the blocks in the same order.
 */
#include "train/loop/evaluation_blocks.h"

#include "base/mem.h"
#include "base/team.h"

/* What workers add up: the sums of all blocks, and then the confusion matrix. */
struct shared_sums {
    double *numbers;
    int64_t sum_count, cell_count;
    double *cuts; /* how many workers were stopped in theirs */
};

/* This worker's blocks. */
static enum status evaluate_own(const struct transport *t, const struct evaluation_request *q,
                                int64_t blocks, struct shared_sums *s)
{
    struct problem *p = q->problem;
    int64_t begin = 0, end = 0;

    team_part(blocks, t->rank, t->workers, &begin, &end);
    if (begin == end)
        return STATUS_OK;

    int64_t *cells = s->cell_count > 0 ? MEM_NEW_N(int64_t, s->cell_count) : NULL;
    struct evaluation_blocks own = {
        .first = begin,
        .count = end - begin,
        .sums = s->numbers + begin * problem_sum_count(p),
        .confusion = cells,
        .can_be_cut = q->can_be_cut,
    };
    const enum status status = problem_evaluate_blocks(p, q->state, q->part, &own);
    for (int64_t i = 0; i < s->cell_count; i++)
        s->numbers[s->sum_count + i] = (double)cells[i];
    mem_free(cells);
    return status;
}

static enum status share(struct transport *t, const struct evaluation_request *q, int64_t blocks,
                         struct shared_sums *s)
{
    const enum status own = evaluate_own(t, q, blocks, s);

    if (own != STATUS_INTERRUPTED)
        TRY(own);
    *s->cuts = own == STATUS_INTERRUPTED ? 1 : 0;
    TRY(transport_sum(t, &(struct sum){.data = s->numbers,
                                       .count = s->sum_count + s->cell_count + 1,
                                       .type = SUM_DOUBLE,
                                       .is_control = true}));
    return *s->cuts > 0 ? FAIL(STATUS_INTERRUPTED, "the evaluation was stopped") : STATUS_OK;
}

enum status evaluation_blocks_share(struct transport *t, const struct evaluation_request *request,
                                    struct evaluation *result)
{
    const struct problem *p = request->problem;
    const int64_t blocks = problem_block_count(p, request->part);
    struct shared_sums s = {
        .sum_count = blocks * problem_sum_count(p),
        .cell_count = result->confusion == NULL ? 0 : p->classes * p->classes,
    };

    if (t->workers == 1 || blocks == 0)
        return problem_evaluate(request->problem, request->state, request->part, result);
    s.numbers = MEM_NEW_N(double, s.sum_count + s.cell_count + 1);
    s.cuts = s.numbers + s.sum_count + s.cell_count;
    const enum status status = share(t, request, blocks, &s);
    if (status == STATUS_OK)
        problem_add_blocks(p, request->part, s.numbers, result);
    for (int64_t i = 0; status == STATUS_OK && i < s.cell_count; i++)
        result->confusion[i] += (int64_t)s.numbers[s.sum_count + i];
    mem_free(s.numbers);
    return status;
}
