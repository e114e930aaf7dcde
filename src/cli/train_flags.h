/*
 * train_flags.h - the flags that set values of a run config, shared by the commands that train.
 */
#ifndef CLI_TRAIN_FLAGS_H
#define CLI_TRAIN_FLAGS_H

#include "cli/end_report.h"
#include "conf/flags.h"
#include "train/run.h"

/* Rows for a flag table: a value at a path of the run config, explained there. */
#define TRAIN_FLAGS                                                                                \
    {"dataset", "data.name", "NAME", "data set (see muster data list)", "What"},                   \
        {"model", "model.name", "NAME|FILE",                                                       \
         "network (see muster models), or a YAML file of layers", NULL},                           \
        {"optimizer", "optimizer.name", "NAME", "sgd, adam, adamw, lars, lamb, lbfgs", NULL},      \
        {"lr", "optimizer.lr", "X", "learning rate; the default is the optimizer's", NULL},        \
        {"momentum", "optimizer.momentum", "X", "momentum of sgd", NULL},                          \
        {"weight-decay", "optimizer.weight_decay", "X",                                            \
         "weight decay; the default is the optimizer's", NULL},                                    \
        {"schedule", "schedule.name", "NAME",                                                      \
         "constant, linear, geometric, exponential, cosine, step, onecycle", NULL},                \
        {"problem", "problem.name", "NAME",                                                        \
         "what is minimised: supervised (a network on a data set) or quadratic (default "          \
         "supervised)",                                                                            \
         NULL},                                                                                    \
        {"loss", "problem.loss", "NAME", "nll, bce, mse or l1; the default is the model's", NULL}, \
        {"init", "train.init", "FILE", NULL, NULL},                                                \
        {"init-prefix", "train.init_prefix", "TEXT", NULL, NULL},                                  \
        {"algorithm", "algorithm.name", "NAME",                                                    \
         "training algorithm (see muster algorithms; default single, or sync for several "         \
         "workers)",                                                                               \
         "Workers"},                                                                               \
        {"workers", "transport.workers", "N", NULL, NULL},                                         \
        {"transport", "transport.name", "NAME", NULL, NULL},                                       \
        {"server", "transport.server", "WHERE", NULL, NULL},                                       \
        {"partition", "partition.name", "NAME",                                                    \
         "which worker gets which samples; muster data partition shows it (default split)", NULL}, \
        {"delay", "delays.delay", "D", NULL, NULL},                                                \
        {"slow-worker", "delays.slow_worker", "W:X", NULL, NULL},                                  \
        {"staleness", "algorithm.staleness", "S",                                                  \
         "ps-async: number of steps that a worker may be ahead of the slowest (-1: any)", NULL},   \
        {"graph", "graph.name", "NAME",                                                            \
         "communication graph of algorithms over graphs; muster graph draws it (default cycle)",   \
         NULL},                                                                                    \
        {"weights", "graph.weights", "RULE", NULL, NULL},                                          \
        {"uneven", "train.uneven", "HOW", NULL, NULL},                                             \
        {"statistics", "train.statistics", "HOW", NULL, NULL},                                     \
        {"batch-size", "train.batch_size", "N", NULL, "How much"},                                 \
        {"micro-batch", "train.micro_batch", "N", NULL, NULL},                                     \
        {"epochs", "train.epochs", "N", NULL, NULL},                                               \
        {"max-steps", "train.max_steps", "N", NULL, NULL},                                         \
        {"budget", "train.budget", "UNIT:N", NULL, NULL},                                          \
        {"stop", "train.stop", "RULE", NULL, NULL}, {"ends", "train.ends", "HOW", NULL, NULL},     \
        {"clip-norm", "train.clip_norm", "X", NULL, NULL}, {"seed", "seed", "N", NULL, NULL},      \
        {"threads", "train.threads", "N", NULL, NULL},                                             \
        {"convolution", "train.convolution", "HOW", NULL, NULL},                                   \
        {"data-dir", "data.dir", "DIR", NULL, "Data"},                                             \
        {"download", "data.download", NULL, NULL, NULL},                                           \
        {"classes", "data.classes", "N",                                                           \
         "imagenet32, imagenet64: use only the images of the first N classes (0: all)", NULL},     \
        {"train-fraction", "data.train_fraction", "X", NULL, NULL},                                \
        {"validation", "data.validation", "X", NULL, NULL},                                        \
        {"folds", "data.folds", "K", NULL, NULL}, {"fold", "data.fold", "N", NULL, NULL},          \
        {"fold-by", "data.fold_by", "HOW", NULL, NULL},                                            \
        {"input-size", "data.input_size", "N", NULL, NULL},                                        \
        {"normalize", "data.normalize", "HOW", NULL, NULL},                                        \
        {"name", "name", "TEXT", NULL, "Results"},                                                 \
        {"out", NULL, "DIR", "folder for the results (default runs/<date>_<time>_<name>)", NULL},  \
        {"evaluate-every", "train.evaluate_every", "N", NULL, NULL},                               \
        {"evaluate-rounds", "train.evaluate_rounds", "N", NULL, NULL},                             \
        {"print-evaluations", "train.print_evaluations", NULL, NULL, NULL},                        \
        {"pairwise-distances", "train.pairwise_distances", "WHEN", NULL, NULL},                    \
        {"record-correct", "train.record_correct", NULL, NULL, NULL},                              \
        {"evaluate-train", "train.evaluate_train", NULL, NULL, NULL},                              \
        {"loss-decay", "train.loss_decay", "X", NULL, NULL},                                       \
        {"log-every", "train.log_every", "N", NULL, NULL},                                         \
        {"save-every", "train.save_every", "N", NULL, NULL},                                       \
        {"save-rounds", "train.save_rounds", "N", NULL, NULL},                                     \
        {"saves-per-epoch", "train.saves_per_epoch", "K", NULL, NULL},                             \
        {"maps", "train.maps", "N", NULL, NULL}, {"keep", "train.keep", "N", NULL, NULL},          \
        {"paranoid", "train.paranoid", NULL, NULL, NULL},                                          \
        {"trace", "train.trace", NULL, NULL, NULL}, {"style", "output.style", "NAME", NULL, NULL}, \
        {"histograms", "output.histograms", NULL, NULL, NULL},                                     \
        {"tensorboard-tags", "output.tags", "SET", NULL, NULL},                                    \
        {"no-save", NULL, NULL, "write no model and no checkpoints", NULL}, REPORT_FLAG,           \
        {"json", NULL, NULL, "print one JSON object at the end", NULL},                            \
    {                                                                                              \
        "quiet", NULL, NULL, "print warnings and errors only", NULL                                \
    }

