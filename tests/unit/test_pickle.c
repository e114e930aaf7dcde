/*
 * test_pickle.c - what the reader of pickles gives, and what it rejects; tests/golden has files of
 * Python. Programs are written opcode by opcode, as pickletools of Python shows them.
 */
#include "base/check.h"
#include "base/file.h"
#include "base/text.h"
#include "damage.h"
#include "format/pickle.h"

#define FOLDER      TEST_SOURCE_DIR "/golden/vectors/formats/"
#define BYTES(text) (text), sizeof(text) - 1

static enum status decode(struct pickle *p, const char *program, size_t bytes)
{
    return pickle_decode(
        p, &(struct pickle_source){.name = "some.pkl", .file = program, .bytes = bytes});
}

static void expect_rejected(const char *program, size_t bytes, const char *part)
{
    struct pickle p;

    EXPECT_FAILS(decode(&p, program, bytes), STATUS_BAD_INPUT, part);
    EXPECT(p.root == NULL && p.chunks == NULL);
}

/* --- what is read --- */

static void read_golden(struct text *file, struct pickle *p, const char *name)
{
    char *path = file_join(FOLDER, name);

    CHECK(file_read(path, 1 << 20, file) == STATUS_OK);
    CHECK(decode(p, file->data, file->length) == STATUS_OK);
    mem_free(path);
}

/* Of Python 2 and of protocol 4 they are; Python 3 writes bytes as text in protocol 2. */
static void test_pixels_stay_in_the_file_where_it_has_them_as_they_are(void)
{
    static const char *const files[] = {"python2_numpy1_images2.pkl", "python3_numpy1_images4.pkl",
                                        "python3_numpy2_images4.pkl", "python3_numpy2_images2.pkl"};

    for (int i = 0; i < 4; i++) {
        const bool is_mapped = i < 3;
        struct text file = {0};
        struct pickle p;
        const struct pickle_value *data;

        read_golden(&file, &p, files[i]);
        EXPECT_OK(pickle_get(&p, "data", PICKLE_ARRAY, &data));
        EXPECT_INT(data->is_owned, !is_mapped);
        EXPECT_INT(pickle_place(&p, data->array->data) >= 0, is_mapped);
        EXPECT_INT(data->array->data[1], 5);
        EXPECT(file_array_is_plain(data->array, ELEMENT_U8));
        if (is_mapped)
            EXPECT_INT(file.data[pickle_place(&p, data->array->data) + 1], 5);
        pickle_release(&p);
        text_release(&file);
    }
}

static void test_labels_are_integers_from_lists_and_arrays(void)
{
    struct text file = {0};
    struct pickle p;
    const struct pickle_value *v;
    int64_t labels[4] = {0}, pixels[48];

    read_golden(&file, &p, "python2_numpy1_images2.pkl");
    EXPECT_OK(pickle_get(&p, "labels", PICKLE_LIST, &v));
    EXPECT_INT(pickle_count(v), 4);
    EXPECT_OK(pickle_to_ints(&p, v, labels));
    EXPECT_INT(labels[1], 1000);
    EXPECT_OK(pickle_get(&p, "data", PICKLE_ARRAY, &v));
    EXPECT_INT(pickle_count(v), 48);
    EXPECT_OK(pickle_to_ints(&p, v, pixels));
    EXPECT_INT(pixels[47], 47 * 5 % 251);
    EXPECT_OK(pickle_get(&p, "mean", PICKLE_ARRAY, &v));
    EXPECT_FAILS(pickle_to_ints(&p, v, pixels), STATUS_BAD_INPUT,
                 "some.pkl: element 1 is 0.125; it must be a whole number");
    pickle_release(&p);
    text_release(&file);
}

