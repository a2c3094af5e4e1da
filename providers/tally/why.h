/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Sentences for programs that ask why a call was refused. */
#ifndef TALLY_WHY_H
#define TALLY_WHY_H

#include <stddef.h>

struct ibv_context;

/* Where the sentence goes: the program's buffer, NULL if size is 0. */
struct tally_why {
	char *text;
	size_t size;
};

/*
 * Returns `err`. The sentence begins with the field at fault, if one is; it goes to libibverbs' debug
 * messages as well, with `call` before it.
 */
__attribute__((format(printf, 5, 6)))
int tally_refuse(struct ibv_context *context, const struct tally_why *why, int err,
		 const char *call, const char *format, ...);

#endif
