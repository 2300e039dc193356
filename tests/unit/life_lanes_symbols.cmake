# The linker keeps one copy of an inline function that several objects have. If that were the copy of an object compiled for
# AVX-512, other processors would meet instructions that they do not know. So the objects of the instruction sets
# may not have any: nothing weak.
#
#   cmake -DNM=nm -DOBJECTS=a.o;b.o;... -P life_lanes_symbols.cmake
set(checked 0)
foreach(object IN LISTS OBJECTS)
  if(NOT object MATCHES "life_lanes_[a-z0-9]+\\.cc")
    continue()
  endif()
  execute_process(COMMAND ${NM} ${object} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  if(symbols MATCHES "[0-9a-f]+ [WVu] (_Z[^\n]*)")
    message(FATAL_ERROR "${object} shares ${CMAKE_MATCH_1}")
  endif()
  math(EXPR checked "${checked} + 1")
endforeach()
if(checked EQUAL 0)
  message(FATAL_ERROR "no object of an instruction set among ${OBJECTS}")
endif()
