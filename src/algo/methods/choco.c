/*
 * choco.c - CHOCO-SGD: nodes send their neighbours compressed differences to what these know.
 *
 *     x_i  <-  x_i - a direction(grad f_i(x_i))
 *     q_i = Q(x_i - k_i);      k_j  <-  k_j + q_j   for i and its neighbours      k = 0 at first
 *     x_i  <-  x_i + gamma sum_j W_ij (k_j - k_i)
 *
 * A node keeps its own k_i and the sum r_i = sum_j W_ij (k_j - k_i), which gains
 * sum_j W_ij (q_j - q_i) a round: that is right as long as W is always the same, so a graph that
 * changes is refused. The r_i of all nodes add up to zero.
 *
 * Not here: compressors (comm/compressor.h), the search for gamma (algo/parts/choco_gamma.c).
 *
 * Koloskova, Stich, Jaggi: "Decentralized Stochastic Optimization and Gossip Algorithms with
 * Compressed Communication", 2019, Alg. 2 and 6. Koloskova et al.: "Decentralized Deep Learning
 * with Arbitrary Communication Compression", 2020.
 */
#include <string.h>

#include "algo/list.h"
#include "algo/parts/choco_gamma.h"
#include "algo/parts/mixing.h"
#include "algo/parts/stored_real.h"
#include "base/check.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/signals.h"

struct choco_options {
    int compressor; /* enum compressor_kind */
    double k;
    int64_t bits;
    char *gamma;
};

static const struct field choco_fields[] = {
    FIELD_CHOICE(struct choco_options, compressor, "topk", compressor_names,
                 "compressor of the messages"),
    FIELD_REAL(struct choco_options, k, 0.01, 1e-9, 1e12,
               "topk, randomk: number of values that are sent; below 1: a fraction of all"),
    FIELD_INT(struct choco_options, bits, 4, 1, 15, "qsgd: bits of a level; there are 2^bits"),
    FIELD_TEXT(struct choco_options, gamma, "auto",
               "step size of the mixing, in (0, 1]; auto: the one that reaches consensus fastest, "
               "tried without gradients"),
    FIELD_LAST,
};

enum { KNOWN, R, CHOCO_VECTORS };
enum { GAMMA, SLACK, CHOCO_NUMBERS };

struct choco {
    struct mixing mixing;
    struct compressor compressor;
    void *message; /* our own; then, when that has been read, what a neighbour's is received in */
    float *own;    /* [count], of scratch: what our own message says */
    double gamma;
};

static int choco_vector_count(const void *options, int workers, bool is_server)
{
    (void)options;
    (void)is_server;
    return workers > 1 ? CHOCO_VECTORS : 0;
}

static int choco_number_count(const void *options, int workers, bool is_server)
{
    (void)options;
    (void)workers;
    (void)is_server;
    return CHOCO_NUMBERS;
}

/* Where the tensors of the mixed part end. */
static int64_t *tensor_ends(const struct tensor_layout *l, int64_t count, int *tensors)
{
    int64_t *ends = MEM_NEW_N(int64_t, l->tensor_count);

    *tensors = 0;
    for (int i = 0; i < l->tensor_count; i++)
        if (l->tensors[i].offset < count)
            ends[(*tensors)++] = l->tensors[i].offset + l->tensors[i].count;
    return ends;
}

/* Rank 0 tries, and tells all. The others wait, so nobody else looks at the topology now. */
static enum status find_gamma(struct worker *w, const struct compressor_request *r, double *gamma)
{
    const int nodes = w->transport->workers;
    const double start = transport_now(w->transport);
    double found = 0;

    if (worker_rank(w) == 0) {
        double *matrix = MEM_NEW_N(double, (int64_t)nodes *nodes);

        topology_matrix(w->topology, 0, matrix);
        found = choco_gamma_best(&(struct choco_gamma_request){
            .w = matrix, .nodes = nodes, .compressor = *r, .seed = w->seed});
        mem_free(matrix);
        if (signals_stop_requested())
            found = 0;
        else
            log_info("choco: gamma auto is %.3g, found in %.2f s before training", found,
                     transport_now(w->transport) - start);
    }
    TRY(transport_sum(
        w->transport,
        &(struct sum){.data = &found, .count = 1, .type = SUM_DOUBLE, .is_control = true}));
    *gamma = found;
    return found > 0 ? STATUS_OK : FAIL(STATUS_INTERRUPTED, "the search for gamma was stopped");
}

