# Where each file goes: `cmake --install`, the packages and the tarball take it from here.  The program finds its own
# files relative to itself, as ../share/gpu-platform and ../lib/gpu-platform.
set(program $<TARGET_FILE:gpu-platform>)

install(TARGETS gpu-platform DESTINATION bin)
install(TARGETS fake_nvml_ctl DESTINATION bin)
install(TARGETS fake_nvml LIBRARY DESTINATION lib/gpu-platform NAMELINK_SKIP)
install(TARGETS fake_mps_control fake_mps_client DESTINATION lib/gpu-platform)
install(DIRECTORY data/machines data/schema examples DESTINATION share/gpu-platform)
install(DIRECTORY deploy/systemd/ DESTINATION lib/systemd/system FILES_MATCHING PATTERN *.service)
install(DIRECTORY deploy/grafana deploy/prometheus DESTINATION share/gpu-platform)
install(FILES fakes/nvml/fake-nvml-ctl.1 DESTINATION share/man/man1)
install(DIRECTORY docs/ DESTINATION share/doc/gpu-platform)
install(FILES README.md CHANGELOG.md SECURITY.md DESTINATION share/doc/gpu-platform)
install(DIRECTORY clients/python/gpu_platform DESTINATION lib/python3/dist-packages
        PATTERN __pycache__ EXCLUDE)

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
