# SPDX-License-Identifier: BSD-2-Clause
# Collective operations in software, which those of the NIC are compared with.
tally_sim_library(tally_sim_soft soft.c soft_blocks.c soft_bound.c soft_build.c soft_chain.c
  soft_default.c soft_exchange.c soft_exec.c soft_halving.c soft_names.c soft_net.c soft_nic.c
  soft_openmpi.c soft_packet.c soft_plan.c
  soft_rank.c soft_step.c soft_tree.c)
target_link_libraries(tally_sim_soft PUBLIC tally_sim_bench)

tally_sim_test(soft_plan test/soft_plan_test.c tally_sim_soft)
tally_sim_test(soft_exec test/soft_exec_test.c tally_sim_soft)
tally_sim_test(soft_default test/soft_default_test.c tally_sim_soft)
tally_sim_test(soft_packet test/soft_packet_test.c tally_sim_soft)
