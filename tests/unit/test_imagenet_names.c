/*
 * test_imagenet_names.c - names of ImageNet's classes: which file has them, in which order, and
 * what is wrong with damaged ones.
 */
#include "data/class_dict.h"
#include "data/imagenet_names.h"
#include "test.h"
#include "unit/data_files.h"

static char *folder, *inner;

static void write_folder(void)
{
    folder = files_folder();
    files_write(folder, "inner/nothing", "", 0);
    inner = file_join(folder, "inner");
}

static void remove_folder(void)
{
    mem_free(inner);
    files_remove(folder);
}

static void write_text(const char *name, const char *text)
{
    files_write(folder, name, text, strlen(text));
}

/* A dict of 1000 names "class of KEY", in descending order. */
static void write_dict(const char *name)
{
    struct text out = {0};

    for (int k = IMAGENET_CLASSES - 1; k >= 0; k--)
        text_addf(&out, "%s%d: %s%d%s", k == 999 ? "{" : ",\n ", k,
                  k % 2 ? "'class of " : "\"class of ", k, k % 2 ? "'" : "\"");
    text_add(&out, "}\n");
    write_text(name, text_get(&out));
    text_release(&out);
}

static void expect_names(int64_t classes, const char *first, const char *second)
{
    char **names = MEM_NEW_N(char *, classes);

    if (EXPECT_OK(imagenet_names_read(inner, names, classes))) {
        EXPECT_TEXT(names[0], first);
        EXPECT_TEXT(names[1], second);
    }
    for (int64_t k = 0; k < classes; k++)
        mem_free(names[k]);
    mem_free(names);
}

static void test_the_order_of_the_labels_has_every_class_once(void)
{
    int seen[IMAGENET_CLASSES] = {0};

    for (int k = 0; k < IMAGENET_CLASSES; k++)
        if (EXPECT(imagenet_order[k] >= 0 && imagenet_order[k] < IMAGENET_CLASSES))
            EXPECT_INT(seen[imagenet_order[k]]++, 0);
}

/* The first lines of map_clsloc.txt, and the numbers of these names in the other file. */
static void test_the_first_labels_are_kit_fox_english_setter_and_siberian_husky(void)
{
    EXPECT_INT(imagenet_order[0], 278);
    EXPECT_INT(imagenet_order[1], 212);
    EXPECT_INT(imagenet_order[2], 250);
}

static void
test_names_come_from_the_map_before_the_dict_and_from_the_folder_before_the_one_above(void)
{
    expect_names(1000, "1", "2");
    write_dict("imagenet1000_clsidx_to_labels.txt");
    expect_names(1000, "class of 278", "class of 212");
    expect_names(2, "class of 278", "class of 212");
    write_text("map_clsloc.txt", "n02100735 2 English_setter\r\nn02119789 1 kit_fox");
    expect_names(1000, "kit_fox", "English_setter");
    write_dict("inner/imagenet1000_clsidx_to_labels.txt");
    expect_names(2, "kit_fox", "English_setter");
    write_text("inner/map_clsloc.txt", "n02100735 2 setter\nn3 1000 other\n");
    expect_names(2, "1", "setter");
}

/* What CPython reads of such a text is in the second column. */
static void test_strings_are_those_of_python(void)
{
    static const char *const texts[][2] = {
        {"{0: 'tench, Tinca tinca', 1: 'x'}",     "tench, Tinca tinca"},
        {"{1:\"x\",0:\"judge's robe\",}",         "judge's robe"      },
        {" {\n 0 :\t'a \"b\" c' ,\n 1: 'x' } \n", "a \"b\" c"         },
        {"{0: 'it\\'s \\\\ \\t\\n', 1: 'x'}",     "it's \\ \t\n"      },
        {"{00: 'caf\xc3\xa9', 1: 'x'}",           "caf\xc3\xa9"       },
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char *names[2], *path = file_join(folder, "dict");

        write_text("dict", texts[i][0]);
        if (EXPECT_OK(class_dict_read(path, names, 2))) {
            EXPECT_TEXT(names[0], texts[i][1]);
            EXPECT_TEXT(names[1], "x");
        }
        mem_free(names[0]);
        mem_free(names[1]);
        mem_free(path);
    }
}

static void test_what_is_wrong_with_a_dict_is_named_with_its_place(void)
{
    static const char *const texts[][2] = {
        {"",                            "dict:1:1: expected {"                          },
        {"[0: 'a']",                    "dict:1:1: expected {"                          },
        {"{0: 'a'",                     "dict:1:8: expected , or } after a name"        },
        {"{0: 'a',\n 1: 'b",            "dict:2:5: the name has no closing quote"       },
        {"{0: 'a\n', 1: 'b'}",          "dict:1:5: the name has no closing quote"       },
        {"{0: 'a',\n 0: 'b'}",          "dict:2:2: class 0 is there for the second time"},
        {"{0: 'a',\n 2: 'b'}",          "dict:2:2: class numbers must be below 2"       },
        {"{99999999999999999999: 'b'}", "dict:1:2: class numbers must be below 2"       },
        {"{-1: 'b'}",                   "dict:1:2: expected the number of a class"      },
        {"{0: 'a' 1: 'b'}",             "dict:1:9: expected , or } after a name"        },
        {"{0 'a'}",                     "dict:1:4: expected : after the number"         },
        {"{0: a}",                      "dict:1:5: expected a name in quotes"           },
        {"{0: ''}",                     "dict:1:5: the name is empty"                   },
        {"{0: '\\x41'}",                "dict:1:6: unknown escape"                      },
        {"{0: '\\",                     "dict:1:6: unknown escape"                      },
        {"{0: '\xff'}",                 "dict:1:5: the name is not UTF-8"               },
        {"{0: 'a'}",                    "dict:1:9: class 1 is missing"                  },
        {"{0: 'a', 1: 'b'} x",          "dict:1:18: expected nothing after the last }"  },
    };
    char *path = file_join(folder, "dict"), *names[2];

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        write_text("dict", texts[i][0]);
        EXPECT_FAILS(class_dict_read(path, names, 2), STATUS_BAD_INPUT, texts[i][1]);
        EXPECT(names[0] == NULL && names[1] == NULL);
    }
    files_write(folder, "dict", "{0: 'a\0', 1: 'b'}", 18);
    EXPECT_FAILS(class_dict_read(path, names, 2), STATUS_BAD_INPUT, "dict:1:7: has a byte 0");
    files_write(folder, "dict", "{0: 'a', 1: 'b'}\0", 17);
    EXPECT_FAILS(class_dict_read(path, names, 2), STATUS_BAD_INPUT, "dict:1:17: has a byte 0");
    mem_free(path);
}

TEST_MAIN(
    TEST(write_folder), TEST(test_the_order_of_the_labels_has_every_class_once),
    TEST(test_the_first_labels_are_kit_fox_english_setter_and_siberian_husky),
    TEST(test_names_come_from_the_map_before_the_dict_and_from_the_folder_before_the_one_above),
    TEST(test_strings_are_those_of_python),
    TEST(test_what_is_wrong_with_a_dict_is_named_with_its_place), TEST(remove_folder))
