# Writes OUTPUT: for every function in FUNCTIONS a weak definition that returns
# NVML_ERROR_NOT_SUPPORTED.  The linker prefers the strong definitions of simulated functions.
file(STRINGS ${FUNCTIONS} names REGEX "^nvml")
set(text "// Written by stubs.cmake from functions.txt.\nextern \"C\" {\n")
foreach(name IN LISTS names)
  string(APPEND text "__attribute__((weak)) unsigned int ${name}() { return 3; }\n")
endforeach()
string(APPEND text "}\n")
file(WRITE ${OUTPUT} "${text}")
