/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* An rdma-core tree generates here what its DECLARE_DRV_CMD() needs of the driver's structures; ours needs nothing. */
