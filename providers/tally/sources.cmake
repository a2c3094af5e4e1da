# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# TALLY_PROVIDER_SOURCES: sources of the provider, without the planner, in and outside of an rdma-core tree.
set(TALLY_PROVIDER_SOURCES
  cq.c
  domain.c
  dv.c
  edges.c
  group.c
  group_check.c
  group_query.c
  lost.c
  memory.c
  ops.c
  plan.c
  plan_group.c
  plan_missing.c
  poll.c
  post.c
  qp.c
  seg.c
  tally.c
  verbs.c
  versions.c
  why.c
  why_kernel.c
  wr_tracker.c)