static bool is_auto(const struct choco_options *o)
{
    return o->gamma == NULL || text_same_name(o->gamma, "auto");
}

static enum status choco_check(const struct algo_setting *s)
{
    const struct choco_options *o = s->options;
    double gamma = 0;

    if (!is_auto(o) && (!text_to_double(o->gamma, &gamma) || !(gamma > 0 && gamma <= 1)))
        return FAIL(STATUS_BAD_INPUT, "algorithm.gamma: '%s' must be auto or a number in (0, 1]",
                    o->gamma);
    if (s->topology_facts != NULL && s->topology_facts->changes)
        return FAIL(STATUS_BAD_INPUT,
                    "graph: choco needs the same graph in all rounds, because a node keeps one sum "
                    "for all its neighbours; leave out schedule, drop_links and drop_nodes, and "
                    "choose a type that does not change");
    return STATUS_OK;
}

/* The option's, or that of the search, which a checkpoint keeps. */
static enum status choose_gamma(struct worker *w, const struct compressor_request *r)
{
    const struct choco_options *o = w->options;
    double gamma = stored_real_get(&w->numbers[GAMMA]);

    if (w->is_resumed)
        return gamma > 0 && gamma <= 1
                   ? STATUS_OK
                   : FAIL(STATUS_BAD_INPUT, "the checkpoint has a gamma of %g for worker %d", gamma,
                          worker_rank(w));
    if (is_auto(o)) {
        TRY(find_gamma(w, r, &gamma));
    } else {
        CHECK(text_to_double(o->gamma, &gamma)); /* choco_check has seen it */
    }
    stored_real_set(&w->numbers[GAMMA], gamma);
    return STATUS_OK;
}

static enum status choco_begin(struct worker *w)
{
    const struct choco_options *o = w->options;

    if (w->transport->workers == 1)
        return STATUS_OK;
    struct choco *c = MEM_NEW(struct choco);

    w->memory = c;
    mixing_init(&c->mixing, w);
    struct compressor_request r = {.kind = (enum compressor_kind)o->compressor,
                                   .count = c->mixing.count,
                                   .k = o->k,
                                   .bits = (int)o->bits};
    int64_t *ends = tensor_ends(w->layout, r.count, &r.tensor_count);

    r.tensor_ends = ends;
    compressor_init(&c->compressor, &r);
    c->message = mem_alloc((int64_t)compressor_bytes(&c->compressor), 1);
    const enum status s = choose_gamma(w, &r);
    mem_free(ends);
    c->gamma = stored_real_get(&w->numbers[GAMMA]);
    return s;
}

static void choco_end(struct worker *w)
{
    struct choco *c = w->memory;

    if (c == NULL)
        return;
    mem_free(c->message);
    compressor_release(&c->compressor);
    mem_free(c);
    w->memory = NULL;
}

static struct compressor_stamp stamp_of(const struct worker *w, int sender)
{
    return (struct compressor_stamp){.seed = w->seed, .sender = sender, .step = w->round};
}

/* A pass over the vector and the message, whichever is made of the other. */
static enum status report_code(struct worker *w, const struct choco *c)
{
    const double count = (double)c->mixing.count;

    return transport_work(
        w->transport,
        &(struct work){.flops = count,
                       .bytes = count * sizeof(float) + (double)compressor_bytes(&c->compressor)});
}

static enum status decode_own(struct worker *w, struct choco *c)
{
    const struct compressor_stamp stamp = stamp_of(w, worker_rank(w));

    compressor_decode(&c->compressor, c->own, c->message, &stamp);
    return report_code(w, c);
}

/* q_i to all neighbours; what it says is known from now on. */
static enum status send_difference(struct worker *w, struct choco *c)
{
    const struct peers to = {c->mixing.near.out, c->mixing.near.out_count};
    const struct compressor_stamp stamp = stamp_of(w, worker_rank(w));
    float *known = w->vectors[KNOWN];

