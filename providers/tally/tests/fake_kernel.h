/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * uverbs without a kernel: a file whose pages are those of the device, and which answers the
 * commands of libibverbs and the provider. Creation and destruction run unchanged up to the system
 * call, and each of these calls can be made to fail.
 */
#ifndef TALLY_TEST_FAKE_KERNEL_H
#define TALLY_TEST_FAKE_KERNEL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "uverbs.h"

#define KERNEL_EPOCH 11
#define KERNEL_UARS 2
#define KERNEL_HANDLES 64

/* Pages of the file. */
enum {
	KERNEL_PAGE_STATUS,
	KERNEL_PAGE_WAKE,
	KERNEL_PAGE_UAR,
	KERNEL_PAGE_PUSH = KERNEL_PAGE_UAR + KERNEL_UARS,
	KERNEL_PAGES = KERNEL_PAGE_PUSH + TALLY_PUSH_SIZE / TALLY_PAGE_SIZE,
};

enum kernel_kind {
	KERNEL_NOTHING, KERNEL_PD, KERNEL_MR, KERNEL_CQ, KERNEL_QP, KERNEL_SEG, KERNEL_GROUP,
};

struct fake_kernel {
	int fd;
	char *pages;                           /* pages of the file, as the device sees them */
	struct tally_uresp_alloc_ucontext resp; /* answer to a new context, */
	uint32_t db_slot, qpn, list_count;     /* to a new queue, to a query for a list */
	uint32_t push_size;                    /* to a new queue pair that asks to push */
	bool gone;                             /* the device was removed: EIO */
	bool fail_event_report;                /* destroying a queue works, but returns EFAULT */
	struct tally_uresp_group_info info;    /* state of a group; state 0: a working group */
	unsigned int resets, busy_resets;      /* resets of groups; the first ones get EBUSY */
	uint8_t gid[16];                       /* GID of the port; 0: not told */
	uint8_t modes;                         /* of new groups, as the kernel tells them, */
	uint32_t max_segs;                     /* and their most segments */
	int refusal;                           /* errno of creating or attaching; 0: none, */
	struct tally_uresp_why why;            /* and the reason that goes with it */
	enum kernel_kind kind[KERNEL_HANDLES]; /* kinds of the existing objects */
	struct tally_ureq_create_cq cq_req;    /* the last requests */
	struct tally_ureq_create_qp qp_req;
	struct tally_ureq_group group_req;
	struct tally_ureq_edge edges[TALLY_MAX_CONTRIBUTORS + 1];
	unsigned int num_edges;
};

extern struct fake_kernel kernel;

/* Restarts without objects. The file is closed by the context that is opened on it. */
void kernel_reset(void);
unsigned int kernel_objects(void);
struct tally_status_page *kernel_status(void);

/* ---- Devices and contexts as libibverbs creates them ---- */
/* Operations that the provider registered. */
extern const struct verbs_device_ops *provider_ops;

struct ibv_device *device_new(void);
void device_free(struct ibv_device *device);
/*
 * Opens a context, which takes the file. Returns NULL with the errno of alloc_context() if that
 * fails.
 */
struct ibv_context *context_open(struct ibv_device *device);

/* ---- Failures ---- */
/*
 * Counters of the calls that can fail: commands, mmap(), malloc(), calloc(), pthread_spin_init(),
 * ibv_dontfork_range().
 */
struct faults {
	unsigned int at; /* the call that fails, from 1; 0: none */
	unsigned int calls;
	int err;         /* errno of the call that failed */
	int mappings;    /* number of existing mappings */
};

extern struct faults faults;

/* Fails with `err` if this call is the one to fail. Returns 0 or `err`, and sets errno to it. */
int fault_here(int err);

#endif
