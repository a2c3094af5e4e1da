/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* An rdma-core tree generates the structures for DECLARE_DRV_CMD() here. This driver needs none. */
