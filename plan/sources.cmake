# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# TALLY_PLAN_SOURCES: sources of the planner, for its own library and for libtally.
set(TALLY_PLAN_SOURCES)
foreach(name check choose costs edges estimate exchange hash parts place plan ring segs rebalance shapes shared table tree
    tree_time)
  list(APPEND TALLY_PLAN_SOURCES ${CMAKE_CURRENT_LIST_DIR}/${name}.c)
endforeach()
