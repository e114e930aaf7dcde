# muster_module(NAME SOURCES a.c b.c USES base conf LIBRARIES PkgConfig::X)
#
# One folder of src/ as a static library. USES are the folders whose headers it may include;
# tools/check_layers.py holds the folders to the table in ARCHITECTURE.md.
function(muster_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;LIBRARIES" ${ARGN})
  add_library(muster_${name} STATIC ${ARG_SOURCES})
  target_include_directories(muster_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(muster_${name} PRIVATE muster_flags)
  list(TRANSFORM ARG_USES PREPEND muster_)
  target_link_libraries(muster_${name} PUBLIC ${ARG_USES} ${ARG_LIBRARIES})
  set_property(GLOBAL APPEND PROPERTY MUSTER_MODULES muster_${name})
endfunction()
