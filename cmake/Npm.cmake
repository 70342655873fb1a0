# Packages from npm's registry, for the dashboard and some tests.
option(GP_USE_NPM "Fetch packages from npm's registry, for the dashboard and some tests" ON)
find_program(GP_NPM npm)
find_program(GP_NODE node)
if(GP_USE_NPM AND NOT (GP_NPM AND GP_NODE))
  message(WARNING "npm is missing: the program is built without the dashboard, and some tests are skipped (apt-get install npm, or -DGP_USE_NPM=OFF)")
  set(GP_USE_NPM OFF)
endif()

# gp_npm_packages(STAMP DIRECTORY [flag...]): installs exactly the packages of the lock file beside the CMakeLists.txt
# into DIRECTORY/node_modules, outside the sources.  STAMP: the variable that receives the stamp file's name.
function(gp_npm_packages stamp directory)
  add_custom_command(
    OUTPUT ${directory}/modules.stamp
    COMMAND ${CMAKE_COMMAND} -E make_directory ${directory}
    COMMAND ${CMAKE_COMMAND} -E copy package.json package-lock.json ${directory}
    COMMAND ${CMAKE_COMMAND} -E chdir ${directory} ${GP_NPM} ci ${ARGN} --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error
    COMMAND ${CMAKE_COMMAND} -E touch ${directory}/modules.stamp
    DEPENDS package.json package-lock.json
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    COMMENT "Fetching npm packages (-DGP_USE_NPM=OFF skips this)")
  set(${stamp} ${directory}/modules.stamp PARENT_SCOPE)
endfunction()
