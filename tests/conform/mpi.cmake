# The tests of transports and of algorithms again under mpirun, and how a run over mpi ends. The programs
# stand beside the module that they open.
add_executable(mpi_ends conform/mpi_ends.c)
target_link_libraries(mpi_ends PRIVATE muster_flags ${modules})

set(over_mpi test_transports test_transport_sums test_transport_time test_transport_each test_transport_shared
  test_transport_trace test_transport_kinds test_transport_tickets)
set_target_properties(${over_mpi} mpi_ends test_world test_algorithms PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})

function(muster_mpi_test name)
  muster_test(${name} LABEL mpi COMMAND bash ${ARGN})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120 PROCESSORS 2)
endfunction()

foreach(program ${over_mpi})
  foreach(processes 1 2 3 5)
    muster_mpi_test(${program}_mpi${processes}
      ${CMAKE_CURRENT_SOURCE_DIR}/conform/under_mpirun.sh ${processes} $<TARGET_FILE:${program}>)
  endforeach()
endforeach()
# Several workers in a process: 5 in 2, and 8 in 3.
foreach(program ${over_mpi})
  foreach(several "2;5" "3;8")
    list(GET several 0 processes)
    list(GET several 1 workers)
    muster_mpi_test(${program}_mpi${processes}_workers${workers}
      ${CMAKE_CURRENT_SOURCE_DIR}/conform/under_mpirun.sh ${processes} $<TARGET_FILE:${program}>)
    set_tests_properties(${program}_mpi${processes}_workers${workers} PROPERTIES ENVIRONMENT WORKERS=${workers})
  endforeach()
endforeach()
# A sanitized build has judged the algorithms on threads.
set(algorithm_processes 1)
if(NOT MUSTER_SANITIZE)
  list(APPEND algorithm_processes 3)
endif()
foreach(processes ${algorithm_processes})
  muster_mpi_test(test_algorithms_mpi${processes}
    ${CMAKE_CURRENT_SOURCE_DIR}/conform/under_mpirun.sh ${processes} $<TARGET_FILE:test_algorithms>)
  set_tests_properties(test_algorithms_mpi${processes} PROPERTIES TIMEOUT 300)
endforeach()
foreach(program test_transports test_transport_sums)
  muster_mpi_test(${program}_hosts
    ${CMAKE_CURRENT_SOURCE_DIR}/conform/under_mpirun.sh 3 $<TARGET_FILE:${program}>)
  set_tests_properties(${program}_hosts PROPERTIES ENVIRONMENT HOSTS=first,second)
  muster_mpi_test(${program}_hosts_workers5
    ${CMAKE_CURRENT_SOURCE_DIR}/conform/under_mpirun.sh 3 $<TARGET_FILE:${program}>)
  set_tests_properties(${program}_hosts_workers5 PROPERTIES ENVIRONMENT "HOSTS=first,second;WORKERS=5")
endforeach()
muster_mpi_test(mpi_ends ${CMAKE_CURRENT_SOURCE_DIR}/conform/mpi_ends.sh $<TARGET_FILE:mpi_ends>)
