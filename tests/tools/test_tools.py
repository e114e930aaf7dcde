#!/usr/bin/env python3
"""The checkers of tools/ find planted violations, and let the same thing pass where it is right."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"
STYLE = TOOLS.parent / ".clang-format"


class Tree(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        (self.root / "src").mkdir()
        (self.root / "tests").mkdir()

    def plant(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_tool(self, tool):
        command = [] if tool.endswith(".sh") else [sys.executable]
        done = subprocess.run(
            [*command, TOOLS / tool, self.root],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout

    def passes(self, tool):
        self.assertEqual(self.run_tool(tool), (0, ""))

    def finds(self, tool, *parts):
        code, said = self.run_tool(tool)
        self.assertEqual(code, 1, said)
        for part in parts:
            self.assertIn(part, said)
        return said


class Layers(Tree):
    def test_a_row_of_the_table_passes(self):
        self.plant("src/nn/a.c", '#include "nn/a.h"\n#include <zlib.h>\n#include "kernel/b.h"\n')
        self.plant("tests/unit/a.c", '#include "child.h"\n#include "train/x.h"\n')
        self.passes("check_layers.py")

    def test_an_include_upwards_is_found_with_its_line(self):
        self.plant("src/base/a.c", '#include "base/a.h"\n#include "conf/b.h"\n')
        self.finds("check_layers.py", 'src/base/a.c:2: base may not include "conf/b.h"')

    def test_an_include_sideways_is_found(self):
        self.plant("src/optim/deep/a.c", '#  include "nn/b.h"\n')
        self.finds("check_layers.py", "src/optim/deep/a.c:1:")

    def test_an_include_in_a_comment_is_none(self):
        self.plant("src/base/a.c", '/*\n#include "conf/b.h"\n*/\n')
        self.passes("check_layers.py")

    def test_an_include_without_folder_and_an_unknown_folder_are_found(self):
        self.plant("src/nn/a.c", '#include "b.h"\n')
        self.plant("src/misc/a.c", "\n")
        self.finds("check_layers.py", "src/nn/a.c:1:", "src/misc/a.c:1:")

    def test_a_tree_without_sources_does_not_pass(self):
        (self.root / "src").rmdir()
        self.finds("check_layers.py", "is no folder")


class Sizes(Tree):
    @staticmethod
    def function(lines):
        return "static int long_one(int x,\n                    int y)\n{\n" + "    x++;\n" * lines + "}\n"

    def test_sizes_at_the_limit_pass(self):
        self.plant("src/base/a.c", self.function(60) + "\n" * (500 - 64))
        self.passes("check_sizes.py")

    def test_a_function_beyond_the_limit_is_found_by_name(self):
        self.plant("src/base/a.c", "int b(void);\n\n" + self.function(61))
        self.finds("check_sizes.py", "src/base/a.c:5: long_one has 61 lines")

    def test_a_file_beyond_the_limit_is_found(self):
        self.plant("tests/unit/a.c", "\n" * 501)
        self.finds("check_sizes.py", "tests/unit/a.c:501: 501 lines")

    def test_per_isa_kernels_are_exempt(self):
        self.plant("src/kernel/simd/a.c", self.function(600))
        self.passes("check_sizes.py")


class Names(Tree):
    HEADER = "void graph_free(void);\nvoid tree_walk(void);\n"

    @staticmethod
    def define(*functions):
        return "".join(f"void {f}(void)\n{{\n}}\n" for f in functions)

    def test_functions_in_the_file_of_their_prefix_pass(self):
        self.plant("src/base/graph.h", self.HEADER)
        self.plant("src/base/graph.c", self.define("graph_free"))
        self.plant("src/base/tree_show.c", self.define("tree_walk"))
        self.passes("check_names.py")

    def test_a_folder_of_misplaced_functions_is_found(self):
        self.plant("src/base/graph.h", self.HEADER)
        self.plant("src/base/graph.c", self.define("graph_free", "tree_walk"))
        self.finds("check_names.py", "src/base: 50 %")

    def test_static_functions_may_be_called_anything(self):
        self.plant("src/base/graph.h", "void walk(void);\n")
        self.plant("src/base/graph.c", "static void walk(void)\n{\n}\n")
        self.passes("check_names.py")

    def test_a_replaced_word_is_found_in_names_and_comments(self):
        self.plant("src/base/a.c", "int worker_tally;\n\n/* Of an actor. */\nint factor, exacting;\n")
        said = self.finds("check_names.py", "src/base/a.c:1: tally", "src/base/a.c:3: actor")
        self.assertEqual(len(said.splitlines()), 2)


class Words(Tree):
    def test_old_words_are_found_in_prose_strings_and_comments_of_experiments(self):
        self.plant("README.md", "It goes on with the run.\n\n    it is told here\n\nand `anew` there\n")
        self.plant("docs/howto/a.md", "Nobody waits.\n")
        self.plant("experiments/a.yaml", "name: anew # begins anew\n")
        self.plant("src/base/a.c", '/* whom */ const char *a = "is refused", *b = "go on";\n')
        said = self.finds("check_words.py", 'README.md:1: "goes on with"', 'docs/howto/a.md:1: "Nobody"',
                          'experiments/a.yaml:1: "anew"', 'src/base/a.c:1: "is refused"')
        self.assertEqual(len(said.splitlines()), 4)

    def test_lines_of_prose_are_short_without_their_links(self):
        self.plant("src/base/a.c", "")
        self.plant("README.md", "word " * 21 + "\n| " + "word " * 30 + "|\n")
        self.finds("check_words.py", "README.md:1: 105 characters")
        self.plant("README.md", "[word](" + "a" * 100 + ".md)\n")
        self.passes("check_words.py")


class Banned(Tree):
    def test_each_call_is_found_outside_its_place(self):
        calls = (
            "malloc calloc realloc free sprintf vsprintf strcpy strcat strtok atoi atof strtol rand"
            " time exit getenv printf puts strdup setjmp"
        ).split()
        self.plant("src/nn/a.c", "".join(f"    x = {call}(y);\n" for call in calls))
        said = self.finds("check_banned.py")
        for number, call in enumerate(calls, 1):
            self.assertIn(f"src/nn/a.c:{number}: {call} ", said)
        self.assertEqual(len(said.splitlines()), len(calls))

    def test_each_call_passes_in_its_place(self):
        self.plant("src/base/mem.c", "void f(void)\n{\n    free(malloc(3));\n    getenv(x);\n}\n")
        self.plant("src/cli/a.c", 'int f(void)\n{\n    printf("x");\n    fflush(stdout);\n}\n')
        self.passes("check_banned.py")

    def test_functions_of_libm_are_found_where_workers_must_agree(self):
        text = "x = cos(y);\nx = powf(y, z);\nx = sqrt(y) + portable_pow(y, z) + t->log(y);\n"
        for folder in ("optim/schedules", "algo/methods"):
            self.plant(f"src/{folder}/a.c", text)
            said = self.finds("check_banned.py", f"src/{folder}/a.c:1: cos ",
                              f"src/{folder}/a.c:2: powf ", "portable_math.h")
            self.assertEqual(len(said.splitlines()), 2)
            self.plant(f"src/{folder}/a.c", "")
        self.plant("src/graph/a.c", text)
        self.passes("check_banned.py")

    def test_stdout_outside_cli_is_found(self):
        self.plant("src/train/a.c", "\nfputs(x, stdout);\n")
        self.finds("check_banned.py", "src/train/a.c:2: stdout")

    def test_even_base_may_not_print_results_or_copy_without_bounds(self):
        self.plant("src/base/a.c", 'printf("x");\nstrcpy(a, b);\n')
        self.finds("check_banned.py", "src/base/a.c:1: printf", "src/base/a.c:2: strcpy")

    def test_comments_strings_members_and_longer_names_are_no_calls(self):
        self.plant(
            "src/nn/a.c",
            "/* free(x) */\n// exit(1)\ng(\"malloc(1) \\\" rand()\");\nt->ops->free(t);\n"
            "a.time(x);\nmem_free(x);\nmy_printf(x);\nvoid (*free)(struct a *);\nfree_all(x);\n",
        )
        self.passes("check_banned.py")

    def test_headers_are_found_outside_their_place(self):
        for header in ("mpi.h", "simgrid/actor.h", "libfyaml.h", "png.h", "immintrin.h"):
            self.plant("src/train/a.c", f"\n#include <{header}>\n")
            self.finds("check_banned.py", f"src/train/a.c:2: {header} is only for")
        self.plant("src/kernel/simd/b.c", "#include <math.h>\n")
        self.finds("check_banned.py", "src/kernel/simd/b.c:1: math.h is not for")

    def test_headers_pass_in_their_place(self):
        self.plant("src/comm/mpi/a.c", "#include <mpi.h>\n#include <math.h>\n")
        self.plant("src/comm/sim/a.c", "#include <simgrid/actor.h>\n")
        self.plant("src/conf/yaml.c", "#include <libfyaml.h>\n")
        self.plant("src/format/png.c", "#include <png.h>\nsetjmp(x);\n")
        self.plant("src/kernel/simd/a.c", "#include <immintrin.h>\n")
        self.passes("check_banned.py")

    def test_code_for_sse2_alone_is_found(self):
        self.plant("src/kernel/simd/a.c", "#ifdef __AVX2__\n#elif defined(__SSE2__)\n#endif\n")
        said = self.finds("check_banned.py", "src/kernel/simd/a.c:2: __SSE2__")
        self.assertEqual(len(said.splitlines()), 1)


@unittest.skipUnless(shutil.which("clang-format"), "clang-format is not installed")
class Format(Tree):
    def setUp(self):
        super().setUp()
        shutil.copy(STYLE, self.root / ".clang-format")

    def test_formatted_files_pass(self):
        self.plant("src/base/a.c", "int f(void)\n{\n    return 1;\n}\n")
        self.passes("check_format.sh")

    def test_an_unformatted_file_is_found(self):
        self.plant("tests/unit/a.c", "int f(void) {\n  return 1;\n}\n")
        self.finds("check_format.sh", "a.c:1:")


if __name__ == "__main__":
    unittest.main()
