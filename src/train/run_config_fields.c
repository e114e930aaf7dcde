/*
 * run_config_fields.c - the options of a run that belong to no registry: the top of the schema,
 * train, transport, delays and output.
 */
#include "train/output_style_list.h"
#include "train/run_config.h"

#define NO_LIMIT 1e18

const struct field run_config_fields[] = {
    FIELD_TEXT(struct run_config_options, name, NULL,
               "name of the run (default: made from the model and the data set)"),
    FIELD_INT(struct run_config_options, seed, 1, 0, 9e15,
              "seed of initial weights, sample order, splits and dropout"),
    FIELD_LAST,
};

/* In the order of enum convolution. */
static const char *const convolutions[] = {"auto", "direct", NULL};

/* In the order of enum uneven_policy, and of enum statistics. */
static const char *const uneven_policies[] = {"auto", "wait", "repeat", "shortest", NULL};
static const char *const ends_names[] = {"auto", "own", "total", NULL}; /* enum run_ends */
static const char *const pairwise_names[] = {"auto", "always", "never", NULL};
static const char *const statistics_names[] = {"average", "local", "recalibrate", NULL};

static const char *const server_places[] = {"thread", "own", NULL};

const struct field train_fields[] = {
    FIELD_INT(struct train_options, batch_size, 32, 1, 1e7, "samples in a mini-batch"),
    FIELD_INT(struct train_options, micro_batch, 0, 0, 1e7,
              "compute the gradient of a batch in parts of this many samples and add them up, to "
              "save memory; BatchNorm's statistics are then those of parts (0: the whole batch at "
              "once, as with a number that is not smaller)"),
    FIELD_INT(struct train_options, epochs, 0, 0, 1e9,
              "passes of each worker over its training samples (0: until max_steps; 6 if that is "
              "not set)"),
    FIELD_INT(struct train_options, max_steps, 0, 0, 1e12,
              "stop after this many rounds, or after `epochs` if that is sooner (0: no limit); "
              "`ends` says how asynchronous workers count them"),
    FIELD_TEXT(
        struct train_options, budget, NULL,
        "end the run with the round in which all workers together have used samples:N, rounds:N, "
        "bytes:N (sent) or seconds:N (of training); N may be 20k, 1.5G, 90s or 5min"),
    FIELD_TEXT(struct train_options, stop, NULL,
               "end the run sooner, after an evaluation with accuracy:0.97 or loss:0.1, or when "
               "PATIENCE evaluations in a row were not better by more than DELTA: "
               "plateau:loss,PATIENCE,DELTA; by the validation part, or else the test part"),
    FIELD_CHOICE(struct train_options, ends, "auto", ends_names,
                 "when asynchronous workers end: each after its own epochs or max_steps (own), or "
                 "all after as many together (total); auto: own"),
    FIELD_PATH(struct train_options, init, NULL,
               "start all workers with the weights of this file (.safetensors, .pt or .npz), "
               "instead of drawing them by the seed"),
    FIELD_TEXT(struct train_options, init_prefix, NULL,
               "prefix that is removed from the names of tensors in `init`, such as module."),
    FIELD_TEXT(struct train_options, init_crc, NULL,
               "CRC-32C of `init`, filled in by Muster; training from another file is an error"),
    FIELD_INT(struct train_options, threads, 0, 0, 1024,
              "threads per worker (0: the cores divided by the workers); any number gives the "
              "same bits"),
    FIELD_REAL(struct train_options, clip_norm, 0, 0, NO_LIMIT,
               "scale gradients down to this L2 norm (0: off)"),
    FIELD_CHOICE(struct train_options, convolution, "auto", convolutions,
                 "auto uses Winograd where it is faster; direct has smaller rounding errors"),
    FIELD_CHOICE(struct train_options, uneven, "auto", uneven_policies,
                 "a worker that finishes its samples before others waits (with weight zero) or "
                 "repeats them, or the epoch ends with the worker that has fewest; auto: repeat "
                 "over graphs, else wait"),
    FIELD_CHOICE(
        struct train_options, statistics, "average", statistics_names,
        "BatchNorm's running statistics of several workers: averaged, local, or measured again"),
    FIELD_INT(struct train_options, evaluate_every, 1, 0, 1e9,
              "epochs between two evaluations (0: only at the end)"),
    FIELD_INT(struct train_options, evaluate_rounds, 0, 0, NO_LIMIT,
              "rounds between two evaluations, from before the first round on; overrides "
              "evaluate_every (0: by epochs)"),
    FIELD_BOOL(struct train_options, print_evaluations, true,
               "print a line for each evaluation; log.txt has it in any case"),
    FIELD_CHOICE(
        struct train_options, pairwise_distances, "auto", pairwise_names,
        "measure distances between all pairs of nodes at evaluations; auto: up to 256 nodes"),
    FIELD_BOOL(struct train_options, record_correct, false,
               "write correct.jsonl: which test samples each node classifies correctly, at every "
               "evaluation"),
    FIELD_BOOL(struct train_options, evaluate_train, false,
               "at the end, evaluate the final model on the whole training set"),
    FIELD_REAL(struct train_options, loss_decay, 0.2, 0, 1,
               "weight of a new mini-batch in the moving training loss"),
    FIELD_INT(struct train_options, log_every, -1, -1, NO_LIMIT,
              "rounds between two log rows of the run and of each worker (0: none; -1: about 50 in "
              "an epoch, fewer where they would cost time or make a large file)"),
    FIELD_INT(struct train_options, save_every, 1, 0, 1e9,
              "epochs between two checkpoints (0: only at the end or when stopped)"),
    FIELD_INT(struct train_options, save_rounds, 0, 0, NO_LIMIT,
              "rounds between two checkpoints, in place of save_every (0: count epochs)"),
    FIELD_INT(struct train_options, keep, 2, 1, 1000,
              "number of checkpoints to keep, the newest ones"),
    FIELD_INT(struct train_options, saves_per_epoch, 0, 0, 1e6,
              "snapshots of the weights per epoch in snapshots.bin, for muster landscape; the "
              "first is before any step (0: none)"),
    FIELD_INT(
        struct train_options, maps, -1, -1, 1e6,
        "about how many evaluations write the map of every robot to maps.bin (0: none; -1: 50, "
        "fewer where the file would exceed 64 MB; no effect on problems without a map)"),
    FIELD_BOOL(struct train_options, trace, false,
               "write trace.json: when each worker computed, waited and sent"),
    FIELD_BOOL(struct train_options, paranoid, false,
               "check the algorithm's invariants in every round: equal parameters; over graphs, "
               "sums over all nodes that must not change"),
    FIELD_LAST,
};

