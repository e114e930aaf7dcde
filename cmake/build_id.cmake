# cmake -DHEADERS=... -DBUILD=... -DFOLDER=... -DOUT=... -P build_id.cmake: writes comm/build_id.h.
set(all "")
foreach(header ${HEADERS})
  file(SHA256 ${header} hash)
  string(APPEND all ${hash})
endforeach()
string(SHA256 hash "${all}")
string(SUBSTRING ${hash} 0 12 hash)
file(WRITE ${OUT}
  "/* build_id.h - made by cmake/build_id.cmake. */\n"
  "#define MUSTER_BUILD_ID \"${BUILD}-${hash}\"\n"
  "/* From the folder of the program. */\n"
  "#define MUSTER_MODULE_FOLDER \"${FOLDER}\"\n")