static void test_a_missing_entry_and_one_of_another_kind_are_named(void)
{
    struct text file = {0};
    struct pickle p;
    const struct pickle_value *v;

    read_golden(&file, &p, "python3_numpy2_images4.pkl");
    EXPECT_FAILS(pickle_get(&p, "date", PICKLE_ARRAY, &v), STATUS_BAD_INPUT,
                 "some.pkl: has no entry \"date\"; it has data, labels, mean");
    EXPECT_FAILS(pickle_get(&p, "data", PICKLE_LIST, &v), STATUS_BAD_INPUT,
                 "\"data\" is an array; it must be a list");
    pickle_release(&p);
    EXPECT_OK(decode(&p, BYTES("].")));
    EXPECT_FAILS(pickle_get(&p, "data", PICKLE_LIST, &v), STATUS_BAD_INPUT,
                 "some.pkl: is a list; it must be a dict");
    pickle_release(&p);
    text_release(&file);
}

static void test_pickles_may_follow_each_other(void)
{
    static const char program[] = "\x80\x02K\x05.I-6\n.";
    struct pickle p;

    EXPECT_OK(decode(&p, BYTES(program)));
    EXPECT_INT(p.root->integer, 5);
    EXPECT_INT(p.end, 5);
    const size_t begin = p.end;
    pickle_release(&p);
    EXPECT_OK(pickle_decode(
        &p, &(struct pickle_source){
                .name = "x", .file = program, .bytes = sizeof program - 1, .begin = begin}));
    EXPECT_INT(p.root->integer, -6);
    EXPECT_INT(p.end, sizeof program - 1);
    pickle_release(&p);
}

static void test_the_last_of_equal_keys_counts(void)
{
    struct pickle p;

    EXPECT_OK(decode(&p, BYTES("}(U\1aK\1U\1aK\2u.")));
    EXPECT_INT(pickle_find(p.root, "a")->integer, 2);
    EXPECT(pickle_find(p.root, "b") == NULL);
    pickle_release(&p);
}

/* --- what is rejected --- */

static void test_functions_are_rejected_by_name(void)
{
    expect_rejected(BYTES("cos\nsystem\n(U\x02lstR."),
                    "some.pkl: offset 0: the pickle uses os.system;");
    expect_rejected(BYTES("\x80\x04\x8c\x08"
                          "builtins\x8c\x04"
                          "eval\x93\x8c\x01"
                          "1\x85R."),
                    "offset 18: the pickle uses builtins.eval;");
    expect_rejected(BYTES("c\33[1m\nx\xff\n."), "the pickle uses ?[1m.x?;");
    expect_rejected(BYTES("cnumpy\nndarray\n)R."), "offset 16: the pickle calls a class");
    expect_rejected(BYTES("ctorch\nFloatStorage\n)R."), "calls a class that cannot be called");
    expect_rejected(BYTES("K\1)R."), "the pickle calls an integer with a tuple");
    expect_rejected(BYTES("K\1}b."), "the pickle sets the state of an integer");
    expect_rejected(BYTES("cnumpy\ndtype\n."), "a function or class is not called");
}

static void test_other_opcodes_are_rejected_by_name_and_offset(void)
{
    expect_rejected(BYTES("N(ios\nsystem\n."),
                    "some.pkl: offset 2: the opcode INST (0x69) is not supported");
    expect_rejected(BYTES("\x80\x04\x8f."), "offset 2: the opcode EMPTY_SET (0x8f)");
    expect_rejected(BYTES("\x80\x05\x97."), "offset 2: the opcode NEXT_BUFFER (0x97)");
    expect_rejected(BYTES("N\xff."), "offset 1: 0xff is not an opcode");
    expect_rejected(BYTES("\x80\x06N."), "the pickle has protocol 6; 0 to 5 are supported");
}

