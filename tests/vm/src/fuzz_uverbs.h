/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fuzzer of the interface between processes and the drivers: commands written to the node in
 * /dev/infiniband, ioctls, the driver's data in both, mmap, and all of them from two threads at
 * once. A *program* is a list of calls on one context, which is closed after the last call. A call
 * is a slot of bytes. The first bytes choose the call, and the others its faults. A slot of zeros
 * is a valid call, provided that the objects it needs exist.
 */
#ifndef TALLY_TEST_FUZZ_UVERBS_H
#define TALLY_TEST_FUZZ_UVERBS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/tally_hw.h"
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "tally-abi.h"

#define SLOT_SIZE 24
#define MAX_SLOTS 24

struct program {
	unsigned int count;
	uint8_t slot[MAX_SLOTS][SLOT_SIZE];
};

/* ---- fuzz_uverbs_bytes.c: decisions from the bytes of a slot, which are 0 after its end ---- */
struct bytes {
	const uint8_t *at;
	size_t left;
};

uint8_t take8(struct bytes *b);
uint64_t take64(struct bytes *b);
/* Returns a number below `n`. */
uint32_t pick(struct bytes *b, uint32_t n);
/* Half of the time leaves `size` bytes unchanged, otherwise corrupts some of them. */
void spoil(struct bytes *b, void *p, size_t size);

/* ---- Memory that programs refer to ---- */
#define ARENA_SIZE (256UL << 10)
extern uint8_t *arena;
void arena_new(void); /* mapped, zero and writable */

/* ---- A context ---- */
enum kind { KIND_PD, KIND_CHANNEL, KIND_CQ, KIND_MR, KIND_QP, KIND_SEG, KIND_GROUP, NUM_KINDS };
#define MAX_HANDLES 16
#define MAX_PAGES 8

struct fuzz_context {
	int fd;
	pthread_mutex_t lock; /* protects the following fields, which two threads change */
	struct {
		unsigned int count;
		uint32_t handle[MAX_HANDLES];
	} have[NUM_KINDS];
	uint32_t group_number; /* of the last group, for queue pairs */
	uint32_t jid;          /* of the last group */
	uint64_t offset[MAX_PAGES]; /* offsets of pages to map */
	unsigned int num_offsets;
	void *page[MAX_PAGES];
	unsigned int num_pages;
};

/*
 * Returns a handle of that kind, the newest one if the call is valid. Otherwise it may be of
 * another kind, or invalid.
 */
uint32_t choose(struct fuzz_context *c, struct bytes *b, enum kind kind);
void have(struct fuzz_context *c, enum kind kind, uint32_t handle);
void have_page(struct fuzz_context *c, uint64_t offset);

/*
 * fuzz_uverbs_write.c, _ioctl.c, _pages.c: calls. They return 0 on success, otherwise an errno
 * value.
 */
typedef int fuzz_call(struct fuzz_context *c, struct bytes *b);

/* The first command of every context. It is valid if `b` is NULL. */
int get_context(struct fuzz_context *c, struct bytes *b);
fuzz_call alloc_pd, dealloc_pd, create_channel, create_cq, create_cq_ex, destroy_cq, reg_mr, dereg_mr;
fuzz_call modify_qp, query_qp, destroy_qp, query_device, query_port, any_command;
fuzz_call ioctl_create_cq, ioctl_create_qp, alloc_seg, free_seg, create_group, attach_group, query_group;
fuzz_call reset_group, query_list, destroy_group, info_handles, any_method, any_ioctl;
fuzz_call map_page, unmap_page, use_page, spoil_memory, read_events;

/* ---- fuzz_uverbs_run.c ---- */
#define NUM_CALLS 32
struct fuzz_counts {
	uint64_t programs;
	uint64_t calls;
	uint64_t succeeded[NUM_CALLS];
};
extern struct fuzz_counts counts;
const char *call_name(unsigned int n); /* NULL: no such call */
/* Runs a program in a new context of the node at `path`. */
void run_program(const char *path, const struct program *program);
/* Fills in valid programs to start with, and returns their number. */
size_t first_programs(struct program *programs, size_t room);

/* ---- fuzz_uverbs_kcov.c: places of the drivers that the calling thread reaches ---- */
/* Returns false if this kernel has no KCOV. */
bool kcov_open(void);
void kcov_begin(void);
/* Returns the number of places reached for the first time since kcov_open(). */
size_t kcov_end(void);
size_t kcov_total(void);

#endif
