/*
 * choco.c - CHOCO-SGD: nodes tell their neighbours compressed differences to what these know.
 *
 *     x_i  <-  x_i - a direction(grad f_i(x_i))
 *     q_i = Q(x_i - k_i);      k_j  <-  k_j + q_j   for i and its neighbours      k = 0 at first
 *     x_i  <-  x_i + gamma sum_j W_ij (k_j - k_i)
 *
 * A node keeps its own k_i and the sum r_i = sum_j W_ij (k_j - k_i), which gains
 * sum_j W_ij (q_j - q_i) a round: that is right as long as W is always the same, so a graph that
 * changes is refused. The r_i of all nodes add up to zero.
 *
 * Not here: compressors (comm/compress.h), the search for gamma (algo/consensus.c).
 *
 * Koloskova, Stich, Jaggi: "Decentralized Stochastic Optimization and Gossip Algorithms with
 * Compressed Communication", 2019, Alg. 2 and 6. Koloskova et al.: "Decentralized Deep Learning
 * with Arbitrary Communication Compression", 2020.
 */
#include <string.h>

#include "algo/consensus.h"
#include "algo/list.h"
#include "algo/mixing.h"
#include "algo/number.h"
#include "base/check.h"
#include "base/log.h"
#include "base/mem.h"

struct choco_options {
    int compressor; /* enum compressor_kind */
    double k;
    int64_t bits;
    char *gamma;
};

static const struct field choco_fields[] = {
    FIELD_CHOICE(struct choco_options, compressor, "topk", compressor_names,
                 "what makes messages small"),
    FIELD_REAL(struct choco_options, k, 0.01, 1e-9, 1e12,
               "topk, randomk: how many values are sent; below 1 a share of all"),
    FIELD_INT(struct choco_options, bits, 4, 1, 15, "qsgd: bits of a level; there are 2^bits"),
    FIELD_TEXT(struct choco_options, gamma, "auto",
               "step of the mixing, above 0 to 1; auto: the one that agrees soonest, tried without "
               "gradients"),
    FIELD_LAST,
};

enum { KNOWN, R, CHOCO_VECTORS };
enum { GAMMA, SLACK, CHOCO_NUMBERS };

struct choco {
    struct mixing mixing;
    struct compressor compressor;
    void *message;
    float *own; /* [count]: what our own message says */
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

/* Where the tensors of the mixed part end; NULL and 0 without a model. */
static int64_t *tensor_ends(const struct model *model, int64_t count, int *tensors)
{
    int64_t *ends = MEM_NEW_N(int64_t, model->tensor_count);

    *tensors = 0;
    for (int i = 0; i < model->tensor_count; i++)
        if (model->tensors[i].offset < count)
            ends[(*tensors)++] = model->tensors[i].offset + model->tensors[i].count;
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
        found = consensus_best_gamma(&(struct consensus_request){
            .w = matrix, .nodes = nodes, .compressor = *r, .seed = w->seed});
        mem_free(matrix);
        log_info("choco: gamma auto is %.3g, found in %.2f s before training", found,
                 transport_now(w->transport) - start);
    }
    TRY(transport_sum(
        w->transport,
        &(struct sum){.data = &found, .count = 1, .type = SUM_DOUBLE, .is_control = true}));
    *gamma = found;
    return STATUS_OK;
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
        return FAIL(STATUS_BAD_INPUT, "algorithm.gamma: '%s' is neither auto nor above 0 to 1",
                    o->gamma);
    if (s->links != NULL && s->links->changes)
        return FAIL(STATUS_BAD_INPUT,
                    "graph: with choco the graph must be the same in all rounds, since a node "
                    "keeps one sum for all its neighbours; leave out schedule, drop_links and "
                    "drop_nodes, and take a type that does not change by itself");
    return STATUS_OK;
}

/* The option's, or that of the search, which a checkpoint keeps. */
static enum status choose_gamma(struct worker *w, const struct compressor_request *r)
{
    const struct choco_options *o = w->options;
    double gamma = number_real(&w->numbers[GAMMA]);

    if (gamma > 0)
        return STATUS_OK;
    if (is_auto(o)) {
        TRY(find_gamma(w, r, &gamma));
    } else {
        CHECK(text_to_double(o->gamma, &gamma)); /* choco_check has seen it */
    }
    number_set_real(&w->numbers[GAMMA], gamma);
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
    int64_t *ends = tensor_ends(w->model, r.count, &r.tensor_count);

