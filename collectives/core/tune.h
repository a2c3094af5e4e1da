/* SPDX-License-Identifier: BSD-2-Clause */
/* What a user chooses by environment variables; rank 0's values hold for all ranks. */
#ifndef TALLYCOLL_CORE_TUNE_H
#define TALLYCOLL_CORE_TUNE_H

#include "tallycoll.h"

#define TC_TUNE_RULES 64

enum tc_tune_way {
	TC_TUNE_NONE,	/* no rule applies */
	TC_TUNE_HOST,	/* not offloaded */
	TC_TUNE_DIRECT,
	TC_TUNE_NODE,
	TC_TUNE_SOCKET,
	TC_TUNE_FIXED,
	/* between nodes as in document 002 */
	TC_TUNE_CP_BT,
	TC_TUNE_CP_RDAAS,
	TC_TUNE_CP_RINGAAS,
	TC_TUNE_P_BT,
	TC_TUNE_P_RDAAS,
	TC_TUNE_P_RINGAAS,
	TC_TUNE_NIC,	/* offloaded, by the best way */
	TC_TUNE_AUTO,	/* as if there were no rule */
};

/* Where a rule is from; a later one is stronger. */
enum tc_tune_source {
	TC_TUNE_FROM_FILE,
	TC_TUNE_FROM_RUNTIME,
	TC_TUNE_FROM_VARIABLE,
};

/* A rule: `opcode` (0: all) for at least `from` and at most `to` bytes of a rank goes by `way`. */
struct tc_tune_rule {
	uint8_t opcode, way, source;
	uint64_t from, to;
};

/* Contains no pointers: ranks exchange it. */
struct tc_tune {
	uint32_t off;		/* TALLY_COLL=off */
	uint32_t trace, summary;	/* TALLY_COLL_TRACE, TALLY_COLL_SUMMARY */
	uint32_t num_rules;
	struct tc_tune_rule rule[TC_TUNE_RULES];
};

/* Has rules for all users of a machine, if it exists. */
#define TC_TUNE_FILE "/etc/tallycoll.conf"

/*
 * Reads TALLY_COLL, TALLY_COLL_TRACE and TALLY_COLL_SUMMARY, then the rules: of the file that
 * TALLY_COLL_TUNE_FILE names (TC_TUNE_FILE), of @parameter, which may be NULL, and of
 * TALLY_COLL_TUNE. Returns false with a sentence that names the variable, or the file and its line,
 * and the word at fault. A variable TALLY_COLL... that does not exist is a fault, too.
 *
 *	RULES := RULE { ";" RULE }; a file also has lines, and comments from # on
 *	RULE := ( OPERATION | "all" ) [ ":" [ FROM ] "-" [ TO ] ] "=" WAY
 *
 * An operation has the name of its opcode in lower case. FROM and TO are bytes with an optional k, m
 * or g, or K, M, G. WAY is host, direct, node, socket, fixed, cp-bt, cp-rdaas, cp-ringaas, p-bt, p-rdaas,
 * p-ringaas, nic (offloaded by the faster of direct and node, even if the host is faster) or auto
 * (as if there were no rule). The last rule that applies holds, so the variable is stronger than the
 * parameter, and this than the file.
 */
bool tc_tune_read(struct tc_tune *tune, const char *parameter, char *why, size_t size);
enum tc_tune_way tc_tune_find(const struct tc_tune *tune, enum tally_opcode opcode, uint64_t bytes);
/* The names of an operation and of a way in rules and tables. */
const char *tc_opcode_name(enum tally_opcode opcode);
const char *tc_tune_way_name(enum tc_tune_way way);

#endif
