# gRPC and protobuf, linked statically so that the product is one binary, and the code generated
# from proto/.  Debian ships the archives without a package file that lists them in link order, so
# they form one group and the linker takes what it needs.
set(GP_LIBDIR /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
file(GLOB GP_ABSL_ARCHIVES ${GP_LIBDIR}/libabsl_*.a)
if(NOT EXISTS ${GP_LIBDIR}/libgrpc++.a)
  message(FATAL_ERROR "libgrpc++.a is missing: run tools/setup-debian")
endif()
add_library(gp_grpc_archives INTERFACE)
target_link_libraries(gp_grpc_archives INTERFACE
  -Wl,--start-group ${GP_LIBDIR}/libgrpc++_reflection.a ${GP_LIBDIR}/libgrpc++.a ${GP_LIBDIR}/libgrpc.a ${GP_LIBDIR}/libgpr.a
  ${GP_LIBDIR}/libaddress_sorting.a ${GP_LIBDIR}/libupb.a ${GP_LIBDIR}/libre2.a
  ${GP_LIBDIR}/libcares.a ${GP_LIBDIR}/libssl.a ${GP_LIBDIR}/libcrypto.a ${GP_LIBDIR}/libz.a
  ${GP_LIBDIR}/libprotobuf.a ${GP_ABSL_ARCHIVES} -Wl,--end-group
  Threads::Threads ${CMAKE_DL_LIBS})

find_program(GP_PROTOC protoc REQUIRED)
find_program(GP_GRPC_PLUGIN grpc_cpp_plugin REQUIRED)

# gp_proto_library(NAME ROOT file...): one library with the messages and services of the .proto files.  NAME_DESCRIPTORS
# is set to a file with their descriptors and comments.
function(gp_proto_library name root)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/generated)
  file(MAKE_DIRECTORY ${out})
  set(inputs)
  set(sources)
  set(headers)
  foreach(file ${ARGN})
    string(REGEX REPLACE "\\.proto$" "" stem ${file})
    list(APPEND inputs ${root}/${file})
    list(APPEND sources ${out}/${stem}.pb.cc)
    list(APPEND headers ${out}/${stem}.pb.h)
    # What is generated for a file without services is empty, and takes seconds to compile.
    file(STRINGS ${root}/${file} services REGEX "^service ")
    if(services)
      list(APPEND sources ${out}/${stem}.grpc.pb.cc)
      list(APPEND headers ${out}/${stem}.grpc.pb.h)
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${root}/${file})
  endforeach()
  add_custom_command(
    OUTPUT ${sources} ${headers} ${out}/descriptors.pb
    COMMAND ${GP_PROTOC} -I ${root} --cpp_out=${out} --grpc_out=${out}
            --plugin=protoc-gen-grpc=${GP_GRPC_PLUGIN}
            --descriptor_set_out=${out}/descriptors.pb --include_imports --include_source_info ${ARGN}
    DEPENDS ${inputs}
    COMMENT "Generating code from ${root}")
  add_library(${name} STATIC ${sources})
  set(${name}_DESCRIPTORS ${out}/descriptors.pb PARENT_SCOPE)
  # What parses and writes the bytes is in protobuf's own library.
  gp_cold(${name})
  target_compile_options(${name} PRIVATE -w)
  target_include_directories(${name} SYSTEM PUBLIC ${out})
  target_link_libraries(${name} PUBLIC gp_grpc_archives)
endfunction()