const struct field transport_fields[] = {
    FIELD_TEXT(struct transport_options, name, NULL,
               "transport; muster help transports lists them and marks the default"),
    FIELD_INT(struct transport_options, workers, 0, 0, 100000,
              "number of workers, not counting a parameter server (0: as many as the launcher "
              "started, else 1)"),
    FIELD_CHOICE(
        struct transport_options, server, "thread", server_places,
        "where a parameter server runs: in a thread of worker 0's process, or in its own process"),
    FIELD_LAST,
};

const struct field delay_fields[] = {
    FIELD_TEXT(struct delay_options, delay, NULL,
               "delay of every worker before it sends: 30ms, gaussian:30ms,5ms, lognormal:, "
               "exponential:, pareto:, small, medium, long, s000:small, ..."),
    FIELD_TEXT(struct delay_options, slow_worker, NULL,
               "WORKER:FACTOR or WORKER:DELAY, or a list of these with commas"),
    FIELD_LAST,
};

static const char *const tag_sets[] = {"muster", "s004", NULL}; /* enum event_tag_set */

#define STYLE_NAME(name) #name,
static const char *const style_names[] = {OUTPUT_STYLE_LIST(STYLE_NAME) NULL};
#undef STYLE_NAME

const struct field run_output_fields[] = {
    FIELD_CHOICE(struct run_output_options, style, "muster", style_names,
                 "what is printed while a run trains; s004: a line with loss, Acc@1 and Acc@5 of "
                 "the last batch and of the epoch so far, with every log row"),
    FIELD_BOOL(struct run_output_options, histograms, false,
               "write histograms of weights and gradients for TensorBoard, at every evaluation"),
    FIELD_CHOICE(struct run_output_options, tags, "muster", tag_sets,
                 "names of the curves in TensorBoard; s004: Loss/train, Accuracy/train, Loss/Val, "
                 "Accuracy/Val, with accuracies in percent"),
    FIELD_LAST,
};
