/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * uverbs without a kernel: a file whose pages are the device's, and which answers the commands that
 * libibverbs and the provider issue on it. So creation and destruction run as they are, up to the
 * system call, and each of these calls can be made to fail.
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
	KERNEL_PAGE_RING,
	KERNEL_PAGE_UAR,
	KERNEL_PAGE_PUSH = KERNEL_PAGE_UAR + KERNEL_UARS,
	KERNEL_PAGES = KERNEL_PAGE_PUSH + TALLY_PUSH_SIZE / TALLY_PAGE_SIZE,
};

enum kernel_kind {
	KERNEL_NOTHING, KERNEL_PD, KERNEL_MR, KERNEL_CQ, KERNEL_QP, KERNEL_SEG, KERNEL_GROUP,
};

struct fake_kernel {
	int fd;
	char *pages;                           /* the file's, as the device sees them */
	struct tally_uresp_alloc_ucontext resp; /* what a new context is told, */
	uint32_t db_slot, qpn, list_count;     /* a new queue, a query for a list */
	uint32_t push_size;                    /* a new queue pair that asks to push */
	bool gone;                             /* the device was taken away: EIO */
	bool cannot_tell;                      /* of a queue's events, once it is destroyed: EFAULT */
	struct tally_uresp_group_info info;    /* of a group; state 0: of one that works */
	uint8_t gid[16];                       /* the port's; 0: the kernel does not tell */
	int refusal;                           /* errno of creating a group or queue pair, attaching; 0: none, */
	struct tally_uresp_why why;            /* and what goes with it */
	enum kernel_kind kind[KERNEL_HANDLES]; /* of the objects that exist */
	struct tally_ureq_create_cq cq_req;    /* the last requests */
	struct tally_ureq_create_qp qp_req;
	struct tally_ureq_group group_req;
	struct tally_ureq_edge edges[TALLY_MAX_CONTRIBUTORS + 1];
	unsigned int num_edges;
};

extern struct fake_kernel kernel;

/* Begins anew, without objects. The file is closed by the context that is opened on it. */
void kernel_reset(void);
unsigned int kernel_objects(void);
struct tally_status_page *kernel_status(void);

/* ---- Devices and contexts as libibverbs makes them ---- */
/* What the provider registered. */
extern const struct verbs_device_ops *provider_ops;

struct ibv_device *device_new(void);
void device_free(struct ibv_device *device);
/* NULL: as alloc_context() failed, with its errno. The context takes the file. */
struct ibv_context *context_open(struct ibv_device *device);

/* ---- Failures ---- */
/*
 * Calls that can fail, counted: commands, mmap(), malloc(), calloc(), pthread_spin_init(),
 * ibv_dontfork_range().
 */
struct faults {
	unsigned int at; /* the call that fails, from 1; 0: none */
	unsigned int calls;
	int err;         /* what the one that failed said */
	int mappings;    /* that exist */
};

extern struct faults faults;

/* A call that fails with `err` if its turn has come. Returns 0 or `err`, errno alike. */
int fault_here(int err);

#endif