/* Those that are set often, for the short help; ends with a zero row. */
/* The flags of the short help. */
/* clang-format off */
#define TRAIN_FLAG_BRIEFS \
    {"dataset",        "data set (default fashion_mnist; see muster data list)"}, \
    {"model",          "network (default lenet5; see muster models), or a YAML file of layers"}, \
    {"optimizer",      "sgd, adam, adamw, lars, lamb or lbfgs (default sgd)"}, \
    {"lr",             "learning rate"}, \
    {"momentum",       "momentum of sgd"}, \
    {"schedule",       "learning rate schedule, such as cosine or step"}, \
    {"algorithm",      "training algorithm (see muster algorithms)"}, \
    {"workers",        "number of workers (default 1)"}, \
    {"partition",      "which worker gets which samples (see muster data partition)"}, \
    {"delay",          "delay of every worker, such as 30ms"}, \
    {"slow-worker",    "slow workers, such as 0:2.0 or 0:60ms"}, \
    {"graph",          "communication graph (see muster graph)"}, \
    {"batch-size",     "samples in a mini-batch of a worker (default 32)"}, \
    {"epochs",         "passes over the training samples (default 6)"}, \
    {"budget",         "end after samples:N, rounds:N, bytes:N or seconds:N"}, \
    {"ends",           "asynchronous workers: own epochs for each, or total (default own)"}, \
    {"seed",           "seed of everything random (default 1)"}, \
    {"data-dir",       "folder of the data set"}, \
    {"evaluate-every", "epochs between two evaluations (default 1)"}
/* clang-format on */
extern const struct flag_brief train_flag_briefs[]; /* these, and the end */

/* The name that a run config chooses from a registry, or the default where it names none. */
const char *train_flags_choice(const struct node *root, const struct registry *r);

/* "--adam.beta1" with another optimiser chosen is an error; all sections. */
enum status train_flags_check_entries(const struct flags *f, const struct node *root);

#endif
