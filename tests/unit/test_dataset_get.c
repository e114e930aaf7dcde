/*
 * test_dataset_get.c - data/dataset_get.h with small sets of the test's own, from file: addresses.
 *
 * tests/e2e/test_download.sh has the connections. In a build without libcurl there is one case.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "data/dataset_get.h"
#include "data/list.h"
#include "format/download.h"
#include "test.h"
#include "unit/data_files.h"

static const char *const folders[] = {"box", NULL};
static const char *const probes[] = {"one.bin", NULL};
static const char *const addresses[] = {"file:///nowhere/", NULL};

/* The SHA-256 of "one", "two" and of nothing, by sha256sum. */
static const struct dataset_file files[] = {
    {"one.bin",   3, "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"},
    {"two.bin",   3, "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3"},
    {"empty.bin", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {NULL,        0, NULL                                                              },
};

/* A data set in an archive that lies in a folder of the test. */
struct box {
    char *folder; /* of all */
    char *from;   /* the address of the archive's folder */
    char *target; /* --dir */
    char hex[2 * SHA256_BYTES + 1];
    struct dataset_file downloads[2];
    struct dataset_source source;
    struct dataset_ops ops;
};

static void run_in(const char *folder, const char *command)
{
    char *line = text_format("cd '%s' && %s", folder, command);

    CHECK(system(line) == 0); /* NOLINT: a fixed command */
    mem_free(line);
}

/* The archive as it is becomes the published one. */
static void publish(struct box *b)
{
    char *path = file_join(b->folder, "box.tar.gz");
    uint8_t digest[SHA256_BYTES];
    struct text archive = {0}, hex = {0};

    EXPECT_OK(file_read(path, 1 << 20, &archive));
    sha256(archive.data, archive.length, digest);
    text_add_hex(&hex, digest, sizeof digest);
    memcpy(b->hex, text_get(&hex), sizeof b->hex);
    b->downloads[0] = (struct dataset_file){"box.tar.gz", (int64_t)archive.length, b->hex};
    text_release(&hex);
    text_release(&archive);
    mem_free(path);
}

static void box_init(struct box *b, const char *make_archive)
{
    *b = (struct box){.folder = files_folder()};
    b->from = text_format("file://%s", b->folder);
    b->target = file_join(b->folder, "target");
    b->source = (struct dataset_source){
        .folder = "box",
        .addresses = addresses,
        .downloads = b->downloads,
        .is_archive = true,
        .files = files,
    };
    b->ops = (struct dataset_ops){
        .entry = {.name = "box"},
        .folders = folders,
        .probes = probes,
        .hint = "ask for it",
        .source = &b->source,
    };
    files_write(b->folder, "box/one.bin", "one", 3);
    files_write(b->folder, "box/two.bin", "two", 3);
    files_write(b->folder, "box/empty.bin", "", 0);
    files_write(b->folder, "box/readme.html", "more", 4);
    run_in(b->folder, make_archive);
    publish(b);
}

static void box_release(struct box *b)
{
    mem_free(b->from);
    mem_free(b->target);
    files_remove(b->folder);
}

static enum status get(const struct box *b, char **folder)
{
    const struct dataset_get request = {.dir = b->target, .from = b->from, .patience = 5};

    return dataset_get(&b->ops, &request, folder);
}

/* The names in the folder of the set, with a space after each. */
static char *names_in_target(const struct box *b)
{
    struct text names = {0};
    char *list = file_join(b->folder, "list");

    run_in(b->folder, "mkdir -p target/box && ls -A target/box | tr '\\n' ' ' >list");
    EXPECT_OK(file_read(list, 1 << 16, &names));
    mem_free(list);
    text_add(&names, "");
    return text_take(&names);
}

static void expect_names(const struct box *b, const char *expected)
{
    char *names = names_in_target(b);

    EXPECT_TEXT(names, expected);
    mem_free(names);
}

static void test_an_archive_is_unpacked_and_removed(void)
{
    struct box b;
    char *folder = NULL;
    int64_t wrong = 0;

    if (!download_is_available())
        return;
    box_init(&b, "tar -czf box.tar.gz box");
    if (EXPECT_OK(get(&b, &folder))) {
        EXPECT_HAS(folder, "target/box");
        dataset_verify(&b.source, folder, NULL, &wrong);
        EXPECT_INT(wrong, 0);
        mem_free(folder);
    }
    expect_names(&b, "empty.bin one.bin two.bin ");
    run_in(b.folder, "rm box.tar.gz"); /* what is there is not downloaded again */
    EXPECT_OK(get(&b, &folder));
    mem_free(folder);
    box_release(&b);
}

static void test_an_archive_with_a_file_outside_of_its_folder_installs_nothing(void)
{
    struct box b;
    char *folder = NULL;

    if (!download_is_available())
        return;
    box_init(&b, "tar -P --transform='s,box/two,../../two,' -czf box.tar.gz box");
    EXPECT_FAILS(get(&b, &folder), STATUS_IO, "it has a file outside of its folder: ../../two.bin");
    EXPECT(folder == NULL);
    EXPECT(!file_exists_in(b.target, "box/one.bin"));
    EXPECT(!file_exists_in(b.folder, "two.bin"));
    box_release(&b);
}

static void test_an_archive_that_lacks_a_file_installs_nothing(void)
{
    struct box b;
    char *folder = NULL;

    if (!download_is_available())
        return;
    box_init(&b, "tar -czf box.tar.gz box/one.bin box/empty.bin");
    EXPECT_FAILS(get(&b, &folder), STATUS_IO, "box.tar.gz.part: has only 2 of the 3 files");
    EXPECT(!file_exists_in(b.target, "box/one.bin"));
    EXPECT(!file_exists_in(b.target, "box/empty.bin"));
    box_release(&b);
}

static void test_a_file_of_the_archive_with_other_bytes_installs_nothing(void)
{
    struct box b;
    char *folder = NULL;

    if (!download_is_available())
        return;
    box_init(&b, "printf 2wo >box/two.bin && tar -czf box.tar.gz box");
    EXPECT_FAILS(get(&b, &folder), STATUS_IO, "two.bin.part: its SHA-256 is ");
    box_release(&b);
    box_init(&b, "printf twoo >box/two.bin && tar -czf box.tar.gz box");
    EXPECT_FAILS(get(&b, &folder), STATUS_IO, "two.bin in it has 4 bytes, not 3");
    EXPECT(!file_exists_in(b.target, "box/one.bin"));
    box_release(&b);
}

/* The address that does not exist comes first. */
static void test_the_next_address_is_tried(void)
{
    struct box b;
    char *folder = NULL;

    if (!download_is_available())
        return;
    box_init(&b, "tar -czf box.tar.gz box");
    const char *const both[] = {addresses[0], b.from, NULL};
    const struct dataset_get request = {.dir = b.target, .patience = 5};
    b.source.addresses = both;
    EXPECT_OK(dataset_get(&b.ops, &request, &folder));
    mem_free(folder);
    expect_names(&b, "empty.bin one.bin two.bin ");
    box_release(&b);
}

static void test_a_set_that_needs_a_login_says_where(void)
{
    struct box b;
    char *folder = NULL;

    box_init(&b, "tar -czf box.tar.gz box");
    b.source.login = "sign in at https://box.example, then download box.tar.gz";
    EXPECT_FAILS(get(&b, &folder), STATUS_IO,
                 "data set box cannot be downloaded without a login: sign in at https://box.");
    b.ops.source = NULL;
    EXPECT_FAILS(get(&b, &folder), STATUS_IO,
                 "data set box cannot be downloaded by muster; to get it: ask for it");
    EXPECT(!file_exists(b.target));
    box_release(&b);
}

static void test_a_build_without_libcurl_prints_address_and_folder(void)
{
    struct box b;
    char *folder = NULL;

    if (download_is_available())
        return;
    box_init(&b, "tar -czf box.tar.gz box");
    EXPECT_FAILS(get(&b, &folder), STATUS_IO,
                 "this build of muster cannot download, because it has no libcurl; download this "
                 "archive and unpack its files into ");
    EXPECT_HAS(status_message(), b.target);
    EXPECT_HAS(status_message(), b.from);
    box_release(&b);
}

/* Sizes, 64 digits, and a folder that is searched. */
static void test_the_tables_of_all_sets_are_complete(void)
{
    for (const struct entry *const *e = dataset_registry.entries; *e != NULL; e++) {
        const struct dataset_ops *ops = (const struct dataset_ops *)(const void *)*e;
        const struct dataset_source *source = ops->source;
        bool is_searched = false;

        EXPECT(ops->folders != NULL ? source != NULL || ops->hint != NULL : source == NULL);
        if (source == NULL)
            continue;
        for (const char *const *name = ops->folders; *name != NULL; name++)
            is_searched = is_searched || strcmp(*name, source->folder) == 0;
        EXPECT(is_searched);
        EXPECT(source->login != NULL || source->addresses[0] != NULL);
        const struct dataset_file *const lists[] = {source->downloads, source->files};
        for (int i = 0; i < 2; i++)
            for (const struct dataset_file *file = lists[i]; file->name != NULL; file++) {
                EXPECT(file->bytes > 0);
                EXPECT_INT((int64_t)strspn(file->sha256, "0123456789abcdef"), 64);
                EXPECT_INT((int64_t)strlen(file->sha256), 64);
            }
    }
}

TEST_MAIN(TEST(test_an_archive_is_unpacked_and_removed),
          TEST(test_an_archive_with_a_file_outside_of_its_folder_installs_nothing),
          TEST(test_an_archive_that_lacks_a_file_installs_nothing),
          TEST(test_a_file_of_the_archive_with_other_bytes_installs_nothing),
          TEST(test_the_next_address_is_tried), TEST(test_a_set_that_needs_a_login_says_where),
          TEST(test_a_build_without_libcurl_prints_address_and_folder),
          TEST(test_the_tables_of_all_sets_are_complete))
