# The prepared ns-3 tree as one imported target, mixnet::ns3: libraries, headers and the definitions
# that the libraries were compiled with. Also sets mixnet_run and mixnet_ccache.

file(REAL_PATH "${MIXNET_NS3_DIR}" mixnet_tree)
file(GLOB mixnet_lock "${mixnet_tree}/.lock-ns3_*_build")
if(NOT mixnet_lock)
  message(FATAL_ERROR "no prepared ns-3 tree in ${MIXNET_NS3_DIR}: run ./mixnet setup once")
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${mixnet_lock}")
file(READ "${mixnet_lock}" lock_text)
file(STRINGS "${mixnet_tree}/VERSION" ns3_version LIMIT_COUNT 1)

set(profile_suffix)
string(REGEX MATCH "BUILD_PROFILE = '([a-z]+)'" found "${lock_text}")
set(profile ${CMAKE_MATCH_1})
if(NOT profile STREQUAL "release")
  set(profile_suffix -${profile})
endif()

set(ns3_minor 999)
if(ns3_version MATCHES "^3\\.([0-9]+)")
  set(ns3_minor ${CMAKE_MATCH_1})
endif()
if(ns3_minor GREATER_EQUAL 46)
  set(CMAKE_CXX_STANDARD 23)
elseif(ns3_minor GREATER_EQUAL 41)
  set(CMAKE_CXX_STANDARD 20)
endif()

find_path(MIXNET_HDF5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial REQUIRED)
find_library(MIXNET_HDF5_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial REQUIRED)

add_library(mixnet-ns3 INTERFACE)
add_library(mixnet::ns3 ALIAS mixnet-ns3)
string(REGEX MATCHALL "'ns3-[a-z0-9-]+'" modules "${lock_text}")
list(REMOVE_DUPLICATES modules)
foreach(module ${modules})
  string(REGEX REPLACE "'ns3-(.*)'" "\\1" module ${module})
  set(library "${mixnet_tree}/build/lib/libns${ns3_version}-${module}${profile_suffix}.so")
  if(NOT module STREQUAL "test")
    target_link_libraries(mixnet-ns3 INTERFACE "${library}")
  endif()
endforeach()
target_link_libraries(mixnet-ns3 INTERFACE "${MIXNET_HDF5_LIBRARY}")
target_link_options(mixnet-ns3 INTERFACE -Wl,--no-as-needed)
target_include_directories(
  mixnet-ns3 SYSTEM INTERFACE "${mixnet_tree}/build/include" "${MIXNET_HDF5_INCLUDE_DIR}"
)
target_compile_options(mixnet-ns3 INTERFACE -Wall -Wextra -ffp-contract=off)
string(TOUPPER ${profile} profile_upper)
target_compile_definitions(
  mixnet-ns3
  INTERFACE MIXNET_NS3_MINOR=${ns3_minor} NS3_BUILD_PROFILE_${profile_upper}
            MIXNET_SOURCE_DIR="${mixnet_root}"
)
if(profile MATCHES "release|optimized|minsizerel")
  target_compile_definitions(mixnet-ns3 INTERFACE NDEBUG)
else()
  target_compile_definitions(mixnet-ns3 INTERFACE NS3_ASSERT_ENABLE NS3_LOG_ENABLE)
endif()

set(mixnet_run "${mixnet_tree}/build/contrib/mixnet/examples/ns${ns3_version}-mixnet-run${profile_suffix}")
set(mixnet_ccache)
if(EXISTS "${mixnet_tree}/.mixnet-ccache")
  set(mixnet_ccache "${mixnet_tree}/.mixnet-ccache")
endif()
