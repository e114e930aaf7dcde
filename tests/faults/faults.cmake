# Faults at chosen places of short runs: a spread of all cases (README.md beside this file has the commands for all).
# The sanitizers bring their own malloc and are slow: with them the tools are run by hand.
if(MUSTER_SANITIZE)
  return()
endif()
add_library(fail_allocation MODULE faults/fail_allocation.c)
target_compile_options(fail_allocation PRIVATE -Wall -Wextra -Wpedantic -std=gnu11)
target_link_libraries(fail_allocation PRIVATE ${CMAKE_DL_LIBS})

function(muster_fault_test name)
  muster_test(faults_${name} LABEL faults
    COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/faults/${name}.py --jobs 2 ${PROJECT_BINARY_DIR}/muster ${ARGN})
  set_tests_properties(faults_${name} PROPERTIES SKIP_RETURN_CODE 77 PROCESSORS 2)
endfunction()

muster_fault_test(system_calls)
muster_fault_test(signals)
muster_fault_test(damaged_files)
muster_fault_test(allocations $<TARGET_FILE:fail_allocation>)
