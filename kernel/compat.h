/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Differences between Linux 6.1 and later kernels. The drivers are written against the later
 * interfaces. Only this file provides what an older kernel lacks.
 */
#ifndef TALLY_COMPAT_H
#define TALLY_COMPAT_H

#include <linux/mm.h>
#include <linux/version.h>
#include <rdma/uverbs_ioctl.h>

/* Since 6.3 only functions may change the flags of an area. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_clear(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags &= ~flags;
}
#endif

/*
 * Since 6.7 a devlink message remembers its first error, and functions that add to it return void.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
#define tally_fmsg_put(put) (put)
#else
#define tally_fmsg_put(put) ({ (put); 0; })
#endif

/*
 * All attributes of the call are passed to create_cq() of struct ib_device_ops since 6.11, and to
 * reg_user_mr_dmabuf() since 6.12.
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
