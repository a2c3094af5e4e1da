/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sweeps: a step is done again and again, and each time a later one of its calls fails, until none is
 * left to fail. The step may then fail with an error, or succeed; nothing may be left of it either way.
 */
#ifndef TALLY_TEST_NTH_H
#define TALLY_TEST_NTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "work.h"

/* Device 0, which the sweeps are about, with a group of its own and a queue pair in it. */
struct nth_world {
	struct cluster all; /* every NIC: the others are neighbours that a group may have */
	struct cluster one;
	struct nic *nic;
	struct team team;
	struct port port;
	uint32_t mid; /* of the next message of the group */
	uint32_t spare_jid; /* for a group that comes and goes */
	char function[64]; /* of PCI */
};
extern struct nth_world world;

void world_open(void);
void world_close(void);

/*
 * What can be made and dropped again; both return 0 or an errno value. If `drop` fails it must do
 * so without harm: it is called again. `before` and `after` make and drop what it needs; both may be
 * NULL, and so may `drop` be where ending is no call.
 */
struct nth_object {
	const char *name;
	int (*make)(void);
	int (*drop)(void);
	void (*before)(void);
	void (*after)(void);
};

/* What can be asked for or done any number of times; `after` is told what came of it. */
struct nth_act {
	const char *name;
	int (*act)(void);
	void (*before)(void);
	void (*after)(int err);
};

extern const struct nth_object nth_objects[];
extern const size_t nth_num_objects;
extern const struct nth_act nth_contexts[], nth_closing, nth_acts[];
extern const size_t nth_num_contexts, nth_num_acts;

/* A queue pair as the sweeps have it; NULL: errno. */
struct ibv_qp *create_qp(struct ibv_context *of, struct ibv_pd *pd, struct ibv_cq *cq,
			 struct tallydv_group *group);

/*
 * What fails. `begin` has the calling process's (or thread's) n-th call from now on fail, n from 1; `end` ends
 * that and tells whether there was one; `is_failure` knows what the step may say of it.
 */
struct nth_fault {
	void (*begin)(unsigned int n);
	bool (*end)(void);
	bool (*is_failure)(int err);
};
extern const struct nth_fault nth_calls;    /* nth_fail.c: allocations, and copies from and to the process */
extern const struct nth_fault nth_commands; /* nth_command.c: commands to the device */

/*
 * nth_look.c: text of a file, or a dump of the RDMA subsystem, into `to` of `room` bytes, which ends
 * with 0. Return 0 or an errno value.
 */
int read_text(const char *path, char *to, size_t room);
int read_debugfs(const char *file, char *to, size_t room);
/* A socket for nldev_dump(), and the index of device `name`. */
int nldev_open(void);
uint32_t nldev_index(int fd, const char *name);
/* All answers to a command of enum rdma_nldev_command; `*len` bytes of them are kept in `to`. */
int nldev_dump(int fd, unsigned int command, const uint32_t *index, void *to, size_t room,
	       size_t *len);

/* nth_bind.c: sweeps of binding and unbinding, of both drivers; and waiting for a verbs device. */
void sweep_bindings(void);
bool has_uverbs(void);

/* nth_contexts.c: a context with one of each, whose last number is to be closed by the caller. */
int open_full(void);

/* nth_command.c: every command that ends an object is refused: the device fails, and comes back. */
void sweep_destroys(void);

/* nth.c: do `act` once more for each n, or each so manieth. */
void sweep(const struct nth_act *act, const struct nth_fault *fault);

#endif
