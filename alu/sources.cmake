# SPDX-License-Identifier: BSD-2-Clause
# TALLY_ALU_SOURCES: sources of the ALU, for its own library and for builds with another compiler option.
set(TALLY_ALU_SOURCES)
foreach(name alu alu_fp alu_int alu_loc alu_sum)
  list(APPEND TALLY_ALU_SOURCES ${CMAKE_CURRENT_LIST_DIR}/${name}.c)
endforeach()
