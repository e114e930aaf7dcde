/*
 * lbfgs.c - L-BFGS as PyTorch has it: several iterations on one batch per call, curvature pairs and
 * direction kept from call to call.
 *
 *     d = -H g by the two-loop recursion over the pairs (s_k, y_k), rho_k = 1 / y_k.s_k
 *     x <- x + t d,   t = lr, or by a search for the strong Wolfe conditions (wolfe.c)
 *
 * Here: the iterations, the memory of pairs, when to stop. The first pair after a change of batch
 * mixes the gradients of two batches; that is the flavour of the studies.
 * Vectors hold what is saved: the direction, the previous gradient, then y and s of each place in a
 * ring of `history` pairs, made when a pair comes in. Trial points are evaluated in the worker's
 * own vector, so that BatchNorm's statistics follow its parameters.
 *
 * Nocedal, Wright: "Numerical optimization", 2006, Alg. 7.4 and 7.5.
 */
#include <math.h>

#include "optim/list.h"
#include "optim/parallel.h"
#include "optim/wolfe.h"

struct lbfgs_opts {
    double lr;
    int64_t max_iter, max_eval;
    double tolerance_grad, tolerance_change;
    int64_t history;
    int line_search; /* enum lbfgs_search */
};

enum lbfgs_search { SEARCH_NONE, SEARCH_STRONG_WOLFE };
static const char *const search_names[] = {"none", "strong_wolfe", NULL};

enum { DIRECTION, PREVIOUS_GRADIENT, FIRST_PAIR };                           /* vectors */
enum { ITERATIONS, STEP, DIAGONAL, PAIRS, OLDEST, FIRST_RHO };               /* numbers */
enum { SCRATCH_START, SCRATCH_GRADIENT1, SCRATCH_GRADIENT2, WOLFE_SCRATCH }; /* scratch */

/* Two numbers per pair: rho, and room for the recursion's alpha. */
enum { HISTORY_MAX = (OPTIM_NUMBERS_MAX - FIRST_RHO) / 2 };
static const double CURVATURE_MIN = 1e-10; /* y.s of a pair worth remembering */

static const struct field lbfgs_fields[] = {
    FIELD_REAL(struct lbfgs_opts, lr, 1, 0, 1e6, "length of a step, or of its first trial"),
    FIELD_INT(struct lbfgs_opts, max_iter, 20, 1, 1e6, "iterations per batch"),
    FIELD_INT(struct lbfgs_opts, max_eval, 0, 0, 1e9,
              "gradients per batch at most; 0: 5/4 of max_iter"),
    FIELD_REAL(struct lbfgs_opts, tolerance_grad, 1e-7, 0, 1e6,
               "stop when no entry of the gradient is larger"),
    FIELD_REAL(struct lbfgs_opts, tolerance_change, 1e-9, 0, 1e6,
               "stop when neither loss nor a parameter changes more"),
    FIELD_INT(struct lbfgs_opts, history, 100, 1, HISTORY_MAX, "curvature pairs remembered"),
    FIELD_CHOICE(struct lbfgs_opts, line_search, "none", search_names, "how far to step"),
    FIELD_LAST,
};

static double lbfgs_lr(const void *options)
{
    return ((const struct lbfgs_opts *)options)->lr;
}

static int lbfgs_vector_count(const void *options)
{
    return (int)(FIRST_PAIR + 2 * ((const struct lbfgs_opts *)options)->history);
}

static int lbfgs_scratch_count(const void *options)
{
    const struct lbfgs_opts *opts = options;

    return opts->line_search == SEARCH_STRONG_WOLFE ? WOLFE_SCRATCH : 0;
}

static int lbfgs_number_count(const void *options)
{
    return (int)(FIRST_RHO + 2 * ((const struct lbfgs_opts *)options)->history);
}

/* Every pair that the ring has is there. */
static bool lbfgs_is_sound(const struct optim *o)
{
    const struct lbfgs_opts *opts = o->options;
    const double *n = o->numbers;

    if (!(n[PAIRS] >= 0 && n[PAIRS] <= (double)opts->history) || !(n[ITERATIONS] >= 0) ||
        !(n[OLDEST] >= 0 && n[OLDEST] < (double)opts->history))
        return false;
    for (int i = 0; i < (int)n[PAIRS]; i++) {
        const int place = FIRST_PAIR + 2 * (((int)n[OLDEST] + i) % (int)opts->history);

        if (o->vectors[place] == NULL || o->vectors[place + 1] == NULL)
            return false;
    }
    return true;
}