static void test_programs_that_do_not_fit_the_stack_are_rejected(void)
{
    expect_rejected(BYTES(""), "offset 0: the pickle is truncated");
    expect_rejected(BYTES("."), "takes a value from an empty stack");
    expect_rejected(BYTES("NN."), "ends with 1 values more than one");
    expect_rejected(BYTES("(N."), "ends with 1 values more than one");
    expect_rejected(BYTES("](a."), "takes a value from an empty stack");
    expect_rejected(BYTES("N]t."), "has no mark");
    expect_rejected(BYTES("NNa."), "adds to None as if it were a list");
    expect_rejected(BYTES("}(Nu."), "a key without a value");
    expect_rejected(BYTES("h\0."), "there is no memo entry 0");
    expect_rejected(BYTES("Nr\xff\xff\xff\xff."), "memo entry 4294967295 is beyond");
    expect_rejected(BYTES("Ix\n."), "must be a whole number");
    expect_rejected(BYTES("I9223372036854775808\n."), "at most 64 bits");
    expect_rejected(BYTES("S'a\n."), "a string must have quotes");
    expect_rejected(BYTES("S'\\q'\n."), "unknown escape");
    expect_rejected(BYTES("X\1\0\0\0\xff."), "not valid UTF-8");
    expect_rejected(BYTES("\x8e\xff\xff\xff\xff\xff\xff\xff\xff."), "the pickle is truncated");
    expect_rejected(BYTES("\x95\x05\0\0\0\0\0\0\0N."), "a frame has 5 bytes, and 2 are left");
}

#define DTYPE(name) "cnumpy\ndtype\n(U\2" name "tR"
#define BUFFER      "cnumpy.core.numeric\n_frombuffer\n"

static void test_arrays_that_do_not_fit_their_bytes_are_rejected(void)
{
    struct pickle p;

    EXPECT_OK(decode(&p, BYTES(BUFFER "(U\4abcd" DTYPE("i2") "K\2\x85U\1CtR.")));
    EXPECT_INT(p.root->array->count, 2);
    pickle_release(&p);
    expect_rejected(BYTES(BUFFER "(U\4abcd" DTYPE("i2") "K\3\x85U\1CtR."),
                    "an array of type i2 has 4 bytes, which do not fit its shape");
    expect_rejected(BYTES(BUFFER "(U\4abcd" DTYPE("i2") "J\xff\xff\xff\xff\x85U\1CtR."),
                    "not negative");
    expect_rejected(BYTES(BUFFER "(U\4abcd" DTYPE("i2") "K\2\x85U\1XtR."), "must be C, F or K");
    expect_rejected(BYTES(BUFFER "(U\4abcd" DTYPE("i2") "K\2\x85U\1KK\1\x85tR."),
                    "not a permutation");
    expect_rejected(BYTES(DTYPE("O8") "."), "arrays of type O8 are not supported");
    expect_rejected(BYTES(DTYPE("i2") "(K\3U\1<N]NtbN."), "arrays of records");
    expect_rejected(BYTES("cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\ntR."),
                    "the array has no contents");
}

#define STORAGE "(U\7storagectorch\nFloatStorage\nU\1kU\3cpuK\6tQ"
#define TENSOR  "ctorch._utils\n_rebuild_tensor_v2\n(" STORAGE

static void test_tensors_outside_of_their_storage_are_rejected(void)
{
    struct pickle p;

    EXPECT_OK(decode(&p, BYTES(TENSOR "K\1K\2\x85K\4\x85tR.")));
    EXPECT_INT(p.root->tensor->steps[0], 4);
    pickle_release(&p);
    expect_rejected(BYTES(TENSOR "K\2K\2\x85K\4\x85tR."), "do not fit its storage of 6 elements");
    expect_rejected(BYTES(TENSOR "K\1K\2\x85)tR."), "do not fit its storage");
    expect_rejected(BYTES(TENSOR "K\0\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f\x85K\4\x85tR."),
                    "do not fit its storage");
    expect_rejected(BYTES("(U\7storageK\1U\1kU\3cpuK\6tQ."), "argument 2 is an integer");
    expect_rejected(BYTES("NQ."), "a persistent id must be that of a storage");
}

/* --- bombs --- */