    c->own = scratch_take(&w->scratch);
    for (int64_t i = 0; i < c->mixing.count; i++)
        c->own[i] = w->state[i] - known[i];
    compressor_encode(&c->compressor, c->message, c->own, &stamp);
    TRY(report_code(w, c));
    TRY(decode_own(w, c));
    mixing_add(w, known, 1, c->own, c->mixing.count);
    scratch_give(&w->scratch, c->own);
    return transport_send_each(w->transport, &to, MIXING_CODE, c->message,
                               compressor_bytes(&c->compressor));
}

static enum status add_difference(struct worker *w, struct choco *c, int neighbour, float *q)
{
    const struct neighbourhood *n = &c->mixing.near;
    const struct compressor_stamp stamp = stamp_of(w, n->in[neighbour]);
    const struct incoming room = {c->message, compressor_bytes(&c->compressor)};
    const void *message;
    struct envelope e;

    TRY(transport_borrow(w->transport, n->in[neighbour], MIXING_CODE, &e, &room, &message));
    CHECK(e.bytes == room.bytes);
    compressor_decode(&c->compressor, q, message, &stamp);
    transport_give_back(w->transport);
    TRY(report_code(w, c));
    mixing_accumulate(w->vectors[R], n->weights[neighbour], q, c->own, c->mixing.count);
    return worker_report_vectors(w, &(struct vector_work){c->mixing.count, 3, 4});
}

/* r <- r + sum_j W_ij (q_j - q_i); our own message is decoded once more, which costs less than to
 * hold a vector while waiting. */
static enum status receive_differences(struct worker *w, struct choco *c)
{
    const struct peers from = {c->mixing.near.in, c->mixing.near.in_count};

    TRY(transport_await(w->transport, &from, MIXING_CODE));
    float *q = scratch_take(&w->scratch);

    c->own = scratch_take(&w->scratch);
    TRY(decode_own(w, c));
    for (int i = 0; i < from.count; i++)
        TRY(add_difference(w, c, i, q));
    scratch_give(&w->scratch, q);
    return STATUS_OK;
}

static enum status check_corrections(struct worker *w, struct choco *c)
{
    const int64_t count = c->mixing.count;
    const int degree = c->mixing.near.in_count;
    struct invariant v = {
        .text = "the corrections of all nodes add up to zero", .x = w->vectors[R], .count = count};

    invariant_allow(w, &v.slack, &(struct invariant_rounding){w->vectors[R], count, degree, 1});
    invariant_allow(w, &v.slack, &(struct invariant_rounding){c->own, count, degree, 1});
    scratch_give(&w->scratch, c->own);
    return invariant_check_kept(w, &v, &c->mixing.past, &w->numbers[SLACK]);
}

static enum status choco_round(struct worker *w)
{
    struct choco *c = w->memory;

    TRY(worker_local_step(w));
    if (c == NULL) /* alone */
        return STATUS_OK;
    mixing_find_neighbours(&c->mixing, w);
    TRY(send_difference(w, c));
    TRY(receive_differences(w, c));
    mixing_add(w, w->state, c->gamma, w->vectors[R], c->mixing.count);
    TRY(worker_report_vectors(w, &(struct vector_work){c->mixing.count, 2, 3}));
    return check_corrections(w, c);
}

const struct algo_ops choco_algo = {
    .entry = {.name = "choco",
              .summary = "CHOCO-SGD: decentralised SGD with compressed messages",
              .fields = choco_fields,
              .options_size = sizeof(struct choco_options)},
    .kind = ALGO_LOCKSTEP,
    .run_model = ALGO_RUN_MODEL_EACH,
    .limit = ALGO_LIMIT_BIASED,
    .one_worker = ALGO_ONE_WORKER_SAME_BITS,
    .bytes = "L * 8 * max(1, floor(k * S))",
    .test_options = "k: 0.3, gamma: 0.3",
    .needs_graph = true,
    .graph_need = ALGO_GRAPH_BALANCED,
    .scratch_count = 2,
    .vector_count = choco_vector_count,
    .number_count = choco_number_count,
    .check = choco_check,
    .begin = choco_begin,
    .round = choco_round,
    .end = choco_end,
};