/* One call of minimize. */
struct lbfgs {
    struct optim *o;
    const struct lbfgs_opts *opts;
    const struct objective *f;
    struct parallel parallel; /* threads, but while f is evaluated */
    float *x, *g;
    double lr;
    double loss, previous_loss;
    int64_t iteration, evaluations;
};

/* The place in the ring of the k-th oldest pair. */
static int pair_place(const struct lbfgs *l, int k)
{
    return ((int)l->o->numbers[OLDEST] + k) % (int)l->opts->history;
}

static void swap_vectors(struct optim *o, int a, int b)
{
    float *kept = optim_vector(o, a);

    o->vectors[a] = optim_vector(o, b);
    o->vectors[b] = kept;
}

/*
 * Makes y and s of the last step where g_prev and d lie, since both are about to be written anew,
 * and hands the two blocks to the ring if the curvature is good.
 */
static void remember_pair(struct lbfgs *l)
{
    struct optim *o = l->o;
    const struct parallel *p = &l->parallel;
    float *y = optim_vector(o, PREVIOUS_GRADIENT), *s = optim_vector(o, DIRECTION);

    parallel_scale(p, y, -1, o->n);
    parallel_axpy(p, y, 1, l->g, o->n);
    parallel_scale(p, s, (float)o->numbers[STEP], o->n);
    const double ys = parallel_dot(p, y, s, o->n);
    if (!(ys > CURVATURE_MIN))
        return;
    if ((int64_t)o->numbers[PAIRS] == l->opts->history)
        o->numbers[OLDEST] = pair_place(l, 1);
    else
        o->numbers[PAIRS] += 1;
    o->numbers[DIAGONAL] = ys / parallel_dot(p, y, y, o->n);

    const int place = pair_place(l, (int)o->numbers[PAIRS] - 1);
    o->numbers[FIRST_RHO + 2 * place] = 1 / ys;
    swap_vectors(o, PREVIOUS_GRADIENT, FIRST_PAIR + 2 * place);
    swap_vectors(o, DIRECTION, FIRST_PAIR + 2 * place + 1);
}

/* d = -H g: newest to oldest pair, the diagonal, then oldest to newest. */
static void find_direction(struct lbfgs *l)
{
    struct optim *o = l->o;
    const struct parallel *p = &l->parallel;
    float *d = optim_vector(o, DIRECTION);
    const int pairs = (int)o->numbers[PAIRS];

    parallel_copy(p, d, l->g, o->n);
    parallel_scale(p, d, -1, o->n);
    for (int i = pairs - 1; i >= 0; i--) {
        const int place = pair_place(l, i);
        double *rho = &o->numbers[FIRST_RHO + 2 * place], *alpha = rho + 1;
        *alpha = *rho * parallel_dot(p, o->vectors[FIRST_PAIR + 2 * place + 1], d, o->n);
        parallel_axpy(p, d, (float)-*alpha, o->vectors[FIRST_PAIR + 2 * place], o->n);
    }
    parallel_scale(p, d, (float)o->numbers[DIAGONAL], o->n);
    for (int i = 0; i < pairs; i++) {
        const int place = pair_place(l, i);
        const double *rho = &o->numbers[FIRST_RHO + 2 * place], *alpha = rho + 1;
        const double beta = *rho * parallel_dot(p, o->vectors[FIRST_PAIR + 2 * place], d, o->n);
        parallel_axpy(p, d, (float)(*alpha - beta), o->vectors[FIRST_PAIR + 2 * place + 1], o->n);
    }
}

/* Direction and first length of the next step. */
static void prepare_step(struct lbfgs *l)
{
    struct optim *o = l->o;

    o->numbers[ITERATIONS] += 1;
    const bool is_first = o->numbers[ITERATIONS] <= 1;
    if (is_first)
        o->numbers[DIAGONAL] = 1;
    else
        remember_pair(l);
    find_direction(l);
    parallel_copy(&l->parallel, optim_vector(o, PREVIOUS_GRADIENT), l->g, o->n);
    l->previous_loss = l->loss;
    o->numbers[STEP] =
        is_first ? fmin(1, 1 / parallel_sum_abs(&l->parallel, l->g, o->n)) * l->lr : l->lr;
}

