# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Fails if a committed generated file differs from the output of hwgen for uapi/tally.yaml.
# usage: cmake -DHWGEN=hwgen -DSOURCE=checkout -DOUT=folder -P drift.cmake
file(MAKE_DIRECTORY ${OUT})
set(files uapi/gen/tally_types.h uapi/gen/tally_hw.h uapi/gen/tally_pkg.sv uapi/gen/tally_golden.h
  uapi/gen/tally_fields.lua docs/layouts.md)
set(options --types --c --sv --golden --lua --md)
set(args)
foreach(file option IN ZIP_LISTS files options)
  get_filename_component(name ${file} NAME)
  list(APPEND args ${option} ${OUT}/${name})
endforeach()
execute_process(COMMAND ${HWGEN} ${SOURCE}/uapi/tally.yaml ${args} RESULT_VARIABLE result)
if(result)
  message(FATAL_ERROR "hwgen refuses uapi/tally.yaml")
endif()

set(drifted)
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME)
  execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${OUT}/${name} ${SOURCE}/${file}
    RESULT_VARIABLE result ERROR_QUIET)
  if(result)
    list(APPEND drifted ${file})
  endif()
endforeach()
if(drifted)
  message(FATAL_ERROR "generated files differ from uapi/tally.yaml: ${drifted}. Build the target uapi-gen.")
endif()
