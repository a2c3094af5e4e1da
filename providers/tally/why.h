/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Sentences that explain to a program why a call was refused. */
#ifndef TALLY_WHY_H
#define TALLY_WHY_H

#include <stddef.h>
#include <stdint.h>

#include <rdma/tally-abi.h>

struct ibv_context;
struct tallydv_group;
struct tallydv_group_attr;

/* A call, and the program's buffer for the sentence, which may be NULL if size is 0. */
struct tally_call {
	const char *name;
	struct ibv_context *context;
	char *why;
	size_t size;
};

/*
 * Writes a sentence and returns `err`. If a field is at fault, the sentence begins with its name.
 * libibverbs' debug messages also get the sentence, after the name of the call.
 */
__attribute__((format(printf, 3, 4)))
int tally_refuse(const struct tally_call *call, int err, const char *format, ...);

/*
 * Refuses a context that is not of a Tally NIC, whose libibverbs state is unknown. Returns
 * EOPNOTSUPP.
 */
int tally_refuse_context(const struct tally_call *call);

/*
 * Writes a prefix like "children: entry 3: " for neighbour `i`. Children come first, then peers,
 * then the parent.
 */
#define TALLY_WHOSE_SIZE 40
void tally_neighbour_name(char *text, size_t size, const struct tallydv_group_attr *attr,
			  uint32_t i);

/* why_kernel.c: sentences for refusals of the kernel and the device. All return `err`. */
int tally_refuse_group(const struct tally_call *call, int err, const struct tally_uresp_why *why,
		       const struct tallydv_group_attr *attr, const struct tally_ureq_group *req,
		       const struct tally_ureq_edge *edges);
int tally_refuse_attach(const struct tally_call *call, int err, const struct tally_uresp_why *why,
			const struct tally_ureq_group_attach *req);
int tally_refuse_qp(const struct tally_call *call, int err, const struct tally_uresp_why *why,
		    const struct tally_ureq_create_qp *req, struct tallydv_group *group);

#endif
