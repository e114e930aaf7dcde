/*
 * muster_index.c - times the index of a folder of pictures, for bench/index.
 *
 *     muster_index FOLDER TIMES
 *
 * Prints one line of JSON: the seconds of each time, classes, pictures and a checksum of all names.
 * Names are kept in the user's data folder after the first time, as by `--dataset folder:DIR`.
 */
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/crc.h"
#include "base/json.h"
#include "data/image_index.h"

static void describe(const struct image_index *x, struct json *j)
{
    uint32_t crc = crc32c(0, x->text.data, x->text.length);

    for (int64_t c = 0; c < x->class_count; c++)
        crc = crc32c(crc, x->names[c], strlen(x->names[c]) + 1);
    json_int(j, "classes", x->class_count);
    json_int(j, "pictures", x->count);
    json_int(j, "checksum", crc);
}

static enum status measure(const char *folder, int64_t times, struct json *j)
{
    struct image_index x = {0};

    json_open_list(j, "seconds");
    for (int64_t i = 0; i < times; i++) {
        image_index_release(&x);
        const double start = clock_seconds();
        TRY(image_index_read(&x, folder, ""));
        json_number(j, NULL, clock_seconds() - start);
    }
    json_close_list(j);
    describe(&x, j);
    image_index_release(&x);
    return STATUS_OK;
}

int main(int argc, char **argv)
{
    struct text out = {0};
    struct json j;
    int64_t times;

    CHECK(argc == 3 && text_to_int(argv[2], &times) && times > 0);
    json_init(&j, &out);
    json_open_map(&j, NULL);
    if (measure(argv[1], times, &j) != STATUS_OK) {
        fprintf(stderr, "%s\n", status_message());
        return 1;
    }
    json_close_map(&j);
    puts(text_get(&out));
    text_release(&out);
    return 0;
}
