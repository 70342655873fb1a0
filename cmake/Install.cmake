# Where each file goes: `cmake --install`, the packages and the tarball take it from here.  The program finds its own
# files relative to itself, as ../share/gpu-platform and ../lib/gpu-platform.
set(program $<TARGET_FILE:gpu-platform>)

install(TARGETS gpu-platform DESTINATION bin)
install(TARGETS fake_nvml_ctl DESTINATION bin)
install(TARGETS fake_nvml LIBRARY DESTINATION lib/gpu-platform NAMELINK_SKIP)
install(TARGETS fake_mps_control fake_mps_client DESTINATION lib/gpu-platform)
set(shared data/machines data/schema deploy/grafana deploy/prometheus examples)
install(DIRECTORY ${shared} DESTINATION share/gpu-platform PATTERN __pycache__ EXCLUDE)
install(DIRECTORY deploy/systemd/ DESTINATION lib/systemd/system FILES_MATCHING PATTERN *.service PATTERN *.timer)
install(FILES fakes/nvml/fake-nvml-ctl.1 DESTINATION share/man/man1)
install(DIRECTORY clients/python/gpu_platform DESTINATION lib/python3/dist-packages
        PATTERN __pycache__ EXCLUDE)

# The documentation, and the pages of what is shared: their links lead elsewhere here than in the source.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
list(JOIN shared " " shared)
install(CODE "
  execute_process(
    COMMAND \"${Python3_EXECUTABLE}\" -B \"${CMAKE_SOURCE_DIR}/tools/ship-docs\" \"${CMAKE_SOURCE_DIR}\"
            \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share\" ${shared}
    COMMAND_ERROR_IS_FATAL ANY)")

# Written by the program itself.
install(CODE "
  set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share\")
  file(MAKE_DIRECTORY \"\${share}/man/man1\" \"\${share}/bash-completion/completions\"
       \"\${share}/zsh/vendor-completions\" \"\${share}/fish/vendor_completions.d\")
  execute_process(COMMAND ${program} __commands --man \"\${share}/man/man1\" COMMAND_ERROR_IS_FATAL ANY)
  foreach(shell_and_file bash:bash-completion/completions/gpu-platform zsh:zsh/vendor-completions/_gpu-platform
          fish:fish/vendor_completions.d/gpu-platform.fish)
    string(REPLACE \":\" \";\" pair \"\${shell_and_file}\")
    list(GET pair 0 shell)
    list(GET pair 1 file)
    execute_process(COMMAND ${program} completion \${shell} OUTPUT_FILE \"\${share}/\${file}\" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()")