/* Every tuple has the one before it twice. */
static void test_values_that_double_again_and_again_are_rejected(void)
{
    struct text program = {0};

    text_add(&program, "Np0\n");
    for (int i = 0; i < 60; i++)
        text_addf(&program, "g%d\n\x86p%d\n", i, i + 1);
    text_add(&program, ".");
    expect_rejected(program.data, program.length, "contains others again and again");
    text_release(&program);
}

static void test_values_that_nest_deeply_or_contain_themselves_are_rejected(void)
{
    struct text program = {0};
    struct pickle p;

    text_add(&program, ")");
    for (int i = 0; i < PICKLE_DEPTH_MAX - 1; i++)
        text_add(&program, "\x85");
    text_add(&program, ".");
    if (EXPECT_OK(decode(&p, program.data, program.length)))
        pickle_release(&p);
    program.data[program.length - 1] = '\x85';
    text_add(&program, ".");
    expect_rejected(program.data, program.length, "nest more than 100 deep");
    expect_rejected(BYTES("]q\0h\0a."), "values contain themselves");
    expect_rejected(BYTES("}q\0K\1h\0\x85s."), "values contain themselves");
    text_release(&program);
}

/* One text of 100 kB, decoded to bytes a thousand times. */
static void test_memory_is_limited_by_the_size_of_the_file(void)
{
    enum { LENGTH = 100000 };
    struct text program = {0};
    const uint32_t length = LENGTH;
    uint8_t prefix[] = {'X', 0, 0, 0, 0};

    memcpy(prefix + 1, &length, 4);
    text_add_n(&program, (const char *)prefix, sizeof prefix);
    for (int i = 0; i < LENGTH; i++)
        text_add(&program, "a");
    text_add(&program, "p0\nVlatin1\np1\nc_codecs\nencode\np2\n");
    for (int i = 0; i < 1000; i++)
        text_add(&program, "g2\ng0\ng1\n\x86R");
    text_add(&program, "t.");
    expect_rejected(program.data, program.length, "the pickle needs more than 160 times");
    text_release(&program);
}

/* --- damage --- */

static enum status read_one(const char *name, const uint8_t *file, size_t bytes)
{
    struct pickle p;
    const enum status s =
        pickle_decode(&p, &(struct pickle_source){.name = name, .file = file, .bytes = bytes});

    pickle_release(&p);
    return s;
}

static void test_no_damage_makes_the_reader_crash(void)
{
    static const char *const files[] = {"python2_numpy1_images2.pkl", "python3_numpy1_images2.pkl",
                                        "python3_numpy2_images4.pkl", "by_hand_binary.pkl",
                                        "by_hand_lines.pkl",          "torch_data.pkl"};

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct text file = {0};
        struct pickle p;

        read_golden(&file, &p, files[i]);
        pickle_release(&p);
        EXPECT_INT(damage_cut(read_one, (const uint8_t *)file.data, file.length), 0);
        const int64_t accepted =
            damage_bytes(read_one, (const uint8_t *)file.data, file.length, file.length);
        EXPECT(accepted > 0 && accepted < 255 * (int64_t)file.length);
        text_release(&file);
    }
}

TEST_MAIN(TEST(test_pixels_stay_in_the_file_where_it_has_them_as_they_are),
          TEST(test_labels_are_integers_from_lists_and_arrays),
          TEST(test_a_missing_entry_and_one_of_another_kind_are_named),
          TEST(test_pickles_may_follow_each_other), TEST(test_the_last_of_equal_keys_counts),
          TEST(test_functions_are_rejected_by_name),
          TEST(test_other_opcodes_are_rejected_by_name_and_offset),
          TEST(test_programs_that_do_not_fit_the_stack_are_rejected),
          TEST(test_arrays_that_do_not_fit_their_bytes_are_rejected),
          TEST(test_tensors_outside_of_their_storage_are_rejected),
          TEST(test_values_that_double_again_and_again_are_rejected),
          TEST(test_values_that_nest_deeply_or_contain_themselves_are_rejected),
          TEST(test_memory_is_limited_by_the_size_of_the_file),
          TEST(test_no_damage_makes_the_reader_crash))