    r.tensor_ends = ends;
    compressor_init(&c->compressor, &r);
    c->message = mem_alloc((int64_t)compressor_bytes(&c->compressor), 1);
    c->own = MEM_NEW_N(float, r.count);
    const enum status s = choose_gamma(w, &r);
    mem_free(ends);
    c->gamma = number_real(&w->numbers[GAMMA]);
    return s;
}

static void choco_end(struct worker *w)
{
    struct choco *c = w->memory;

    if (c == NULL)
        return;
    mem_free(c->message);
    mem_free(c->own);
    compressor_release(&c->compressor);
    mixing_release(&c->mixing);
    mem_free(c);
    w->memory = NULL;
}

static struct compressor_stamp stamp_of(const struct worker *w, int sender)
{
    return (struct compressor_stamp){.seed = w->seed, .sender = sender, .step = w->round};
}

/* q_i to all neighbours; what it says is known from now on. */
static enum status say(struct worker *w, struct choco *c)
{
    const struct neighbourhood *n = &c->mixing.near;
    const struct compressor_stamp stamp = stamp_of(w, worker_rank(w));
    float *known = w->vectors[KNOWN];

    for (int64_t i = 0; i < c->mixing.count; i++)
        c->own[i] = w->state[i] - known[i];
    compressor_encode(&c->compressor, c->message, c->own, &stamp);
    compressor_decode(&c->compressor, c->own, c->message, &stamp);
    mixing_add(w, known, 1, c->own, c->mixing.count);
    for (int i = 0; i < n->out_count; i++)
        TRY(transport_send(w->transport, n->out[i], MIXING_CODE, c->message,
                           compressor_bytes(&c->compressor)));
    return STATUS_OK;
}

/* r <- r + sum_j W_ij (q_j - q_i) */
static enum status hear(struct worker *w, struct choco *c)
{
    const struct neighbourhood *n = &c->mixing.near;
    const size_t bytes = compressor_bytes(&c->compressor);

    for (int i = 0; i < n->in_count; i++) {
        const struct compressor_stamp stamp = stamp_of(w, n->in[i]);
        struct envelope e;

        TRY(transport_recv(w->transport, n->in[i], MIXING_CODE, &e, c->message, bytes));
        CHECK(e.bytes == bytes);
        compressor_decode(&c->compressor, c->mixing.heard, c->message, &stamp);
        mixing_accumulate(w->vectors[R], n->weights[i], c->mixing.heard, c->own, c->mixing.count);
    }
    return STATUS_OK;
}

static enum status check(struct worker *w, struct choco *c)
{
    const int64_t count = c->mixing.count;
    const int degree = c->mixing.near.in_count;
    struct invariant v = {
        .text = "the corrections of all nodes add up to zero", .x = w->vectors[R], .count = count};

    invariant_allow(w, &v.slack, &(struct invariant_rounding){w->vectors[R], count, degree, 1});
    invariant_allow(w, &v.slack, &(struct invariant_rounding){c->own, count, degree, 1});
    return invariant_check_kept(w, &v, &c->mixing.past, &w->numbers[SLACK]);
}

static enum status choco_round(struct worker *w)
{
    struct choco *c = w->memory;

    TRY(worker_local_step(w));
    if (c == NULL) /* alone */
        return STATUS_OK;
    mixing_look(&c->mixing, w);
    TRY(say(w, c));
    TRY(hear(w, c));
    mixing_add(w, w->state, c->gamma, w->vectors[R], c->mixing.count);
    return check(w, c);
}

const struct algo_ops choco_algo = {
    .entry = {.name = "choco",
              .summary = "CHOCO-SGD: decentralised SGD with compressed messages",
              .fields = choco_fields,
              .options_size = sizeof(struct choco_options)},
    .kind = ALGO_LOCKSTEP,
    .view = ALGO_VIEW_EACH,
    .needs_graph = true,
    .links = ALGO_LINKS_BALANCED,
    .work_count = 4,
    .vector_count = choco_vector_count,
    .number_count = choco_number_count,
    .check = choco_check,
    .begin = choco_begin,
    .round = choco_round,
    .end = choco_end,
};
