/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fuzzer of what processes can say to the drivers: commands written to the node in /dev/infiniband,
 * ioctls, the driver's data in both, mmap, and all of it from two threads at once. A *program* is a list
 * of calls to one context, which ends with it. A call is a slot of bytes: the first ones choose it, the
 * others what is wrong with it; all zero is a call that works, if what it needs is there.
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

/* ---- fuzz_uverbs_bytes.c: decisions, taken from the bytes of a slot; after its end they are 0 ---- */
struct bytes {
	const uint8_t *at;
	size_t left;
};

uint8_t take8(struct bytes *b);
uint64_t take64(struct bytes *b);
/* Below `n`. */
uint32_t pick(struct bytes *b, uint32_t n);
/* Half of the time leaves `size` bytes as they are; else spoils some of them. */
void spoil(struct bytes *b, void *p, size_t size);

/* ---- Memory that programs name ---- */
#define ARENA_SIZE (256UL << 10)
extern uint8_t *arena;
void arena_new(void); /* all of it is there, zero, and may be written */

/* ---- A context ---- */
enum kind { KIND_PD, KIND_CHANNEL, KIND_CQ, KIND_MR, KIND_QP, KIND_SEG, KIND_GROUP, NUM_KINDS };
#define MAX_HANDLES 16
#define MAX_PAGES 8

struct fuzz_context {
	int fd;
	pthread_mutex_t lock; /* of what follows, which two threads may be told of */
	struct {
		unsigned int count;
		uint32_t handle[MAX_HANDLES];
	} have[NUM_KINDS];
	uint32_t group_number; /* of the last group, as queue pairs name it */
	uint32_t jid;          /* of the last group */
	uint64_t offset[MAX_PAGES]; /* of pages to map */
	unsigned int num_offsets;
	void *page[MAX_PAGES];
	unsigned int num_pages;
};

/* A handle of that kind, the newest one if nothing is wrong; or of another kind, or of none. */
uint32_t choose(struct fuzz_context *c, struct bytes *b, enum kind kind);
void have(struct fuzz_context *c, enum kind kind, uint32_t handle);
void have_page(struct fuzz_context *c, uint64_t offset);

/*
 * fuzz_uverbs_write.c, _ioctl.c, _pages.c: calls. They return 0 if the call succeeded, else an errno
 * value.
 */
typedef int fuzz_call(struct fuzz_context *c, struct bytes *b);

/* The command that begins every context; `b` NULL: rightly. */
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
const char *call_name(unsigned int n); /* NULL: there is none */
/* Run a program in a context of its own, on the node at `path`. */
void run_program(const char *path, const struct program *program);
/* Programs that work, to begin with; returns how many. */
size_t first_programs(struct program *programs, size_t room);

/* ---- fuzz_uverbs_kcov.c: which places of the drivers the calling thread reaches ---- */
/* False: this kernel does not tell. */
bool kcov_open(void);
void kcov_begin(void);
/* How many places were reached for the first time since kcov_open(). */
size_t kcov_end(void);
size_t kcov_total(void);

#endif