static enum status evaluate_gradient(struct lbfgs *l)
{
    l->evaluations++;
    return parallel_evaluate(&l->parallel, l->f, l->x, l->g, &l->loss);
}

static void move_along(struct lbfgs *l)
{
    parallel_axpy(&l->parallel, l->x, (float)l->o->numbers[STEP], l->o->vectors[DIRECTION],
                  l->o->n);
}

/* A step of fixed length. After the last one no gradient is computed: the next batch comes. */
static enum status step_fixed(struct lbfgs *l)
{
    move_along(l);
    return l->iteration == l->opts->max_iter ? STATUS_OK : evaluate_gradient(l);
}

static enum status step_searched(struct lbfgs *l, double slope)
{
    struct optim *o = l->o;
    struct wolfe_point at = {.loss = l->loss, .slope = slope, .gradient = l->g};
    struct wolfe_line line = {
        .parallel = &l->parallel,
        .f = l->f,
        .n = o->n,
        .start = o->scratch[SCRATCH_START],
        .direction = o->vectors[DIRECTION],
        .x = l->x,
        .spare = {o->scratch[SCRATCH_GRADIENT1], o->scratch[SCRATCH_GRADIENT2]},
    };

    parallel_copy(&l->parallel, o->scratch[SCRATCH_START], l->x, o->n);
    TRY(wolfe_search(&line, &at, o->numbers[STEP]));
    l->evaluations += line.evaluations;
    l->loss = at.loss;
    o->numbers[STEP] = at.t;
    parallel_copy(&l->parallel, l->x, o->scratch[SCRATCH_START], o->n);
    move_along(l);
    return STATUS_OK;
}

static bool gradient_is_small(const struct lbfgs *l)
{
    return (double)parallel_max_abs(&l->parallel, l->g, l->o->n) <= l->opts->tolerance_grad;
}

static bool is_finished(const struct lbfgs *l)
{
    const struct lbfgs_opts *opts = l->opts;
    const struct optim *o = l->o;
    const int64_t max_eval = opts->max_eval > 0 ? opts->max_eval : 5 * opts->max_iter / 4;
    const double moved =
        o->numbers[STEP] * (double)parallel_max_abs(&l->parallel, o->vectors[DIRECTION], o->n);

    return l->iteration == opts->max_iter || l->evaluations >= max_eval || gradient_is_small(l) ||
           moved <= opts->tolerance_change ||
           fabs(l->loss - l->previous_loss) < opts->tolerance_change;
}

static enum status iterate(struct lbfgs *l, double *first_loss)
{
    struct optim *o = l->o;

    TRY(evaluate_gradient(l));
    *first_loss = l->loss;
    if (gradient_is_small(l))
        return STATUS_OK;
    do {
        l->iteration++;
        prepare_step(l);
        const double slope = parallel_dot(&l->parallel, l->g, o->vectors[DIRECTION], o->n);
        if (slope > -l->opts->tolerance_change)
            break;
        if (l->opts->line_search == SEARCH_STRONG_WOLFE)
            TRY(step_searched(l, slope));
        else
            TRY(step_fixed(l));
    } while (!is_finished(l));
    return STATUS_OK;
}

static enum status lbfgs_minimize(struct optim *o, float *x, float *g, const struct objective *f,
                                  struct optim_rates rates, double *first_loss)
{
    struct lbfgs l = {.o = o, .opts = o->options, .f = f, .x = x, .g = g, .lr = rates.lr};

    l.parallel = parallel_begin(f->teams);
    const enum status s = iterate(&l, first_loss);
    parallel_end(&l.parallel, f->teams);
    return s;
}

const struct optim_ops lbfgs_optim = {
    .entry = {.name = "lbfgs",
              .summary = "L-BFGS: a quasi-Newton method, several gradients per batch",
              .fields = lbfgs_fields,
              .options_size = sizeof(struct lbfgs_opts)},
    .vector_count = lbfgs_vector_count,
    .scratch_count = lbfgs_scratch_count,
    .number_count = lbfgs_number_count,
    .is_sound = lbfgs_is_sound,
    .lr = lbfgs_lr,
    .minimize = lbfgs_minimize,
};
