# cmake -DNM= -DLIBRARY= -DNAMESPACE= -DOUTPUT= -P tidewatt_exports.cmake: the version script of the shared library from the symbols of
# the static one. Names in full win over patterns.
string(LENGTH ${NAMESPACE} length)
set(symbol "8tidewatt${length}${NAMESPACE}")
set(shown "")
foreach(prefix _ZN _ZNK _ZTIN _ZTSN _ZTVN)
  string(APPEND shown "${prefix}${symbol}*; ")
endforeach()
execute_process(COMMAND ${NM} --defined-only --format=posix ${LIBRARY} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^ \n]+ i " found "${symbols}")  # functions of several instruction sets
set(hidden "")
foreach(name ${found})
  string(REPLACE " i " "" name "${name}")
  string(APPEND hidden "${name}; ${name}.resolver; ")
endforeach()
file(WRITE ${OUTPUT} "{ global: ${shown}local: ${hidden}*; };\n")
