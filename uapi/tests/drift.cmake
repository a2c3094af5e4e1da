# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Fails if a committed generated file differs from the output of hwgen for its layout file in uapi/.
# usage: cmake -DHWGEN=hwgen -DSOURCE=checkout -DOUT=folder -P drift.cmake
file(MAKE_DIRECTORY ${OUT})
set(drifted)

# drift(LAYOUT OPTION FILE...): compare what hwgen writes for the options with the committed files.
function(drift layout)
  set(args)
  set(files)
  while(ARGN)
    list(POP_FRONT ARGN option file)
    get_filename_component(name ${file} NAME)
    list(APPEND args ${option} ${OUT}/${name})
    list(APPEND files ${file})
  endwhile()
  execute_process(COMMAND ${HWGEN} ${SOURCE}/${layout} ${args} RESULT_VARIABLE result)
  if(result)
    message(FATAL_ERROR "hwgen refuses ${layout}")
  endif()
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME)
    execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${OUT}/${name} ${SOURCE}/${file}
      RESULT_VARIABLE result ERROR_QUIET)
    if(result)
      list(APPEND drifted ${file})
    endif()
  endforeach()
  set(drifted ${drifted} PARENT_SCOPE)
endfunction()

drift(uapi/tally.yaml --types uapi/gen/tally_types.h --c uapi/gen/tally_hw.h --sv uapi/gen/tally_pkg.sv
  --golden uapi/gen/tally_golden.h --lua uapi/gen/tally_fields.lua --md docs/layouts.md)
drift(uapi/tally_fw.yaml --types uapi/gen/tally_fw_types.h --c uapi/gen/tally_fw_hw.h --sv uapi/gen/tally_fw_pkg.sv
  --md docs/registers.md)
if(drifted)
  message(FATAL_ERROR "generated files differ from their layout files: ${drifted}. Build the target uapi-gen.")
endif()
