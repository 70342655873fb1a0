# Writes OUTPUT: a weak definition, answering NVML_ERROR_NOT_SUPPORTED, of every function that
# FUNCTIONS lists.  The functions that the fake plays are strong and win when it is linked.
file(STRINGS ${FUNCTIONS} names REGEX "^nvml")
set(text "// Written by stubs.cmake from functions.txt.\nextern \"C\" {\n")
foreach(name IN LISTS names)
  string(APPEND text "__attribute__((weak)) unsigned int ${name}() { return 3; }\n")
endforeach()
string(APPEND text "}\n")
file(WRITE ${OUTPUT} "${text}")
