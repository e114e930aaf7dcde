# The flags of every object: warnings that find real bugs, and arithmetic that repeats to the bit.
add_library(muster_flags INTERFACE)

target_compile_definitions(muster_flags INTERFACE _GNU_SOURCE)
target_compile_options(muster_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wdouble-promotion
  -Wvla -Wundef -Wmissing-prototypes -Wstrict-prototypes -Wold-style-definition -Wwrite-strings
  -Wcast-qual -Wpointer-arith -Wformat=2 -Wimplicit-fallthrough -Wswitch-enum -fno-common
  -fno-math-errno -ffp-contract=off)
# Messages name files as they are called in the repository, wherever that is.
target_compile_options(muster_flags INTERFACE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  target_compile_options(muster_flags INTERFACE
    -Wlogical-op -Wduplicated-cond -Wduplicated-branches)
else()
  target_compile_options(muster_flags INTERFACE -Wcomma -Wmissing-variable-declarations)
endif()
if(NOT MUSTER_SANITIZE) # red zones around variables make frames larger
  target_compile_options(muster_flags INTERFACE -Wframe-larger-than=16384)
endif()
if(MUSTER_WERROR)
  target_compile_options(muster_flags INTERFACE -Werror)
endif()
if(MUSTER_FUZZ)
  # Counts of what ran guide libFuzzer; the fuzz targets alone get its main().
  target_compile_options(muster_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(MUSTER_SANITIZE)
  target_compile_options(muster_flags INTERFACE
    -fsanitize=${MUSTER_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(muster_flags INTERFACE -fsanitize=${MUSTER_SANITIZE})
endif()
