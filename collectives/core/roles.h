/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The roles of ranks in document 000 (table 3, equations 1 to 6). In Node mode the lowest rank of a
 * node, in Socket mode the lowest rank of each CPU socket, is an SRR, which speaks for the others, the
 * SRs. The first SRRs, one or as many as a node has sockets, are MRRs, which collect the queries of
 * the others, the NMRRs. SRRs form as many groups as there are MRRs, and go round in a ring in each.
 */
#ifndef TALLYCOLL_CORE_ROLES_H
#define TALLYCOLL_CORE_ROLES_H

#include <stdbool.h>
#include <stdint.h>

enum tc_role {
	TC_ROLE_MRR,
	TC_ROLE_NMRR,
	TC_ROLE_SR,
};

/* Where a rank runs. */
struct tc_location {
	uint32_t node, socket;
};

struct tc_roles {
	uint32_t size;		/* ranks */
	uint32_t num_srrs, num_mrrs;
	uint32_t *srr;		/* [num_srrs] their ranks, ascending; the first num_mrrs are MRRs */
	uint32_t *srr_of;	/* [rank] index of the SRR that speaks for the rank */
};

/* Returns false if out of memory. */
bool tc_roles_init(struct tc_roles *roles, const struct tc_location *at, uint32_t size,
		   bool sockets);
void tc_roles_free(struct tc_roles *roles);

enum tc_role tc_role_of(const struct tc_roles *roles, uint32_t rank);
/* Group of a rank, from 0: that of its SRR (equations 3 and 4). */
uint32_t tc_role_group(const struct tc_roles *roles, uint32_t rank);
/* The MRR to which an SRR sends its query; itself for an MRR (equation 3). */
uint32_t tc_role_master(const struct tc_roles *roles, uint32_t rank);
/*
 * The SRR to which an SRR sends data if SRRs @first to @first + @num - 1 (indices) are below one
 * switch: the next of its group, from the last the first (equations 5 and 6).
 */
uint32_t tc_role_next(const struct tc_roles *roles, uint32_t rank, uint32_t first, uint32_t num);

const char *tc_role_name(enum tc_role role);

#endif
