/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The node as libtallycoll uses it: the CPU's work on data, memory that the processes of the node
 * share, waiting. In a process these are memcpy(), shm_open() and the clock. In the simulator they
 * do the same on the memory of a scripted host and take its CPU's time.
 */
#ifndef TALLYCOLL_HOST_H
#define TALLYCOLL_HOST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport.h"

#define TC_LINE 64	/* bytes of a cache line, which flags do not share */
#define TC_NAME_MAX 64

/* A word that one process writes and others of its node wait for. */
struct tc_flag {
	_Alignas(TC_LINE) _Atomic uint32_t value;
};

struct tc_host;

struct tc_host_ops {
	uint64_t (*now_ns)(struct tc_host *host);
	/*
	 * Returns when a flag or an outcome may have changed, or after a short time. @idle counts the
	 * calls since the caller last saw a change, so that a process can spin first and sleep later.
	 */
	void (*wait)(struct tc_host *host, unsigned int idle);
	void (*copy)(struct tc_host *host, void *to, const void *from, size_t bytes);
	/* acc[i] = acc[i] op in[i]; the pair is one that the NIC's ALU has. */
	void (*reduce)(struct tc_host *host, uint8_t op, uint8_t dtype, void *acc, const void *in,
		       uint64_t count);
	/* Stores a value that other processes of the node see after all earlier stores. */
	void (*set)(struct tc_host *host, struct tc_flag *flag, uint32_t value);
	/* Adds to a flag and returns the value before. */
	uint32_t (*add)(struct tc_host *host, struct tc_flag *flag, uint32_t n);
	/*
	 * Maps zeroed memory that the processes of a node share under @name. One process makes it
	 * before the others open it, and removes the name after that. NULL and errno on failure.
	 */
	void *(*share)(struct tc_host *host, const char *name, size_t bytes, bool create);
	void (*share_unlink)(struct tc_host *host, const char *name);
	void (*unshare)(struct tc_host *host, void *memory, size_t bytes);
	void (*lock)(struct tc_host *host);	/* the context's lock; recursive; no-ops without threads */
	void (*unlock)(struct tc_host *host);
	void (*random)(struct tc_host *host, void *to, size_t bytes);
	void (*close)(struct tc_host *host);
};

/* The first member of a back end's structure. */
struct tc_host {
	const struct tc_host_ops *ops;
	uint8_t id[16];		/* of the machine; processes with the same id can share memory */
	uint32_t socket;	/* CPU socket of this process */
};

static inline uint32_t tc_flag_get(const struct tc_flag *flag)
{
	return atomic_load_explicit(&((struct tc_flag *)flag)->value, memory_order_acquire);
}

/* The processes of a machine, so that they spread over its NICs. */
struct tc_neighbours {
	uint32_t local, num_local;	/* number of this process, from 0, and how many there are */
	const uint64_t *near;		/* of each, what platform's near() returned */
};

/*
 * What a context runs on. The functions get the argument of tc_context_create(). They are called in
 * this order.
 */
struct tc_platform {
	int (*host_open)(void *arg, bool threads, struct tc_host **host, char *why, size_t size);
	/* Returns the NICs that are nearest to this process, as bits. NULL: it makes no difference. */
	uint64_t (*near)(void *arg, struct tc_host *host);
	int (*net_open)(void *arg, struct tc_host *host, const struct tc_neighbours *neighbours,
			struct tc_net **net, char *why, size_t size);
};

#endif
