# Functions that make one library of the sources of a directory, and one executable of its tests.
# They glob the directories, so that a new file needs no edit here.

# Most of a full build is spent parsing the same headers (docs/adr/0053).  The preset `apart` turns the first option off,
# for the one who edits a source again and again; the preset `dev` turns off both.
option(GP_BATCHES "Compile several sources as one" ON)
option(GP_PRECOMPILE "Precompile common headers" ON)

# gp_precompile(NAME OWNER HEADER): compiles the target with the precompiled header.  The owner builds the header, other
# targets reuse it; all of them need the same compile options.
function(gp_precompile name owner header)
  if(NOT GP_PRECOMPILE)
    return()
  endif()
  if(name STREQUAL owner)
    target_precompile_headers(${name} PRIVATE ${header})
  else()
    target_precompile_headers(${name} REUSE_FROM ${owner})
  endif()
endfunction()

# gp_batch(NAME SIZE): compiles SIZE sources as one.
function(gp_batch name size)
  if(GP_BATCHES)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
  endif()
endfunction()

# Sources of a library that are compiled as one; a directory may set another number for what is below it.
set(GP_BATCH 48)

# gp_cold(NAME): compiles the target with -O1 in release, a quarter faster: nothing in it runs often (docs/adr/0063).
function(gp_cold name)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# gp_library(NAME [SUBFOLDERS] [COLD] [DEPS target...]): a library of the *.cc files of the current directory, with
# SUBFOLDERS also of */*.cc.  COLD: see gp_cold.
function(gp_library name)
  cmake_parse_arguments(ARG "SUBFOLDERS;COLD" "" "DEPS" ${ARGN})
  set(patterns ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  if(ARG_SUBFOLDERS)
    list(APPEND patterns ${CMAKE_CURRENT_SOURCE_DIR}/*/*.cc)
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  if(sources)
    add_library(${name} STATIC ${sources})
    target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(${name} PUBLIC ${ARG_DEPS})
    set(owner gp_base)
    if(ARG_COLD)
      gp_cold(${name})
      set(owner gp_files)  # the first one that is cold
    endif()
    gp_precompile(${name} ${owner} ${CMAKE_SOURCE_DIR}/src/base/precompiled.h)
    gp_batch(${name} ${GP_BATCH})
  else()
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(${name} INTERFACE ${ARG_DEPS})
  endif()
endfunction()

# gp_test(NAME DIRECTORY [SUBFOLDERS] [LABEL label] [DEPS target...]): a googletest executable of DIRECTORY/*.cc, with
# SUBFOLDERS also of DIRECTORY/*/*.cc.
function(gp_test name directory)
  cmake_parse_arguments(ARG "SUBFOLDERS" "LABEL" "DEPS" ${ARGN})
  set(patterns ${CMAKE_CURRENT_SOURCE_DIR}/${directory}/*.cc)
  if(ARG_SUBFOLDERS)
    list(APPEND patterns ${CMAKE_CURRENT_SOURCE_DIR}/${directory}/*/*.cc)
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR})
  target_compile_definitions(${name} PRIVATE GP_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                                             GP_BINARY_DIR="${CMAKE_BINARY_DIR}")
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} GTest::gtest GTest::gmock GTest::gtest_main)
  gp_cold(${name})
  gp_precompile(${name} unit_base ${CMAKE_SOURCE_DIR}/tests/precompiled.h)
  gp_batch(${name} 12)
  add_test(NAME ${name} COMMAND ${name})
  # They keep a core busy; tests of whole programs mostly wait (Makefile).
  set_tests_properties(${name} PROPERTIES PROCESSORS 2)
  if(ARG_LABEL)
    set_tests_properties(${name} PROPERTIES LABELS ${ARG_LABEL})
  endif()
endfunction()
