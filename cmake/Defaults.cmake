# Language, warnings and tools for all targets.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
# Release builds keep asserting invariants: GP_ASSERT ignores NDEBUG.
set(CMAKE_CXX_FLAGS_RELEASE "-O2")

find_program(GP_CCACHE ccache)
if(GP_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # With precompiled headers, ccache caches nothing unless it is less strict.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${GP_CCACHE})
  add_compile_options(-fpch-preprocess)
endif()
# A tenth less time for a third more memory: the compiler collects its garbage seldom (docs/adr/0063).
add_compile_options(--param=ggc-min-heapsize=2000000)

find_program(GP_MOLD mold)
if(GP_MOLD)
  # What runs only at the start is kept together, as GNU ld does by itself: fewer pages are read.
  add_link_options(-fuse-ld=mold -Wl,-z,keep-text-section-prefix)
endif()

# No path of this machine gets into the program: built elsewhere, it is the same.
add_compile_options(-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=)
# All targets use -pthread so that they can share precompiled headers.  Designated initializers omit fields on purpose:
# each field has a default.
add_compile_options(-pthread -Wall -Wextra -Wpedantic -Wshadow -Wno-missing-field-initializers -Werror=return-type -fno-omit-frame-pointer)

set(GP_SANITIZE "" CACHE STRING "Sanitizers to build with, as a value of -fsanitize")
if(GP_SANITIZE)
  add_compile_options(-fsanitize=${GP_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${GP_SANITIZE})
endif()

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
