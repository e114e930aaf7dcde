#!/usr/bin/env python3
"""check_banned.py [ROOT] - calls and headers that have one place in src/, used elsewhere.

Tests are not held to it. A member (x->free(...)) is not a call of the C library's free.
"""

import re
import sys

import sources

BASE, SHOWS = ("src/base/",), ("src/cli/", "src/report/")

# (names, where they may be called, what to use instead)
CALLS = [
    ("malloc calloc realloc free aligned_alloc posix_memalign", BASE, "mem_* of base/mem.h"),
    ("strdup strndup asprintf vasprintf", BASE, "mem_text or text_format"),
    ("sprintf vsprintf strcpy strcat gets", (), "struct text or snprintf"),
    ("strtok alloca system", (), "something else"),
    ("setjmp longjmp", ("src/format/png.c",), "a status that is returned"),
    ("atoi atol atoll atof strtol strtoll strtoul strtoull strtof strtod strtold sscanf", BASE,
     "text_to_int or text_to_double"),
    ("rand srand random srandom rand_r drand48 lrand48", (), "rng_* of base/rng.h"),
    ("time clock gettimeofday clock_gettime", BASE, "base/clock.h or the transport's time"),
    ("exit _exit _Exit quick_exit", BASE, "a status that is returned to main"),
    ("getenv secure_getenv", BASE, "env_find"),
    ("printf vprintf puts putchar", SHOWS, "log_* of base/log.h; results are shown by cli/"),
]

# (names, where they may not be called, what to use instead). Workers on hosts with other C libraries
# must come to the same bits.
NOT_THERE = [
    ("exp exp2 expm1 log log2 log10 log1p pow cbrt hypot sin cos tan asin acos atan atan2 sinh cosh "
     "tanh tgamma lgamma erf", ("src/optim/", "src/algo/"), "base/portable_math.h"),
]

# (pattern of the header, where it may be included, or where it may not)
HEADERS = [
    (r"mpi\.h", ("src/comm/mpi/",), ()),
    (r"simgrid(/.*|\.h)|smpi/.*|xbt.*", ("src/comm/sim/",), ()),
    (r"libfyaml\.h", ("src/conf/yaml.c",), ()),
    (r"png\.h", ("src/format/",), ()),
    (r"turbojpeg\.h", ("src/format/jpeg.c",), ()),
    (r"\w*intrin\.h|arm_neon\.h", ("src/kernel/simd/",), ()),
    (r"math\.h|tgmath\.h", ("src/",), ("src/kernel/simd/",)),
]

# sse2 is the portable code: what it has for itself, no other processor's tests would ever see.
MACROS = [(r"__SSE\w*__|__MMX__", "sse2 is the portable code and has none of its own")]


def _begins(name, places):
    return any(name.startswith(place) for place in places)


def banned_calls(name):
    """(names, what to use instead) for a file."""
    for names, allowed, instead in CALLS:
        if not _begins(name, allowed):
            yield names, instead
    for names, forbidden, instead in NOT_THERE:
        if _begins(name, forbidden):
            # the functions for floats and long doubles too
            yield " ".join(f"{n}[fl]?" for n in names.split()), instead


def check_calls(name, code):
    for names, instead in banned_calls(name):
        pattern = r"(?<![\w.])(?<!->)(" + names.replace(" ", "|") + r")\s*\("
        for match in re.finditer(pattern, code):
            line = sources.line_of(code, match.start())
            yield line, f"{match.group(1)} is not for this folder; use {instead}"
    if not _begins(name, SHOWS):
        for match in re.finditer(r"(?<![\w.])(?<!->)stdout\b", code):
            yield sources.line_of(code, match.start()), "stdout belongs to cli/ and report/"


def check_headers(name, text):
    for line, header, _ in sources.includes(text):
        for pattern, allowed, forbidden in HEADERS:
            if not re.fullmatch(pattern, header):
                continue
            if not _begins(name, allowed):
                yield line, f"{header} is only for {', '.join(allowed)}"
            elif _begins(name, forbidden):
                yield line, f"{header} is not for {', '.join(forbidden)}"


def check_macros(code):
    for pattern, message in MACROS:
        for match in re.finditer(pattern, code):
            yield sources.line_of(code, match.start()), f"{match.group()}: {message}"


def check(root):
    problems = []
    for path, name in sources.files(root, "src"):
        text = path.read_text()
        code = sources.code(text)
        found = [*check_calls(name, code), *check_headers(name, text), *check_macros(code)]
        problems += [f"{name}:{line}: {message}" for line, message in sorted(found)]
    return problems


if __name__ == "__main__":
    sources.finish(check(sys.argv[1] if len(sys.argv) > 1 else "."))
