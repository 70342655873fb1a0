# Packages of npm's registry: the dashboard's, and what some tests need.
option(GP_USE_NPM "Fetch packages from npm's registry: the dashboard's, and what some tests need" ON)
find_program(GP_NPM npm)
find_program(GP_NODE node)
if(GP_USE_NPM AND NOT (GP_NPM AND GP_NODE))
  message(WARNING "npm is missing: the program will have no dashboard, and some tests will be skipped (apt-get install npm, or -DGP_USE_NPM=OFF)")
  set(GP_USE_NPM OFF)
endif()

# gp_npm_packages(STAMP DIRECTORY [flag...]): exactly what the lock file beside the CMakeLists.txt names, in
# DIRECTORY/node_modules, so that the sources stay as they are.  STAMP: a variable for the file that says it is done.
function(gp_npm_packages stamp directory)
  add_custom_command(
    OUTPUT ${directory}/modules.stamp
    COMMAND ${CMAKE_COMMAND} -E make_directory ${directory}
    COMMAND ${CMAKE_COMMAND} -E copy package.json package-lock.json ${directory}
    COMMAND ${CMAKE_COMMAND} -E chdir ${directory} ${GP_NPM} ci ${ARGN} --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error
    COMMAND ${CMAKE_COMMAND} -E touch ${directory}/modules.stamp
    DEPENDS package.json package-lock.json
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    COMMENT "Fetching packages of npm (-DGP_USE_NPM=OFF does without)")
  set(${stamp} ${directory}/modules.stamp PARENT_SCOPE)
endfunction()
