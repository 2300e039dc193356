# Precompiled headers for the whole tree, for builds that nobody repeats, such as those of CI: what most files include is then read
# once. Builds without them still prove that every file includes what it uses.
set(GPUSIM_COMMON_HEADERS
  <algorithm> <array> <chrono> <cstdint> <functional> <map> <memory> <optional> <random> <span> <string> <string_view>
  <thread> <utility> <variant> <vector> <grpcpp/grpcpp.h>
  <gpusim/v1/camel_up.grpc.pb.h> <gpusim/v1/life.grpc.pb.h> <gpusim/v1/server.grpc.pb.h>)

# gpusim_targets_below(DIRECTORY RESULT)
function(gpusim_targets_below directory result)
  get_property(targets DIRECTORY ${directory} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(below DIRECTORY ${directory} PROPERTY SUBDIRECTORIES)
  foreach(subdirectory IN LISTS below)
    gpusim_targets_below(${subdirectory} more)
    list(APPEND targets ${more})
  endforeach()
  set(${result} ${targets} PARENT_SCOPE)
endfunction()

# A header is good for files that are compiled with the same flags: libraries have one, and test programs, which
# GoogleTest's flags reach, have another.
function(gpusim_precompile_headers)
  gpusim_targets_below(${PROJECT_SOURCE_DIR} targets)
  list(REMOVE_ITEM targets gpusim_proto)  # of which the headers are made

  file(WRITE ${PROJECT_BINARY_DIR}/precompiled.cc "int main() { return 0; }\n")
  add_library(gpusim_precompiled STATIC ${PROJECT_BINARY_DIR}/precompiled.cc)
  target_link_libraries(gpusim_precompiled PRIVATE gpusim::proto gRPC::grpc++)
  target_precompile_headers(gpusim_precompiled PRIVATE ${GPUSIM_COMMON_HEADERS})
  if(GPUSIM_TESTS)
    find_package(GTest REQUIRED)
    add_executable(gpusim_precompiled_tests ${PROJECT_BINARY_DIR}/precompiled.cc)
    target_link_libraries(gpusim_precompiled_tests PRIVATE gpusim::proto gRPC::grpc++ GTest::gtest GTest::gmock)
    target_precompile_headers(gpusim_precompiled_tests PRIVATE ${GPUSIM_COMMON_HEADERS} <gmock/gmock.h>)
  endif()

  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(libraries ${target} LINK_LIBRARIES)
    if(type STREQUAL EXECUTABLE AND "GTest::gtest" IN_LIST libraries)
      target_precompile_headers(${target} REUSE_FROM gpusim_precompiled_tests)
    elseif(type STREQUAL STATIC_LIBRARY AND NOT "GTest::gtest" IN_LIST libraries)
      target_precompile_headers(${target} REUSE_FROM gpusim_precompiled)
    endif()
  endforeach()
endfunction()
