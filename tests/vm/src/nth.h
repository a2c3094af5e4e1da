/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sweeps: a step runs again and again, and each time a later one of its calls fails, until none
 * fails any more. The step then either fails with an error or succeeds. In both cases nothing of it
 * may be left behind.
 */
#ifndef TALLY_TEST_NTH_H
#define TALLY_TEST_NTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "work.h"

/* Device 0, the subject of the sweeps, with a group of its own and a queue pair in it. */
struct nth_world {
	struct cluster all; /* all NICs: the others may be neighbours of a group */
	struct cluster one;
	struct nic *nic;
	struct team team;
	struct port port;
	uint32_t mid; /* next message of the group */
	uint32_t spare_jid; /* for groups that are created and destroyed */
	char function[64]; /* PCI function */
};
extern struct nth_world world;

void world_open(void);
void world_close(void);

/*
 * An object that can be created and destroyed. `make` and `drop` return 0 or an errno value. If
 * `drop` fails, it must have no effect, and is called again. `before` and `after` create and
 * destroy the prerequisites, and may be NULL. `drop` is NULL if the object ends without a call.
 */
struct nth_object {
	const char *name;
	int (*make)(void);
	int (*drop)(void);
	void (*before)(void);
	void (*after)(void);
};

/* A call that can be repeated. `after` gets its result. */
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

/* Creates a queue pair for the sweeps. Returns NULL and sets errno on failure. */
struct ibv_qp *create_qp(struct ibv_context *of, struct ibv_pd *pd, struct ibv_cq *cq,
			 struct tallydv_group *group);

/*
 * A way to make calls fail. `begin` makes the n-th call of the calling process or thread fail from
 * now on, n from 1. `end` stops this and returns whether a call failed. `is_failure` returns
 * whether `err` is an errno that the step may return then.
 */
struct nth_fault {
	void (*begin)(unsigned int n);
	bool (*end)(void);
	bool (*is_failure)(int err);
};
extern const struct nth_fault nth_calls;    /* nth_fail.c: allocations, and copies from and to the process */
extern const struct nth_fault nth_commands; /* nth_command.c: commands to the device */

/*
 * nth_look.c: read the text of a file, or a dump of the RDMA subsystem, into `to` of `room` bytes,
 * and terminate it with 0. They return 0 or an errno value.
 */
int read_text(const char *path, char *to, size_t room);
int read_debugfs(const char *file, char *to, size_t room);
/* Open a socket for nldev_dump(), and return the index of device `name`. */
int nldev_open(void);
uint32_t nldev_index(int fd, const char *name);
/* Gets all answers to a command of enum rdma_nldev_command. Stores `*len` bytes of them in `to`. */
int nldev_dump(int fd, unsigned int command, const uint32_t *index, void *to, size_t room,
	       size_t *len);

/* nth_bind.c: sweeps of binding and unbinding both drivers, and a wait for a verbs device. */
void sweep_bindings(void);
bool has_uverbs(void);

/*
 * nth_contexts.c: opens a context with one object of each kind. Returns its last file descriptor,
 * which the caller must close.
 */
int open_full(void);

/*
 * nth_command.c: each command that destroys an object is refused in turn. The device fails and
 * recovers.
 */
void sweep_destroys(void);

/* nth.c: runs `act` for each n, or for every STRIDE-th n. */
void sweep(const struct nth_act *act, const struct nth_fault *fault);

#endif
