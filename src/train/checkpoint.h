/*
 * checkpoint.h - a run on disk: the model for other programs, and the checkpoint to resume from.
 *
 * model.safetensors   tensors by name in canonical order, nothing else: equal bits are equal files.
 * checkpoints/round-<n>, best   the same tensors; optim.vector.<i> and optim.numbers; what all
 * workers have alike of an algorithm: algorithm.vector.<i>, and of its second optimiser
 * outer.vector.<i> and outer.numbers; run.counters, run.rounds and run.numbers (struct run_totals);
 * the run config's YAML as text. With several workers, or an algorithm that remembers something,
 * also worker.<r>, what this worker alone has, and the clients of a server. The file says its
 * version, its counters and the layout of what is in stored order; another version or layout is
 * rejected.
 */
#ifndef TRAIN_CHECKPOINT_H
#define TRAIN_CHECKPOINT_H

#include "format/safetensors.h"
#include "record/counters.h"
#include "train/worker_memory.h"

/* The totals of a run between two rounds, of all workers together. */
struct run_totals {
    int64_t round;
    struct counters counters; /* of all workers together */
    int64_t best_round;
    double best_loss;                  /* lowest validation loss; infinity: none yet */
    double train_loss, train_accuracy; /* of the last whole epoch */
    bool is_good_enough;               /* train.stop has ended the run */
    bool is_before_record; /* of a file: written before the rows and evaluation of its round */
};

/* The totals of a run that has not started. */
struct run_totals run_totals_start(void);

/* A model as it is saved: its weights, and BatchNorm's counts of batches. */
struct model_values {
    const struct tensor_layout *layout;
    float *state;             /* [state_count] */
    int64_t *batches_tracked; /* [tracked_count] */
};

enum status checkpoint_save_model(const struct model_values *v, const char *path);

/* The state that one worker alone has, as a message and as an entry of a checkpoint. */
struct worker_state {
    int64_t *words; /* owned; NULL: none */
    int64_t count;
};
void worker_state_pack(struct worker_state *p, struct worker_memory *a,
                       const struct counters *counters);
enum status worker_state_unpack(const struct worker_state *p, struct worker_memory *a,
                                struct counters *counters);
void worker_state_release(struct worker_state *p);

/* Samples that log rows have of a worker, their loss, and how many of them were right (top-1,
 * top-5): where the worker itself does not know. */
struct logged_sums {
    double samples, loss, correct, correct5;
};

struct checkpoint {
    const struct worker_memory *memory; /* the leader's: its optimiser, its run config */
    struct model_values values;         /* the run model */
    const struct run_totals *totals;
    const struct worker_state *states; /* [workers], or NULL */
    const struct counters *counters; /* [workers] of independent workers that still run, or NULL */
    /* Written before the rows of its round: [checkpoint_facts_count], the norm of the gradient, and
     * of each worker loss and accuracy of its own model, where that is joined; else NULL. */
    double *before_record;
    const struct logged_sums *logged; /* [workers], or NULL: workers know it themselves */
};

int64_t checkpoint_facts_count(const struct build *b);
enum status checkpoint_load_facts(const struct build *b, const char *path, double **facts);

/* logged[workers]; zeros where the file has none. */
enum status checkpoint_load_logged(const struct build *b, const char *path,
                                   struct logged_sums *logged);

enum status checkpoint_save(const struct checkpoint *c, const char *path);

/* The totals alone. */
enum status checkpoint_read_totals(const struct safetensors *file, struct run_totals *totals);
enum status checkpoint_load_totals(const char *path, struct run_totals *totals);

/*
 * Whether the file has all that every endpoint of this run needs to resume. It is read into the
 * memory of one endpoint after the other, which costs that of one for a moment.
 */
enum status checkpoint_check(const struct build *b, const struct safetensors *file);

/*
 * Everything that this endpoint needs to resume: the model, the optimiser, its own state. counters
 * is left unchanged where the file has neither state nor counters of this worker.
 */
enum status checkpoint_restore(struct worker_memory *a, struct counters *counters,
                               const char *path);

/* What a checkpoint says of itself: the run config's YAML and the ISA, or NULL (mem_free both). */
enum status checkpoint_texts(const char *path, char **config, char **isa);

#endif
