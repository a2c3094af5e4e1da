/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Sentences for programs that ask why a call was refused. */
#ifndef TALLY_WHY_H
#define TALLY_WHY_H

#include <stddef.h>
#include <stdint.h>

#include <rdma/tally-abi.h>

struct ibv_context;
struct tallydv_group;
struct tallydv_group_attr;

/* A call, and where its sentence goes: the program's buffer, NULL if size is 0. */
struct tally_call {
	const char *name;
	struct ibv_context *context;
	char *why;
	size_t size;
};

/*
 * Returns `err`. The sentence begins with the field at fault, if one is. It goes to libibverbs' debug
 * messages as well, behind the call's name.
 */
__attribute__((format(printf, 3, 4)))
int tally_refuse(const struct tally_call *call, int err, const char *format, ...);

/* The context is not of a Tally NIC: libibverbs' own state of it may be anything. EOPNOTSUPP. */
int tally_refuse_context(const struct tally_call *call);

/* "children: entry 3: ": neighbour `i` of children, peers and the parent, in this order. */
#define TALLY_WHOSE_SIZE 40
void tally_whose_neighbour(char *text, size_t size, const struct tallydv_group_attr *attr,
			   uint32_t i);

/* why_kernel.c: sentences for what the kernel and the device refuse. All return `err`. */
int tally_refuse_group(const struct tally_call *call, int err, const struct tally_uresp_why *why,
		       const struct tallydv_group_attr *attr, const struct tally_ureq_group *req,
		       const struct tally_ureq_edge *edges);
int tally_refuse_attach(const struct tally_call *call, int err, const struct tally_uresp_why *why,
			const struct tally_ureq_group_attach *req);
int tally_refuse_qp(const struct tally_call *call, int err, const struct tally_uresp_why *why,
		    const struct tally_ureq_create_qp *req, struct tallydv_group *group);

#endif
