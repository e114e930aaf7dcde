/*
 * fingerprint.h - what a run is recognised by when its name has changed.
 */
#ifndef STUDY_FINGERPRINT_H
#define STUDY_FINGERPRINT_H

#include "study/study.h"

/* Hashes of the settings without the name. */
struct fingerprint {
    uint64_t all;
    uint64_t computed; /* of what decides the result: not threads, traces and the like */
    uint64_t endless;  /* of the same without the length of the run */
};

enum status fingerprint_of_run(const struct study_run *c, struct fingerprint *p);
enum status fingerprint_of_folder(const char *folder, struct fingerprint *p);

#endif
