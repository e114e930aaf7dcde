/*
 * loader.h - threads that prepare the next batches while the present one is computed.
 *
 * A batch that was started is prepared in the background, in the order of the starts. Whoever needs
 * it finishes it: helps with what is left, and waits for the rest. With no threads all is done
 * then. What is prepared depends on the samples and their view alone, never on who prepares it, so
 * the number of threads changes no bit.
 *
 * Threads run at a low priority: they use the time that training leaves.
 */
#ifndef DATA_LOADER_H
#define DATA_LOADER_H

#include "data/first_failure.h"
#include "data/preparation.h"

/* The loader of a process; borrows the preparation. */
struct loader;

struct loader *loader_new(const struct preparation *p, int threads);
void loader_free(struct loader *l); /* after all batches are finished or cancelled; accepts NULL */

/* A batch on its way. The caller sets the first part before it is started. */
struct loader_batch {
    const struct samples *part; /* borrowed */
    struct sample_view view;
    int64_t count;
    int64_t *numbers; /* [capacity] */
    uint8_t *bytes;   /* [capacity][height][width][channels], the result */
    int64_t replaced; /* when it is finished: samples that could not be read */

    /* Private, guarded by the loader's mutex. */
    int64_t asked, claimed, done;
    bool is_waiting; /* in the loader's list */
    struct loader_batch *next;
    struct first_failure failure;
};

/* Room for `capacity` samples, and its bytes. */
void loader_batch_init(struct loader_batch *b, const struct preparation *p, int64_t capacity);
void loader_batch_release(struct loader_batch *b);
int64_t loader_batch_bytes(const struct preparation *p, int64_t capacity);

void loader_start(struct loader *l, struct loader_batch *b);

/* Several threads may finish the same batch together; all of them return when it is complete. */
enum status loader_finish(struct loader *l, struct loader_batch *b);

/* Gives up a batch that was started: returns when no thread writes to it. */
void loader_cancel(struct loader *l, struct loader_batch *b);

#endif
