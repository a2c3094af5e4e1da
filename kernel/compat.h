/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Differences between Linux 6.1 and later kernels. The drivers are written against the later
 * interfaces; what an older kernel lacks is made here, and nowhere else.
 */
#ifndef TALLY_COMPAT_H
#define TALLY_COMPAT_H

#include <linux/mm.h>
#include <linux/version.h>
#include <rdma/uverbs_ioctl.h>

/* Since 6.3 the flags of an area are changed by functions only. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_clear(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags &= ~flags;
}
#endif

/* Since 6.7 a devlink message remembers its first error, and the functions that add to it return nothing. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
#define tally_fmsg_put(put) (put)
#else
#define tally_fmsg_put(put) ({ (put); 0; })
#endif

/*
 * Since 6.11 create_cq(), since 6.12 reg_user_mr_dmabuf() of struct ib_device_ops are given all
 * attributes of the call.
 */
static inline struct ib_udata *tally_udata_of_attrs(struct uverbs_attr_bundle *attrs)
{
	return &attrs->driver_udata;
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
#define tally_create_cq_attrs ib_udata
#define tally_create_cq_udata(attrs) (attrs)
#else
#define tally_create_cq_attrs uverbs_attr_bundle
#define tally_create_cq_udata tally_udata_of_attrs
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#define tally_reg_dmabuf_attrs ib_udata
#define tally_reg_dmabuf_udata(attrs) (attrs)
#else
#define tally_reg_dmabuf_attrs uverbs_attr_bundle
#define tally_reg_dmabuf_udata tally_udata_of_attrs
#endif

#endif
